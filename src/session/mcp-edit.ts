import type { JsonNode } from "./jsonc.ts";
import { commaIn, cut } from "./rules-edit.ts";

const KEY = "mcpServers";

/** A settings text with a server behind the others, or in the place of one of that name; every other byte stays. */
export function withServer(text: string, tree: JsonNode, name: string, setting: object): string {
  const list = entryOf(tree, KEY)?.value;
  const indent = indentOf(text, tree);
  const value = JSON.stringify(setting, undefined, 2).replaceAll("\n", `\n${indent}${indent}`);
  const known = list === undefined ? undefined : entryOf(list, name);
  if (known !== undefined) return text.slice(0, known.value.start) + value + text.slice(known.value.end);
  const entry = `${JSON.stringify(name)}: ${value}`;
  if (list === undefined) return insertFirst(text, tree, `"${KEY}": {\n${indent}${indent}${entry}\n${indent}}`, indent);
  return insertFirst(text, list, entry, indent + indent, indent);
}

/** The text without a server, its comma and the line that it had for itself; undefined where there is none of that name. */
export function withoutServer(text: string, tree: JsonNode, name: string): string | undefined {
  const list = entryOf(tree, KEY)?.value;
  if (list?.kind !== "object") return undefined;
  const at = list.entries.findIndex((entry) => entry.key === name);
  const entry = list.entries[at];
  if (entry === undefined) return undefined;
  const next = list.entries[at + 1];
  const before = list.entries[at - 1];
  const start = entry.keyStart;
  const { end } = entry.value;
  const after = commaIn(text, end, next?.keyStart ?? list.end - 1);
  const comma = after ?? (before === undefined ? undefined : commaIn(text, before.value.end, start));
  return cut(
    text,
    comma === undefined
      ? [{ start, end }]
      : [
          { start, end },
          { start: comma, end: comma + 1 },
        ],
  );
}

/** The text with an entry ahead of all others of an object. */
export function insertFirst(text: string, object: JsonNode, entry: string, indent: string, outer = ""): string {
  const some = object.kind === "object" && object.entries.length > 0;
  const at = object.start + 1;
  return `${text.slice(0, at)}\n${indent}${entry}${some ? "," : `\n${outer}`}${text.slice(at)}`;
}

export function entryOf(node: JsonNode, key: string) {
  return node.kind === "object" ? node.entries.find((entry) => entry.key === key) : undefined;
}

/** How far its entries are moved in, as the file itself does. */
export function indentOf(text: string, tree: JsonNode): string {
  const first = tree.kind === "object" ? tree.entries[0] : undefined;
  if (first === undefined) return "  ";
  const line = text.slice(text.lastIndexOf("\n", first.keyStart) + 1, first.keyStart);
  return /^[ \t]+$/.test(line) ? line : "  ";
}
