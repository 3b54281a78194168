import { visible } from "../util/visible.ts";
import { matchSigns, type Sign } from "./glob-parts.ts";
import type { WordsRule } from "./rule-words.ts";
import { scriptsIn, type Started } from "./scripts-in.ts";
import { programOf, readScript, type Piece, type Script, type SimpleCommand } from "./words.ts";

/**
 * For an allow: true only when every command of the text is, word for word, one that a rule names. Text that is not wholly
 * understood, words that the shell expands, variables set in front, files opened by redirection (a rule names a program, not
 * where its output goes), quoted substitutions and invisible signs never match, unless the rule is this very text. Wrappers such as `env` or
 * `timeout` are commands of their own: a rule for what they start doesn't count.
 */
export function isAllowed(source: string, script: Script, rules: readonly WordsRule[]): boolean {
  if (script.opaque || !script.sure || script.commands.length === 0 || visible(source, "\n\t") !== source) return false;
  if (rules.some((r) => !r.prefix && r.text === source.trim())) return true;
  return !script.opens && script.commands.every((c) => isPlain(c) && rules.some((r) => startsWith(c.words, r)));
}

function isPlain({ words, bare }: SimpleCommand): boolean {
  // printf -v, read and test evaluate what looks like a subscript, substitutions in it included.
  return bare && words.length > 0 && words.every((w) => w.sure && !/\$\(|`/.test(w.value));
}

function startsWith(words: readonly Piece[], { words: wanted, prefix }: WordsRule): boolean {
  if (wanted === undefined || words.length < wanted.length || (!prefix && words.length > wanted.length)) return false;
  return wanted.every((w, i) => words[i]?.value === w);
}

/** Programs that start the words behind them. */
const WRAPPERS = new Set(
  (
    "env nice nohup timeout gtimeout xargs sudo doas pkexec command builtin exec setsid setpriv setarch linux64 stdbuf unbuffer rlwrap ionice chrt " +
    "taskset numactl prlimit unshare nsenter chroot bwrap firejail systemd-run systemd-inhibit watch parallel find fd fdfind strace ltrace " +
    "busybox toybox flock hash ssh-agent caffeinate runuser time npx bunx pnpx dotenv direnv xvfb-run dbus-run-session faketime proxychains torsocks hyperfine entr"
  ).split(" "),
);
/** What goes further than this is taken for the worst. */
const MAX_NESTED = 150_000;
const MAX_WRAPPED_WORDS = 100;

/**
 * For a deny or an ask: true when any command of the text is, or can't be ruled out to be, what the rule names. Looks through
 * paths, variables in front, wrappers, `sh -c`, `eval` and `find -exec`; a text that can't be read matches. This is a courtesy
 * to the person: what a command really does is judged by its change set.
 */
export function mayRun(source: string, script: Script, rule: WordsRule): boolean {
  if (script.opaque || rule.text === source.trim()) return true;
  const { words: wanted = [], signs, prefix } = rule;
  if (rule.words === undefined && signs === undefined) return false;
  const name = (wanted[0] ?? "").toLowerCase();
  return anyRuns(script, { prefix, wanted, name, left: MAX_NESTED, ...(signs === undefined ? {} : { signs }) });
}

/** What is looked for. `left`: characters of scripts within scripts that may still be read. */
interface Search {
  prefix: boolean;
  wanted: readonly string[];
  /** The first of them, in lower case. */
  name: string;
  /** Instead of them: a pattern on all words with blanks between them. */
  signs?: readonly Sign[];
  left: number;
}

function anyRuns(script: Script, search: Search): boolean {
  return script.opaque || script.commands.some((c) => runs(c, search));
}

function runs(command: Started, search: Search): boolean {
  if (startRuns(command, search)) return true;
  if (!WRAPPERS.has(command.program)) return false;
  return command.words.length > MAX_WRAPPED_WORDS || tails(command.words).some((t) => startRuns(t, search));
}

function startRuns(command: Started, search: Search): boolean {
  if (couldStart(command, search) || behindOptions(command).some((c) => couldStart(c, search))) return true;
  return scriptsIn(command).some((s) => s === undefined || nestedRuns(s, search));
}

function nestedRuns(source: string, search: Search): boolean {
  search.left -= source.length + 500;
  return search.left < 0 || anyRuns(readScript(source), search);
}

/** How far a program's own options are followed. */
const MAX_OPTION_WORDS = 12;

/** The command without the options in front of its first other word (`git -C . push`). Whether the last takes a value isn't known: both. */
function behindOptions({ words, program }: Started): Started[] {
  const isOption = (at: number): boolean => words[at]?.sure === true && words[at].value.startsWith("-");
  const out: Started[] = [];
  for (let i = 1; i < Math.min(words.length, MAX_OPTION_WORDS); i++) {
    if (isOption(i)) continue;
    const value = i > 1 && isOption(i - 1);
    if (i > 1 && (!value || words[i]?.sure === true))
      out.push({ words: [...words.slice(0, 1), ...words.slice(i)], program });
    if (!value) break;
  }
  return out;
}

/** Every place where a wrapped command could begin; one that is unknown itself only where nothing but options stand before it. */
function tails(words: readonly Piece[]): Started[] {
  let options = true;
  const out: Started[] = [];
  for (let i = 1; i < words.length; i++) {
    const word = words[i];
    if (word?.sure === true || options) out.push({ words: words.slice(i), program: programOf(word) });
    options &&= word?.sure === true && /^-|=|^[\d.]+[smhd]?$/.test(word.value);
  }
  return out;
}

function couldStart(command: Started, { prefix, wanted, name, signs }: Search): boolean {
  if (signs !== undefined) return couldFit(command, signs);
  const { words, program } = command;
  if (words[0]?.sure === true && program !== name && words[0].value.toLowerCase() !== name) return false;
  for (const [i, want] of wanted.entries()) {
    const word = words[i];
    if (word === undefined) return false;
    if (!word.sure)
      return word.signs === undefined || matchSigns(i === 0 ? named(word.signs) : word.signs, Array.from(want));
    if (i > 0 && word.value !== want) return false;
  }
  return prefix || words.slice(wanted.length).every((w) => !w.sure);
}

/** More steps than these are not worth it: taken for a match. */
const MAX_STEPS = 4_000_000;

/** Whether the words may be what a pattern with `*` names, the program with or without its folder. A word that isn't known may be any. */
function couldFit({ words, program }: Started, signs: readonly Sign[]): boolean {
  const unknown = words.findIndex((w) => !w.sure);
  const known = words.slice(0, unknown < 0 ? words.length : unknown).map((w) => w.value);
  const [first, ...rest] = known;
  if (first === undefined) return unknown >= 0;
  return [first, program].some((start) => {
    const text = Array.from([start, ...rest].join(" "));
    if (text.length * signs.length > MAX_STEPS) return true;
    return unknown < 0 ? matchSigns(signs, text) || matchSigns(signs, [...text, " "]) : beginsAs(signs, text);
  });
}

/** Whether more words could make it a match: the text fits what the pattern says before its first `*`. */
function beginsAs(signs: readonly Sign[], text: readonly string[]): boolean {
  const star = signs.findIndex((sign) => typeof sign !== "string");
  const head = signs.slice(0, star < 0 ? signs.length : star);
  return head.every((sign, i) => i >= text.length || sign === text[i]);
}

/** What a program's pattern says of its name, without folders. */
function named(signs: readonly Sign[]): readonly Sign[] {
  return signs.slice(signs.lastIndexOf("/") + 1);
}
