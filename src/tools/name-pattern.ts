import picomatch from "picomatch";

/** Bounds that keep a pattern's cost near that of reading the names. */
const MOST_LETTERS = 1000;
const MOST_STARS = 6;
const MOST_GLOBSTARS = 8;

export type Matches = (path: string) => boolean;

/**
 * A glob as a test of relative paths. `*` stays in a folder, `**` goes through them, `{a,b}`, `[a-z]` and `?` work; dot files count. Brackets
 * match what they stand for and a file of that very name as well (`[id].tsx`). Text is a problem, for the model.
 */
export function namePattern(glob: string): Matches | string {
  const bad = problem(glob);
  if (bad !== undefined) return bad;
  const short = glob.replace(/(\*\*\/)+/g, "**/");
  const test = (pattern: string): Matches => picomatch(pattern, { dot: true, noextglob: true, nonegate: true });
  const literal = short.replace(/[[\]]/g, "\\$&");
  const [asClass, asName] = [test(short), literal === short ? undefined : test(literal)];
  return (path) => asClass(path) || asName?.(path) === true;
}

function problem(glob: string): string | undefined {
  if (glob === "") return "The pattern is empty.";
  if (glob.length > MOST_LETTERS) return `The pattern has ${glob.length} characters; up to ${MOST_LETTERS} are taken.`;
  if (glob.includes("\0")) return "The pattern holds a NUL character.";
  const short = glob.replace(/(\*\*\/)+/g, "**/");
  const segments = short.split("/");
  const stars = Math.max(...segments.map((part) => part.replace(/\*+/g, "*").split("*").length - 1));
  if (stars > MOST_STARS) return `The pattern has ${stars} stars in one name; up to ${MOST_STARS} are taken.`;
  const deep = segments.filter((part) => part === "**").length;
  if (deep > MOST_GLOBSTARS) return `The pattern has ${deep} times "**"; up to ${MOST_GLOBSTARS} are taken.`;
  return undefined;
}

/**
 * The test of Grep's `glob`: without a slash it is about names in any folder, with one about paths from the search's folder (or the working folder) on. A leading `!`
 * turns it round. `prefilter`: a pattern for ripgrep that lets at least these through.
 */
export function grepPattern(glob: string): { matches: Matches; prefilter?: string } | string {
  const negative = glob.startsWith("!");
  const bare = negative ? glob.slice(1) : glob;
  const plain = bare.replace(/^\.?\//, "");
  const test = namePattern(plain.includes("/") ? plain : `**/${plain}`);
  if (typeof test === "string") return test;
  if (negative) return { matches: (path) => !test(path) };
  const name = plain.split("/").at(-1) ?? "";
  const simple = /^[\w.*?-]+$/.test(name) && !/^\*+$/.test(name);
  return { matches: test, ...(simple ? { prefilter: name } : {}) };
}
