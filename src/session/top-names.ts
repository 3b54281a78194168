import { readdirSync } from "node:fs";
import { join } from "node:path";

const MOST = 40;
/** Names alone, no sentences: what stands in a note is taken for the program's words. */
const PLAIN = /^[\w.@+-]{1,32}$/;

/**
 * What the folder holds, for the first note: "index.js, lib/a.js, test/ and 3 more". Its top, and where there is room for all of it one level
 * more; a folder that is not gone into ends with a slash. Empty where it holds nothing, or can't be read.
 * @param hidden absolute paths that the model may not know of
 */
export function topNames(folder: string, hidden: (path: string) => boolean): string {
  const top = namesIn(folder, hidden);
  let left = MOST - top.names.length;
  let more = top.others;
  const names = top.names.flatMap((name) => {
    if (!name.endsWith("/") || name === "node_modules/") return [name];
    const below = namesIn(join(folder, name), hidden);
    if (below.names.length === 0 || below.others > 0 || below.names.length > left) return [name];
    left -= below.names.length;
    return below.names.map((inner) => name + inner);
  });
  more += Math.max(0, names.length - MOST);
  return `${names.slice(0, MOST).join(", ")}${more === 0 ? "" : ` and ${more} more`}`.trim();
}

/** Plain names in order, folders with a slash; `others`: how many are not plain. */
function namesIn(folder: string, hidden: (path: string) => boolean): { names: string[]; others: number } {
  try {
    const found = readdirSync(folder, { withFileTypes: true }).filter(
      ({ name }) => name !== ".git" && !hidden(join(folder, name)),
    );
    const plain = found.filter(({ name }) => PLAIN.test(name));
    const names = plain.map((entry) => `${entry.name}${entry.isDirectory() ? "/" : ""}`).toSorted();
    return { names, others: found.length - plain.length };
  } catch {
    return { names: [], others: 0 };
  }
}
