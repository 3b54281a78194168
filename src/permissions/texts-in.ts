import type { Piece } from "./words.ts";

/** A text that is run as a shell's, or undefined: there is one that can't be seen. */
export type Text = string | undefined;

/** Read by a shell as it starts: a file, and what is substituted in its name is run. */
const STARTS_SHELLS = /^(ENV|BASH_ENV|ZDOTDIR)$/;
/** Their values are commands, or hold substitutions that are run: programs name theirs alike (KUBE_EDITOR, AWS_PAGER, SVN_SSH). */
const COMMANDS =
  /^(PROMPT_COMMAND|PS[0-4]|[A-Z_]*(PAGER|EDITOR|BROWSER|ASKPASS)|VISUAL|FCEDIT|LESSOPEN|LESSCLOSE|GIT_(SSH_COMMAND|EXTERNAL_DIFF|PROXY_COMMAND)|[A-Z]+_[RS]SH|FZF_[A-Z_]*COMMAND)$/;
/** git's settings by variables. */
const SETTINGS = /^GIT_CONFIG(_|$)/;

/** Texts that variables hand to what they are set for. */
export function textsOfVariables(set: readonly { name: string; value: Piece }[]): Text[] {
  return set.flatMap(({ name, value }): Text[] => {
    if (STARTS_SHELLS.test(name) || SETTINGS.test(name)) return [undefined];
    if (!COMMANDS.test(name)) return [];
    return [value.sure ? value.value.replace(/^\s*\|/, "") : undefined];
  });
}

