import { type JsonNode, JsoncError, parseJsonc, placeOf } from "../session/jsonc.ts";
import { readSettingsText, SettingsError } from "../session/settings-file.ts";

/** A file of the person's own beside the settings (keys, a theme), written as settings are: JSON with comments. */
export interface OwnFile {
  entries: readonly { key: string; at: number; value: JsonNode }[];
  /** Notes what is wrong at an offset: `file:line: words`. */
  fail(at: number, words: string): void;
  /** In the order of the file. */
  problems: readonly string[];
}

/** Reads one; undefined where there is none. One that can't be read has a problem and no entries. */
export function readOwnFile(file: string): OwnFile | undefined {
  try {
    const text = readSettingsText(file, true);
    return text === undefined ? undefined : ownFile(file, text);
  } catch (error) {
    if (!(error instanceof SettingsError)) throw error;
    return { entries: [], fail: () => undefined, problems: error.problems };
  }
}

/** The same from its text. Pure. */
export function ownFile(file: string, text: string): OwnFile {
  const found: { at: number; words: string }[] = [];
  const fail = (at: number, words: string) =>
    void found.push({ at, words: `${file}:${placeOf(text, at).line}: ${words}` });
  const sorted = () => found.toSorted((a, b) => a.at - b.at).map(({ words }) => words);
  let entries: OwnFile["entries"] = [];
  try {
    const tree = parseJsonc(text);
    if (tree.kind === "object") entries = entriesOf(tree);
    else fail(0, "one object in { } is due");
  } catch (error) {
    if (!(error instanceof JsoncError)) throw error;
    fail(error.offset, error.message);
  }
  return {
    entries,
    fail,
    get problems() {
      return sorted();
    },
  };
}

/** The entries of an object with where their keys stand; none of anything else. */
export function entriesOf(node: JsonNode): OwnFile["entries"] {
  if (node.kind !== "object") return [];
  return node.entries.map(({ key, keyStart, value }) => ({ key, at: keyStart, value }));
}
