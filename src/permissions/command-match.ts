import { visible } from "../util/visible.ts";
import { matchSigns } from "./glob.ts";
import type { WordsRule } from "./rule-parse.ts";
import { readScript, type Piece, type Script, type SimpleCommand } from "./words.ts";

/**
 * For an allow: true only when every command of the text is, word for word, one that a rule names. Text that is not wholly
 * understood, words that the shell expands, variables set in front, files opened by redirection (a rule names a program, not
 * where its output goes), quoted substitutions and invisible signs never match, unless the rule is this very text. Wrappers such as `env` or
 * `timeout` are commands of their own: a rule for what they start doesn't count.
 */
export function isAllowed(source: string, script: Script, rules: readonly WordsRule[]): boolean {
  if (script.opaque || !script.sure || script.commands.length === 0 || visible(source, "\n\t") !== source) return false;
  if (rules.some((r) => !r.prefix && r.text === source.trim())) return true;
  return script.commands.every((c) => isPlain(c) && rules.some((r) => startsWith(c.words, r)));
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
  "env nice nohup timeout xargs sudo doas command builtin exec setsid stdbuf ionice chrt taskset unshare nsenter chroot watch parallel find fd strace ltrace busybox flock caffeinate runuser time npx".split(
    " ",
  ),
);
/** Programs that read some of their words, or their input, as a script. */
const SHELLS = new Set("sh bash dash zsh ksh ash fish".split(" "));
const SCRIPTED = new Set("eval su script watch trap parallel flock runuser".split(" "));
const MAX_NESTING = 6;

/**
 * For a deny or an ask: true when any command of the text is, or can't be ruled out to be, what the rule names. Looks through
 * paths, variables in front, wrappers, `sh -c`, `eval` and `find -exec`; a text that can't be read matches. This is a courtesy
 * to the person: what a command really does is judged by its change set.
 */
export function mayRun(source: string, script: Script, rule: WordsRule): boolean {
  if (script.opaque || rule.text === source.trim()) return true;
  return rule.words !== undefined && anyRuns(script, rule, rule.words, 0);
}

function anyRuns(script: Script, rule: WordsRule, wanted: readonly string[], depth: number): boolean {
  if (script.opaque || depth > MAX_NESTING) return true;
  return script.commands.some(({ words }) => runs(words, rule, wanted, depth));
}

function runs(words: readonly Piece[], rule: WordsRule, wanted: readonly string[], depth: number): boolean {
  const all = WRAPPERS.has(programOf(words[0])) ? [words, ...tails(words)] : [words];
  return all.some(
    (w) =>
      couldStart(w, rule, wanted) ||
      nested(w).some((s) => s === undefined || anyRuns(readScript(s), rule, wanted, depth + 1)),
  );
}

/** Every place where a wrapped command could begin; one that is unknown itself only where nothing but options stand before it. */
function tails(words: readonly Piece[]): (readonly Piece[])[] {
  let options = true;
  const out: (readonly Piece[])[] = [];
  for (let i = 1; i < words.length; i++) {
    const word = words[i];
    if (word?.sure === true || options) out.push(words.slice(i));
    options &&= word?.sure === true && /^-|=|^[\d.]+[smhd]?$/.test(word.value);
  }
  return out;
}

function couldStart(words: readonly Piece[], { prefix }: WordsRule, wanted: readonly string[]): boolean {
  for (const [i, want] of wanted.entries()) {
    const word = words[i];
    if (word === undefined) return false;
    if (!word.sure) return word.signs === undefined || matchSigns(word.signs, Array.from(want));
    if (i === 0 ? !isProgram(word, want) : word.value !== want) return false;
  }
  return prefix || words.slice(wanted.length).every((w) => !w.sure);
}

function isProgram(word: Piece, want: string): boolean {
  return (
    word.value.toLowerCase() === want.toLowerCase() || (!want.includes("/") && programOf(word) === want.toLowerCase())
  );
}

function programOf(word: Piece | undefined): string {
  return word?.sure === true ? (word.value.split("/").at(-1) ?? "").toLowerCase() : "";
}

/** Texts that this command runs as a script; undefined: there is one, but it can't be seen. */
function nested(words: readonly Piece[]): (string | undefined)[] {
  const program = programOf(words[0]);
  const rest = words.slice(1);
  const isShell = SHELLS.has(program);
  if (!isShell && !SCRIPTED.has(program)) return [];
  if (program === "eval") return [rest.every((w) => w.sure) ? rest.map((w) => w.value).join(" ") : undefined];
  if (isShell && rest.every((w) => w.sure && /^-(?!-(version|help))/.test(w.value))) return [undefined];
  const asked = !isShell || rest.some((w) => w.sure && /^-[a-z]*c[a-z]*$/.test(w.value));
  if (!asked) return [];
  return rest.flatMap((w) => (!w.sure ? [undefined] : /[^\w./:=-]/.test(w.value) || !isShell ? [w.value] : []));
}
