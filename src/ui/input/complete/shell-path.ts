/** The path that is being typed in a shell line: where its word begins, the folder that it names so far, and the name's beginning. */
export interface TypedPath {
  from: number;
  folder: string;
  name: string;
}

/** What the shell could read as something else. */
const SIGNS = /[^\w@%+=:,./^\u0080-\uffff-]/g;

/** The word before the cursor, as a path; blanks of its own are escaped by a backslash. Quotes are not followed: undefined inside them. */
export function typedPath(text: string, cursor: number): TypedPath | undefined {
  const before = text.slice(0, cursor);
  if (((before.match(/(?<!\\)"/g)?.length ?? 0) % 2) + ((before.match(/(?<!\\)'/g)?.length ?? 0) % 2) > 0)
    return undefined;
  const word = /(?:\\.|[^\s;|&<>()`'"=!])*$/.exec(before)?.[0] ?? "";
  const plain = word.replace(/\\(.)/g, "$1");
  const cut = plain.lastIndexOf("/") + 1;
  return { from: cursor - word.length, folder: plain.slice(0, cut), name: plain.slice(cut) };
}

/** A file of the folder that is being typed. */
export interface PathName {
  name: string;
  folder: boolean;
}

/**
 * What takes the word's place: the one name that fits, with what ends it, or as much as all that fit have in common. `names`: all that
 * fit, where there are several. undefined: none fits.
 */
export function completedPath(
  typed: TypedPath,
  all: readonly PathName[],
): { word: string; names: string[] } | undefined {
  // A name with a line end can't be written by a backslash.
  const fit = all.filter(
    ({ name }) => name.startsWith(typed.name) && (typed.name !== "" || !name.startsWith(".")) && !/\p{Cc}/u.test(name),
  );
  const [first, ...more] = fit;
  if (first === undefined) return undefined;
  const names = fit.map(({ name, folder }) => (folder ? `${name}/` : name)).toSorted();
  if (more.length === 0) return { word: `${written(typed, first.name)}${first.folder ? "/" : " "}`, names: [] };
  const common = more.reduce((so, { name }) => shared(so, name), first.name);
  return { word: written(typed, common), names };
}

function shared(a: string, b: string): string {
  let n = 0;
  while (n < a.length && a[n] === b[n]) n++;
  // Never half of a character of two units.
  return a.slice(0, n).replace(/[\ud800-\udbff]$/, "");
}

/** The person's own `~/` stays what it is. */
function written({ folder }: TypedPath, name: string): string {
  const home = folder.startsWith("~/") ? "~/" : "";
  return home + `${folder.slice(home.length)}${name}`.replace(SIGNS, "\\$&");
}