/** `NAME=value` among words, as `env` and `export` take them. A word that isn't known whole may still show its name. */
export function variablesIn(words: readonly Piece[]): { name: string; value: Piece }[] {
  return words.flatMap(({ value, sure }) => {
    const [, name, text = ""] = /^([A-Za-z_]\w*)\+?=(.*)$/s.exec(value) ?? [];
    if (name === undefined) return [];
    // As written, quotes too, where it isn't a word of its own.
    const plain = sure ? text : /^(["']?)([^"'\\$`]*)\1$/.exec(text)?.[2];
    return [{ name, value: plain === undefined ? { value: text, sure } : { value: plain, sure: true } }];
  });
}

/** Settings of git by which it starts something. */
const GIT_RUNS =
  /^(alias\..*|pager\..*|credential\..*|filter\..*|diff\..*|difftool\..*|mergetool\..*|merge\..*|browser\..*|man\..*|include.*|core\.(pager|editor|sshcommand|fsmonitor|askpass|gitproxy|hookspath|alternaterefscommand)|sequence\.editor|gpg\..*|interactive\.difffilter|remote\..*\.(uploadpack|receivepack|vcs)|trailer\..*|url\..*|uploadpack\.packobjectshook|submodule\..*\.update|tar\..*\.command|imap\.tunnel|sendemail\..*cmd|gc\.recentobjectshook)$/i;
/** Options of git itself that take the next word. */
const TAKES = /^(-[cC]|--(git-dir|work-tree|namespace|config-env|exec-path|super-prefix|attr-source))$/;
/** Options of git's commands whose value a shell runs, shortened as git allows it; one letter means that in some commands only. */
const GIT_EXECS = /^--(?:exec?|extc[a-z]*|upl[a-z-]*|rece[a-z-]*|open[a-z-]*|[a-z]+-filter)(?:=(.*))?$/s;
const GIT_EXEC_LETTERS: Readonly<Record<string, RegExp>> = {
  rebase: /^-x(.*)$/s,
  difftool: /^-x(.*)$/s,
  clone: /^-u(.*)$/s,
  grep: /^-O(.+)$/s,
};

/**
 * What `git -c alias.x='!cmd'` and `git config alias.x '!cmd'` make git run (a command behind `!`, or one of git's own), and what its
 * commands run: `rebase --exec`, `bisect run`, `submodule foreach`, an address `ext::cmd`.
 */
export function textsOfGit(rest: readonly Piece[]): Text[] {
  const settings = rest.flatMap((word, i): Text[] => {
    const [, key = "", inline] = /^(?:-c|--config-env=)?([a-z][\w-]*\.[^=\s]+)(?:=(.*))?$/is.exec(word.value) ?? [];
    if (!GIT_RUNS.test(key)) return [];
    const next = inline === undefined ? rest[i + 1] : { value: inline, sure: word.sure };
    if (next === undefined) return [];
    if (!next.sure || word.value.startsWith("--config-env") || rest[i - 1]?.value === "--config-env")
      return [undefined];
    const text = next.value.trim();
    if (text.startsWith("!")) return [text.slice(1)];
    return /^alias\./i.test(key) ? [`git ${text}`] : [text];
  });
  return [...settings, ...textsOfGitCommand(rest)];
}

function textsOfGitCommand(rest: readonly Piece[]): Text[] {
  let at = 0;
  while (rest[at]?.value.startsWith("-") === true) {
    const takes = TAKES.test(rest[at]?.value ?? "");
    // A setting whose name can't be seen may be any.
    if (rest[at]?.value === "-c" && rest[at + 1]?.sure === false && !/^[a-z]/i.test(rest[at + 1]?.value ?? ""))
      return [undefined];
    at += takes ? 2 : 1;
  }
  const [name = "", ...words] = rest.slice(at).map((word) => word.value);
  const pieces = rest.slice(at + 1);
  const textAt = (piece: Piece | undefined, value = piece?.value): Text[] =>
    piece === undefined || value === undefined ? [] : [piece.sure ? value : undefined];
  const letter = Object.hasOwn(GIT_EXEC_LETTERS, name) ? GIT_EXEC_LETTERS[name] : undefined;
  const options = pieces.flatMap((piece, i): Text[] => {
    const far = /(?:^|=)ext::(.*)$/s.exec(piece.value)?.[1];
    // % stands for signs of its own in these.
    if (far !== undefined) return [piece.sure && !far.includes("%") ? far : undefined];
    const found = GIT_EXECS.exec(piece.value) ?? letter?.exec(piece.value);
    if (found === undefined || found === null) return [];
    return (found[1] ?? "") === "" ? textAt(pieces[i + 1]) : textAt(piece, found[1]);
  });
  const from = name === "bisect" && words[0] === "run" ? 1 : name === "submodule" ? words.indexOf("foreach") + 1 : 0;
  if (from === 0) return options;
  const tail = pieces.slice(from);
  while (name === "submodule" && tail[0]?.value.startsWith("-") === true) tail.shift();
  return [...options, tail.every((w) => w.sure) ? tail.map((w) => w.value).join(" ") : undefined];
}

/** A longer program isn't searched: looking for texts in it takes its length times its quotation marks. */
const LONGEST_AWK = 8000;
const TEXT = String.raw`"((?:[^"\\]|\\.)*)"`;

/** What an awk program hands to a shell: `system(…)` and pipes, where their texts stand in it. */
export function textsOfAwk(rest: readonly Piece[]): Text[] {
  return rest.flatMap(({ value, sure }, i): Text[] => {
    if (!/system|\||getline|@/.test(value) || isAwkValue(rest, i)) return [];
    if (!sure || value.length > LONGEST_AWK) return [undefined];
    const program = withoutPatterns(value);
    if (program === undefined) return [undefined];
    const of = (pattern: string) =>
      [...program.matchAll(new RegExp(pattern, "gs"))].map(([, text = ""]) => plain(text));
    const seen = [
      ...of(String.raw`system\s*\(\s*${TEXT}\s*\)`),
      ...of(String.raw`\|&?\s*${TEXT}`),
      ...of(String.raw`${TEXT}\s*\|&?\s*getline`),
    ];
    // What is built from pieces, or called by a name that is none here, can't be seen.
    const bare = program.replace(new RegExp(TEXT, "gs"), '"');
    const built =
      /system\s*\((?!\s*"\s*\))/.test(bare) ||
      /[^"\s|]\s*\|&?\s*getline/.test(bare) ||
      /[^"\s;{}(!&|=]\s*"\s*\|&?\s*getline|"\s*"\s*\|&?\s*getline/.test(bare) ||
      /(?<!\|)\|&?(?![|&])(?!\s*("\s*([;}\n]|$)|getline))/.test(bare) ||
      /@\s*\w/.test(bare);
    return built ? [...seen, undefined] : seen;
  });
}

/** A separator or a variable's value, which is no program; what is run of it stands in one. */
function isAwkValue(rest: readonly Piece[], at: number): boolean {
  return /^-[Fv]./s.test(rest[at]?.value ?? "") || /^-[Fv]$/.test(rest[at - 1]?.value ?? "");
}

/**
 * An awk program without comments and regular expressions, whose quotation marks and bars mean nothing. undefined: what is a text in it
 * can't be told. A slash is a division but where something is due that it could begin.
 */
function withoutPatterns(program: string): string | undefined {
  let out = "";
  let before = "\n";
  for (let at = 0; at < program.length;) {
    const rest = program.slice(at);
    const char = program.charAt(at);
    const pattern = char === "/" && "\n({},;!~&|=?:".includes(before);
    const token = pattern
      ? /^\/(?:[^/\\\n]|\\.)*\//.exec(rest)?.[0]
      : char === '"'
        ? /^"(?:[^"\\\n]|\\[^])*"/.exec(rest)?.[0]
        : /^(?:#[^\n]*|\\\r?\n|[^])/.exec(rest)?.[0];
    // A slash in brackets ends a pattern for some awks, not for others.
    if (token === undefined || (pattern && /\[[^\]]*\/$/.test(token))) return undefined;
    at += token.length;
    const shown = pattern ? "0" : char === "#" || (token.length > 1 && char === "\\") ? " " : token;
    out += shown;
    if (!/^[ \t\r]$/.test(shown)) before = shown.at(-1) ?? before;
  }
  return out;
}

/** undefined: letters in it are written as numbers or otherwise than they are. */
function plain(text: string): Text {
  return /\\(?!["\\/])/.test(text.replace(/\\["\\/]/g, "")) ? undefined : text.replace(/\\(["\\/])/g, "$1");
}
