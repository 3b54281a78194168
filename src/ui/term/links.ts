import { visible } from "../../util/visible.ts";

type Env = Readonly<Record<string, string | undefined>>;

/** Longer ones are no address that a person goes to, and some terminals drop them. */
const MOST = 2000;
/** A link of ours, begun or ended; nothing else of this kind ever reaches the terminal. */
const LINK = new RegExp(String.raw`(\x1b\]8;;(?:(?:https?://|file:///)[\x21-\x7e]{1,${MOST}})?\x1b\\)`);
const END = "\x1b]8;;\x1b\\";

/** Where a link of a model's leads, as it may be given to a terminal: web addresses alone, in letters that hide nothing. */
export function safeHref(href: string): string | undefined {
  const url = URL.parse(href);
  if (url === null || (url.protocol !== "https:" && url.protocol !== "http:")) return undefined;
  if (url.username !== "" || url.password !== "" || url.href.length > MOST) return undefined;
  return /^[\x21-\x7e]+$/.test(url.href) ? url.href : undefined;
}

/**
 * Kinds of files that desktops show. A click may run whatever else there is: macOS does so with `.command`, and with programs that have
 * no ending, Linux with `.desktop`, and a page of HTML runs scripts as a file of the person's.
 */
const SHOWN = new Set(
  (
    "md txt rst adoc log csv tsv json jsonc json5 yaml yml toml ini conf lock diff patch ts tsx mts cts js jsx mjs cjs vue svelte css scss " +
    "less c h cc cpp cxx hpp cs java kt kts go rs zig swift scala ex exs erl hs ml lua sql graphql proto tf r png jpg jpeg gif webp pdf"
  ).split(" "),
);

/**
 * Where a path leads, as it may be given to a terminal: whole paths alone, of files that a click shows and never runs, in letters that hide
 * nothing.
 */
export function fileHref(path: string): string | undefined {
  const name = path.slice(path.lastIndexOf("/") + 1);
  const dot = name.lastIndexOf(".");
  if (!path.startsWith("/") || dot < 1 || !SHOWN.has(name.slice(dot + 1).toLowerCase()) || !path.isWellFormed())
    return undefined;
  if (visible(path, "") !== path || path.split("/").some((part) => part === ".." || part === ".")) return undefined;
  const href = `file://${path.split("/").map(encodeURIComponent).join("/")}`;
  return href.length <= MOST && /^[\x21-\x7e]+$/.test(href) ? href : undefined;
}

/** Text that leads to an address (OSC 8). The address comes from `safeHref` or `fileHref`. */
export function linked(href: string, text: string): string {
  return `\x1b]8;;${href}\x1b\\${text}${END}`;
}

/** A file's address is ours only where we would have made it. */
function isOurs(link: string): boolean {
  const href = link.slice("\x1b]8;;".length, -2);
  if (!href.startsWith("file:")) return true;
  try {
    return fileHref(decodeURIComponent(href.slice("file://".length))) === href;
  } catch {
    return false;
  }
}

/** A row in which everything but links of ours is looked at by `guard`; none stays open at its end. */
export function guardedLinks(row: string, guard: (text: string) => string): string {
  if (!row.includes("\x1b]8;;")) return guard(row);
  let open = false;
  const pieces = row.split(LINK).map((piece, at) => {
    if (at % 2 === 0 || !isOurs(piece)) return guard(piece);
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

/** Whether it also opens files of this machine: not from afar, where the path is one of another machine, nor across Windows' border. */
export function opensFiles(env: Env): boolean {
  const set = (name: string) => (env[name] ?? "") !== "";
  if (["SSH_CONNECTION", "SSH_TTY", "SSH_CLIENT", "WT_SESSION", "WSL_DISTRO_NAME"].some(set)) return false;
  return knowsLinks(env);
}
