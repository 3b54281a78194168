import { readScript, type SimpleCommand } from "../../src/permissions/words.ts";

/** A call as a model makes it. */
export interface Call {
  name: string;
  input: Readonly<Record<string, unknown>>;
}

/** Programs that only look, whatever their options, as long as no file is opened for writing. */
const LOOKS = new Set(
  `ls cat head tail wc pwd echo printf true false test which type date uname whoami id du df stat file diff cmp cut tr nl basename dirname
  realpath readlink grep egrep fgrep rg tree cd sort uniq jq`.split(/\s+/),
);
const GIT_LOOKS = new Set(
  "status log diff show blame branch ls-files rev-parse merge-base describe shortlog ls-tree cat-file".split(" "),
);
const WRITES = new Set(["Write", "Edit", "Delete"]);

/**
 * Whether a program without a copy would have to ask about a call: before every write, and before every command that can't be proved to
 * read only, by a list of commands as such programs use it (tests, builds and scripts are on none, since they run what the project holds).
 */
export function wouldAsk({ name, input }: Call): boolean {
  if (WRITES.has(name)) return true;
  if (name !== "Bash") return false;
  if (input["network"] !== undefined || input["run_in_background"] === true) return true;
  const script = readScript(String(input["command"]));
  return script.opaque || !script.commands.every(onlyLooks);
}

/**
 * What such a program would remember of a "don't ask again": all edits of the session, or commands that begin with the same two words.
 * undefined: nothing, it asks each time (deletions, hosts, text that can't be taken apart).
 */
export function rememberedAs({ name, input }: Call): string | undefined {
  if (name === "Write" || name === "Edit") return "edits";
  if (name !== "Bash" || input["network"] !== undefined) return undefined;
  const script = readScript(String(input["command"]));
  const asking = script.commands.filter((c) => !onlyLooks(c));
  if (script.opaque || asking.length === 0) return undefined;
  const heads = asking.map((c) => c.words.slice(0, 2).map((w) => w.value));
  return [...new Set(heads.map((words) => words.join(" ")))].toSorted().join(" & ");
}

function onlyLooks({ words, program, bare }: SimpleCommand): boolean {
  const [, second = ""] = words.map((w) => w.value);
  // An expansion may be any option; a redirection or an assignment writes or changes what the program does.
  if (!bare || program === "") return false;
  if (program === "git")
    return GIT_LOOKS.has(second) && !words.some((w) => /^--(?:output|ext-diff|textconv)/.test(w.value));
  if (program === "find") return !words.some((w) => /^-(?:exec|ok|delete|fprint|fls)/.test(w.value));
  if (program === "node" || program === "npm") return words.length === 2 && second === "--version";
  if (program === "sort") return !words.some((w) => w.value.startsWith("-o") || w.value.startsWith("--output"));
  return LOOKS.has(program);
}
