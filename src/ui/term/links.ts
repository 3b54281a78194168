type Env = Readonly<Record<string, string | undefined>>;

/** Longer ones are no address that a person goes to, and some terminals drop them. */
const MOST = 2000;
/** A link of ours, begun or ended; nothing else of this kind ever reaches the terminal. */
const LINK = new RegExp(String.raw`(\x1b\]8;;(?:https?://[\x21-\x7e]{1,${MOST}})?\x1b\\)`);
const END = "\x1b]8;;\x1b\\";

/** Where a link of a model's leads, as it may be given to a terminal: web addresses alone, in letters that hide nothing. */
export function safeHref(href: string): string | undefined {
  const url = URL.parse(href);
  if (url === null || (url.protocol !== "https:" && url.protocol !== "http:")) return undefined;
  if (url.username !== "" || url.password !== "" || url.href.length > MOST) return undefined;
  return /^[\x21-\x7e]+$/.test(url.href) ? url.href : undefined;
}

/** Text that leads to an address (OSC 8). The address comes from `safeHref`. */
export function linked(href: string, text: string): string {
  return `\x1b]8;;${href}\x1b\\${text}${END}`;
}

/** A row in which everything but links of ours is looked at by `guard`; none stays open at its end. */
export function guardedLinks(row: string, guard: (text: string) => string): string {
  if (!row.includes("\x1b]8;;")) return guard(row);
  let open = false;
  const pieces = row.split(LINK).map((piece, at) => {
    if (at % 2 === 0) return guard(piece);
    open = piece !== END;
    return piece;
  });
  return pieces.join("") + (open ? END : "");
}

/** Whether the terminal makes something of links, as far as its environment tells. */
export function knowsLinks(env: Env): boolean {
  const has = (name: string) => (env[name] ?? "") !== "";
  const program = env["TERM_PROGRAM"] ?? "";
  if (has("TMUX") || program === "tmux") return Number.parseFloat(env["TERM_PROGRAM_VERSION"] ?? "") >= 3.4;
  if (/^(?:iTerm\.app|WezTerm|vscode|ghostty|Hyper|rio)$/.test(program)) return true;
  if (has("WT_SESSION") || has("KITTY_WINDOW_ID") || has("WEZTERM_PANE")) return true;
  return Number(env["VTE_VERSION"] ?? 0) >= 5000 || /kitty|ghostty|foot|alacritty/.test(env["TERM"] ?? "");
}
