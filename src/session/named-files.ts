import { basename, isAbsolute, join, resolve } from "node:path";

/** Where a command line runs, and what stands for the variables in it. */
export interface LinePlace {
  /** Absolute. */
  cwd: string;
  /** What `AGENT_PROJECT_DIR` and `CLAUDE_PROJECT_DIR` say; what git's top level is taken for. */
  folder: string;
  env?: Readonly<Record<string, string | undefined>>;
}

/** Programs that find a file by less than its whole name. */
const INTERPRETERS = /^(?:node|bun|deno|tsx|ts-node|python[\d.]*|pypy[\d.]*|ruby|perl|php)$/;
const ENDINGS = [".js", ".mjs", ".cjs", ".ts", "/index.js", "/index.ts", "/package.json", ".py", "/__main__.py"];
/** The word behind one of these is a folder that others are relative to. */
const MOVES = /^(?:cd|pushd|-C|--prefix|--cwd|--dir|--directory)$/;
/** Words of a line as a shell parts them: quotes hold together. */
const WORD = /(?:"(?:[^"\\]|\\.)*"|'[^']*'|\\.|[^\s"'\\`;|&()<>=])+/gs;
const PARTS = /[\s"'`;|&()<>=]/;

/**
 * Absolute paths of files that the words of a command line may name, whether or not they are there, in the order of the words. A word that
 * is no file's name gives one as well: who asks compares with what there is.
 */
export function filesNamed(line: string, at: LinePlace): string[] {
  const words = wordsOf(filled(line, at));
  const bases = [
    at.cwd,
    ...words.flatMap((word, n) => (MOVES.test(words[n - 1] ?? "") ? [resolve(at.cwd, word)] : [])),
  ];
  const found = words.flatMap((word, n) => {
    if (word === "" || word.startsWith("-")) return [];
    const guessed = words.slice(0, n).some((before) => INTERPRETERS.test(basename(before)));
    const module = words[n - 1] === "-m" ? word.replaceAll(".", "/") : word;
    const names = guessed ? [module, ...ENDINGS.map((ending) => `${module}${ending}`)] : [module];
    return names.flatMap((name) => (isAbsolute(name) ? [resolve(name)] : bases.map((base) => resolve(base, name))));
  });
  return [...new Set(found)];
}

/** Files that programs named in the line look for by themselves, and run commands out of. */
export function filesImplied(line: string, at: LinePlace): string[] {
  const words = wordsOf(filled(line, at));
  const bases = [
    at.cwd,
    ...words.flatMap((word, n) => (MOVES.test(words[n - 1] ?? "") ? [resolve(at.cwd, word)] : [])),
  ];
  const names = words.flatMap((word) => IMPLIED.get(basename(word)) ?? []);
  return names.flatMap((name) => bases.map((base) => join(base, name)));
}

const SCRIPTS = ["package.json"];
const IMPLIED: ReadonlyMap<string, readonly string[]> = new Map([
  ["npm", SCRIPTS],
  ["pnpm", SCRIPTS],
  ["yarn", SCRIPTS],
  ["bun", SCRIPTS],
  ["make", ["Makefile", "makefile", "GNUmakefile"]],
  ["just", ["justfile", "Justfile", ".justfile"]],
  ["task", ["Taskfile.yml", "Taskfile.yaml"]],
  ["rake", ["Rakefile"]],
]);

/** A quoted word may be a line of its own, as behind `sh -c`. */
function wordsOf(line: string): string[] {
  return [...line.matchAll(WORD)].flatMap(([written]) => {
    const word = written.replace(/"((?:[^"\\]|\\.)*)"|'([^']*)'|\\(.)/gs, (_all, double, single, one) =>
      String(double ?? single ?? one),
    );
    return word !== written && PARTS.test(word) ? [word, ...wordsOf(word)] : [word];
  });
}

function filled(line: string, { cwd, folder, env = {} }: LinePlace): string {
  const known = { ...env, PWD: cwd, AGENT_PROJECT_DIR: folder, CLAUDE_PROJECT_DIR: folder };
  return line
    .replaceAll(/\$\(\s*pwd\s*\)|`\s*pwd\s*`/g, cwd)
    .replaceAll(/\$\(\s*git rev-parse --show-toplevel\s*\)|`\s*git rev-parse --show-toplevel\s*`/g, folder)
    .replaceAll(/(?<=^|[\s=])~(?=\/)/g, env["HOME"] ?? "~")
    .replaceAll(/\$(?:(\w+)|\{(\w+)(?::-[^}]*)?\})/g, (all, bare?: string, braced?: string) => {
      const value = (known as Readonly<Record<string, string | undefined>>)[bare ?? braced ?? ""];
      return value ?? all;
    });
}
