import { readdirSync } from "node:fs";
import { join } from "node:path";

const MOST = 40;
/** Names alone, no sentences: what stands in a note is taken for the program's words. */
const PLAIN = /^[\w.@+-]{1,32}$/;

/**
 * What the folder holds at its top, for the first note: "lib/, package.json, test/ and 3 more", folders with a slash. Empty where it holds
 * nothing, or can't be read. @param hidden absolute paths that the model may not know of
 */
export function topNames(folder: string, hidden: (path: string) => boolean): string {
  let found: { name: string; isDirectory(): boolean }[];
  try {
    found = readdirSync(folder, { withFileTypes: true });
  } catch {
    return "";
  }
  const open = found.filter(({ name }) => name !== ".git" && !hidden(join(folder, name)));
  const plain = open.filter(({ name }) => PLAIN.test(name)).map((e) => `${e.name}${e.isDirectory() ? "/" : ""}`);
  const shown = plain.toSorted().slice(0, MOST);
  const more = open.length - shown.length;
  return `${shown.join(", ")}${more === 0 ? "" : ` and ${more} more`}`.trim();
}
