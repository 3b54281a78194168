import { sanitize } from "../../util/visible.ts";

type Env = Readonly<Record<string, string | undefined>>;
/** How a terminal can be made to call somebody. `osc9`, `osc99` and `osc777` bring words, the bell none. */
export type Caller = "bell" | "osc9" | "osc99" | "osc777";

/** What a terminal understands, as far as its environment tells. */
export interface Callers {
  by: Caller;
  /** tmux passes what is for the terminal outside only in an envelope. */
  tmux: boolean;
  /** OSC 9;4; where it isn't known it would be shown as a message. */
  progress: boolean;
}

/** The best way to call, by what the environment tells of the terminal; tmux leaves the marks of the one outside. */
export function callersOf(env: Env): Callers {
  const has = (name: string) => (env[name] ?? "") !== "";
  const program = env["TERM_PROGRAM"] ?? "";
  const term = env["TERM"] ?? "";
  const ghostty = program === "ghostty" || has("GHOSTTY_RESOURCES_DIR") || term === "xterm-ghostty";
  const wezterm = program === "WezTerm" || has("WEZTERM_PANE");
  const iterm = program === "iTerm.app" || env["LC_TERMINAL"] === "iTerm2";
  const kitty = term === "xterm-kitty" || has("KITTY_WINDOW_ID");
  const windows = has("WT_SESSION");
  const by: Caller = kitty
    ? "osc99"
    : ghostty || wezterm || iterm
      ? "osc9"
      : /^(?:foot|rxvt)/.test(term)
        ? "osc777"
        : "bell";
  const progress = ghostty || windows || has("ConEmuPID") || (iterm && atLeast(env["TERM_PROGRAM_VERSION"], 3, 6));
  return { by, tmux: has("TMUX"), progress };
}

function atLeast(version: string | undefined, major: number, minor: number): boolean {
  const [a = 0, b = 0] = (version ?? "").split(".").map((part) => Number.parseInt(part, 10));
  return a > major || (a === major && b >= minor);
}

/** Text that stands in an OSC: no sign that could end it, one row, not long. */
export function oscText(text: string): string {
  // C1 goes with `sanitize`; what is left of the controls would end the sequence or be shown in no window's title.
  return sanitize(text)
    .replaceAll(/[\u0000-\u001f\u007f-\u009f]+/g, " ")
    .slice(0, 120);
}

/** The bytes that call. The bell goes with it in tmux, which may drop what is for the terminal outside. */
export function callSequence(title: string, text: string, { by, tmux }: Callers): string {
  const [head, words] = [oscText(title), oscText(text)];
  // Semicolons part the fields of these.
  const field = (value: string) => value.replaceAll(";", ",");
  const osc =
    by === "osc9"
      ? `\x1b]9;${field(`${head}: ${words}`)}\x07`
      : by === "osc777"
        ? `\x1b]777;notify;${field(head)};${field(words)}\x07`
        : by === "osc99"
          ? `\x1b]99;i=understudy:d=0;${head}\x1b\\\x1b]99;i=understudy:p=body;${words}\x1b\\`
          : "";
  if (osc === "") return "\x07";
  return tmux ? `${envelope(osc)}\x07` : osc;
}

/** In tmux's envelope: every ESC twice. */
export function envelope(sequence: string): string {
  return `\x1bPtmux;${sequence.replaceAll("\x1b", "\x1b\x1b")}\x1b\\`;
}

/** `agent – project – state`. */
export function titleSequence(parts: readonly string[]): string {
  return `\x1b]2;${parts.map(oscText).join(" – ")}\x07`;
}
