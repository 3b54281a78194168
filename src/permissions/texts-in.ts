import type { Piece } from "./words.ts";

/** A text that is run as a shell's, or undefined: there is one that can't be seen. */
export type Text = string | undefined;

/** Read by a shell as it starts: a file, and what is substituted in its name is run. */
const STARTS_SHELLS = /^(ENV|BASH_ENV|ZDOTDIR)$/;
/** Their values are commands, or hold substitutions that are run. */
const COMMANDS =
  /^(PROMPT_COMMAND|PS[0-4]|(GIT_|MAN|SYSTEMD_)?PAGER|(GIT_|GIT_SEQUENCE_)?EDITOR|VISUAL|LESSOPEN|LESSCLOSE|BROWSER|(GIT_|SSH_)?ASKPASS|GIT_(SSH|SSH_COMMAND|EXTERNAL_DIFF|PROXY_COMMAND)|RSYNC_RSH)$/;
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
  /^(alias\..*|pager\..*|credential\..*|filter\..*|diff\..*|difftool\..*|mergetool\..*|merge\..*|browser\..*|man\..*|include.*|core\.(pager|editor|sshcommand|fsmonitor|askpass|gitproxy|hookspath)|sequence\.editor|gpg\..*|interactive\.difffilter|remote\..*\.(uploadpack|receivepack|vcs)|trailer\..*|url\..*)$/i;

/** What `git -c alias.x='!cmd'` and `git config alias.x '!cmd'` make git run: a command behind `!`, or one of git's own. */
export function textsOfGit(rest: readonly Piece[]): Text[] {
  return rest.flatMap((word, i): Text[] => {
    const [, key = "", inline] = /^(?:-c|--config-env=)?([a-z][\w-]*\.[^=\s]+)(?:=(.*))?$/is.exec(word.value) ?? [];
    if (!GIT_RUNS.test(key)) return [];
    const next = inline === undefined ? rest[i + 1] : { value: inline, sure: word.sure };
    if (next === undefined) return [];
    if (!next.sure || word.value.startsWith("--config-env")) return [undefined];
    const text = next.value.trim();
    if (text.startsWith("!")) return [text.slice(1)];
    return /^alias\./i.test(key) ? [`git ${text}`] : [text];
  });
}

/** A longer program isn't searched: looking for texts in it takes its length times its quotation marks. */
const LONGEST_AWK = 8000;

/** What an awk program hands to a shell: `system(…)` and pipes, where their texts stand in it. */
export function textsOfAwk(rest: readonly Piece[]): Text[] {
  return rest.flatMap(({ value, sure }): Text[] => {
    if (!/system|\||getline/.test(value)) return [];
    if (!sure || value.length > LONGEST_AWK) return [undefined];
    const TEXT = String.raw`"((?:[^"\\]|\\.)*)"`;
    const of = (pattern: string) => [...value.matchAll(new RegExp(pattern, "gs"))].map(([, text = ""]) => plain(text));
    const seen = [
      ...of(String.raw`system\s*\(\s*${TEXT}\s*\)`),
      ...of(String.raw`\|&?\s*${TEXT}`),
      ...of(String.raw`${TEXT}\s*\|&?\s*getline`),
    ];
    // What is built from pieces can't be seen; a regular expression's own | is none.
    const bare = value.replace(new RegExp(TEXT, "gs"), '"');
    const pipes = bare.replace(/\/(?:[^/\\\n]|\\.)+\//g, "");
    const built =
      /system\s*\((?!\s*"\s*\))/.test(bare) ||
      /[^"\s|]\s*\|&?\s*getline/.test(pipes) ||
      /(?<!\|)\|&?(?![|&])(?!\s*("\s*([;}\n]|$)|getline))/.test(pipes);
    return built ? [...seen, undefined] : seen;
  });
}

function plain(text: string): string {
  return text.replace(/\\(["\\/])/g, "$1");
}
