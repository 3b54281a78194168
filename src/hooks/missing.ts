import { existsSync } from "node:fs";
import { resolve } from "node:path";

/** Programs whose first argument is the script that they run, and which say by the code of a block that it is missing. */
const INTERPRETERS = new Set([
  "bash",
  "sh",
  "zsh",
  "dash",
  "node",
  "bun",
  "deno",
  "python",
  "python3",
  "ruby",
  "perl",
  "php",
  "tsx",
]);

/**
 * The script or program that a plain command line names and that is not there: an interpreter would say so by an exit code that means a
 * block. undefined: it is there, or the line is more than words.
 */
export function missingProgram(
  command: string,
  { cwd, env }: { cwd: string; env: Readonly<Record<string, string>> },
): string | undefined {
  const words = wordsOf(command, env);
  if (words === undefined) return undefined;
  const [first = "", second = ""] = words;
  const base = first.slice(first.lastIndexOf("/") + 1);
  const wanted = [
    ...(first.includes("/") ? [first] : []),
    ...(INTERPRETERS.has(base) && !second.startsWith("-") && /[./]/.test(second) ? [second] : []),
  ];
  return wanted.find((path) => !existsSync(resolve(cwd, path)));
}

/** The words of a line of plain words, quoted or not, with variables filled in; undefined where the shell has more to do. */
function wordsOf(command: string, env: Readonly<Record<string, string>>): string[] | undefined {
  const words: string[] = [];
  const part = /\s*(?:((?:[^\s"'$`\\;&|<>(){}*?[\]#!~=]|\$\{?\w+\}?|"(?:[^"`\\$]|\$\{?\w+\}?)*"|'[^']*')+)|(\S))/gy;
  for (let found = part.exec(command); found !== null; found = part.exec(command)) {
    const [, word] = found;
    // A redirection or a second command behind the first two words changes nothing about these.
    if (word === undefined) return words.length >= 2 ? words : undefined;
    words.push(plain(word, env));
  }
  return words.length === 0 ? undefined : words;
}

function plain(word: string, env: Readonly<Record<string, string>>): string {
  return word.replace(/'([^']*)'|"|\$\{?(\w+)\}?/g, (_all, quoted?: string, name?: string) =>
    quoted !== undefined ? quoted : name === undefined ? "" : (env[name] ?? ""),
  );
}
