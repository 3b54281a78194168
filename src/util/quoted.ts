import { visible } from "./visible.ts";

/** Signs by which a name could pass for words around it: blanks, marks between names, brackets of notes and tags. */
const LIKE_WORDS = /[\s",;:<>→]|^[[(]|[\])]$|^$/u;

/**
 * A name as it stands among words, for a person or the model: what can't be seen written out (`visible`), and in quotation marks where it
 * could be read as more than one name, or as words of the program. Quotation marks in it are written out too, so it can be read back.
 */
export function quoted(name: string): string {
  const shown = visible(name, "");
  return LIKE_WORDS.test(shown) ? `"${shown.replaceAll('"', "\\u{22}")}"` : shown;
}
