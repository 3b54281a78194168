import { type Text, textsOfAwk, textsOfGit, textsOfVariables, variablesIn } from "./texts-in.ts";
import type { Piece, SimpleCommand } from "./words.ts";

/** A command or the end of a wrapper's words. */
export type Started = Pick<SimpleCommand, "words" | "program" | "sets">;

/** Programs that read some of their words, or their input, as a script. */
const SHELLS = new Set("sh bash dash zsh ksh ash fish".split(" "));
const SCRIPTED = new Set(
  "eval alias su script watch trap parallel flock runuser hyperfine entr mapfile readarray complete".split(" "),
);
/** Builtins that run what is substituted in a subscript, though it was quoted. */
const SUBSCRIPTED = new Set(
  "let test [ [[ read unset declare typeset local export readonly getopts wait printf".split(" "),
);

/** Builtins that set variables which later commands start with. */
const EXPORTS = new Set("export declare typeset local readonly".split(" "));
const AWKS = /^([gnm]?awk|original-awk)$/;

/** Texts that a shell, `eval` and the like run as a script; undefined: there is one, but it can't be seen. */
export function scriptsIn(command: Started): Text[] {
  const rest = command.words.slice(1);
  const sets = [...(command.sets ?? []), ...(setsVariables(command.program) ? variablesIn(rest) : [])];
  return [...textsOfVariables(sets), ...textsOf(command)];
}

function setsVariables(program: string): boolean {
  return program === "env" || EXPORTS.has(program);
}

function textsOf(command: Started): Text[] {
  const { program } = command;
  const rest = command.words.slice(1);
  if (program === "eval") return [rest.every((w) => w.sure) ? rest.map((w) => w.value).join(" ") : undefined];
  if (program === "env") return split(rest);
  if (program === "git") return textsOfGit(rest);
  if (AWKS.test(program)) return textsOfAwk(rest);
  if (program === "source" || program === ".") return rest[0] !== undefined && isStream(rest[0]) ? [undefined] : [];
  if (SHELLS.has(program)) return inShell(rest);
  if (SUBSCRIPTED.has(program)) return subscripts(program, rest);
  return SCRIPTED.has(program) ? rest.map((w) => (w.sure ? w.value : undefined)) : [];
}

function inShell(rest: readonly Piece[]): (string | undefined)[] {
  // Which of them the script is depends on its options: each may be.
  if (rest.some((w) => w.sure && /^-[a-z]*c[a-z]*$/.test(w.value)))
    return rest.flatMap((w) => (!w.sure ? [undefined] : /^[-+]/.test(w.value) ? [] : [w.value]));
  if (rest.some((w) => w.sure && /^--?(version|help)/.test(w.value))) return [];
  // Without a script's name, or with -s, it reads its input.
  const file = scriptFile(rest);
  return file === undefined || isStream(file) ? [undefined] : [];
}

/** The word that names a shell's script, where one does. */
function scriptFile(rest: readonly Piece[]): Piece | undefined {
  for (let i = 0; i < rest.length; i++) {
    const word = rest[i];
    if (word?.sure !== true || !/^[-+]/.test(word.value)) return word;
    if (/^-[a-z]*s[a-z]*$/.test(word.value)) return undefined;
    if (/^([-+][a-z]*[oO]|--(rcfile|init-file))$/.test(word.value)) i++;
  }
  return undefined;
}

/** Names no file of a folder but what is sent to it, or can't be told from that: an unknown word that doesn't end as a path does. */
function isStream({ value, sure }: Piece): boolean {
  if (/^\/(dev|proc)\//i.test(value)) return true;
  return !sure && !(/\/[\w.+*-]*[a-z_][\w.+*-]*$/i.test(value) && !/[<>$]\(|`|\/stdin$/.test(value));
}

/** What `env -S` takes apart by itself. */
function split(rest: readonly Piece[]): (string | undefined)[] {
  return rest.flatMap((w, i) => {
    const text = /^(?:-[a-z0]*S|--s[a-z-]*=?)(.*)$/s.exec(w.value)?.[1];
    if (text === undefined) return [];
    if (!w.sure) return [undefined];
    if (text !== "") return [text];
    const next = rest[i + 1];
    return [next?.sure === false ? undefined : (next?.value ?? "")];
  });
}

function subscripts(program: string, rest: readonly Piece[]): string[] {
  if (program === "printf" && !rest.some((w) => w.value.startsWith("-v"))) return [];
  return rest.flatMap((w) => (w.sure && /\[.*(\$\(|`)/s.test(w.value) ? [`: ${w.value}`] : []));
}
