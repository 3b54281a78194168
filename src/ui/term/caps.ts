/** How many colours the terminal shows: none, 16 by name, 256 by number, or 24 bit. */
export type ColourDepth = 0 | 16 | 256 | 16_777_216;
type Env = Readonly<Record<string, string | undefined>>;

/** What the environment tells about the terminal. `dumb`: no screen but the plain line front-end. */
export interface Caps {
  depth: ColourDepth;
  dumb: boolean;
  tmux: boolean;
  ssh: boolean;
}

/** Reads the environment; asks the terminal nothing. */
export function capsOf(env: Env): Caps {
  return {
    depth: colourDepthOf(env),
    dumb: (env["TERM"] ?? "") === "dumb" || (env["TERM"] ?? "") === "",
    tmux: (env["TMUX"] ?? "") !== "",
    ssh: (env["SSH_CONNECTION"] ?? env["SSH_TTY"] ?? "") !== "",
  };
}

/** The terminal reflows as xterm.js does: see `erase`. */
export function cursorStaysIn(env: Env): boolean {
  return env["TERM_PROGRAM"] === "vscode";
}

/** NO_COLOR (not empty) wins, then FORCE_COLOR, CLICOLOR=0, COLORTERM, and what TERM is known to do, which in tmux is its own (N-3). */
export function colourDepthOf(env: Env): ColourDepth {
  if ((env["NO_COLOR"] ?? "") !== "") return 0;
  const forced = env["FORCE_COLOR"];
  if (forced !== undefined) {
    if (forced === "0" || forced === "false") return 0;
    if (forced === "2") return 256;
    if (forced === "3") return 16_777_216;
    return 16;
  }
  if (env["CLICOLOR"] === "0") return 0;
  const term = env["TERM"] ?? "";
  if (term === "dumb" || term === "") return 0;
  if (/^(truecolor|24bit)$/.test(env["COLORTERM"] ?? "")) return 16_777_216;
  if (term.endsWith("-direct")) return 16_777_216;
  return /256|kitty|ghostty|alacritty|wezterm|foot/.test(term) ? 256 : 16;
}
