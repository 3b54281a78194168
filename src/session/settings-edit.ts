import type { JsonNode } from "./jsonc.ts";
import { entryOf, indentOf, insertFirst } from "./mcp-edit.ts";
import { commaIn, cut } from "./rules-edit.ts";

/** Words of a key as a person writes it: `limits.session.usd`, `prices."gpt-4.1".input`. */
export function pathOf(key: string): string[] {
  return [...key.matchAll(/"([^"]*)"|([^."]+)/g)].map(([, quoted, plain]) => quoted ?? plain ?? "");
}

/** The node at a path of keys; undefined where nothing stands there. */
export function nodeAt(tree: JsonNode, path: readonly string[]): JsonNode | undefined {
  return path.reduce<JsonNode | undefined>(
    (node, key) => (node === undefined ? undefined : entryOf(node, key)?.value),
    tree,
  );
}

/** A settings text with a value at a path, in the place of what stands there; every other byte stays. The path is not empty. */
export function withValue(text: string, tree: JsonNode, path: readonly string[], value: unknown): string {
  const known = nodeAt(tree, path);
  const indent = indentOf(text, tree);
  const written = (depth: number, what: unknown) =>
    JSON.stringify(what, undefined, 2).replaceAll("\n", `\n${indent.repeat(depth)}`);
  if (known !== undefined) return text.slice(0, known.start) + written(path.length, value) + text.slice(known.end);
  const depth = path.findIndex((_, at) => nodeAt(tree, path.slice(0, at + 1)) === undefined);
  const object = nodeAt(tree, path.slice(0, depth)) ?? tree;
  const nested = path.slice(depth + 1).reduceRight<unknown>((inner, key) => ({ [key]: inner }), value);
  const entry = `${JSON.stringify(path[depth])}: ${written(depth + 1, nested)}`;
  return insertFirst(text, object, entry, indent.repeat(depth + 1), indent.repeat(depth));
}

/** The text without what stands at a path, its comma and the line that it had for itself; undefined where nothing does. */
export function withoutValue(text: string, tree: JsonNode, path: readonly string[]): string | undefined {
  const object = nodeAt(tree, path.slice(0, -1));
  if (object?.kind !== "object") return undefined;
  const at = object.entries.findIndex(({ key }) => key === path.at(-1));
  const entry = object.entries[at];
  if (entry === undefined) return undefined;
  const [start, end] = [entry.keyStart, entry.value.end];
  const before = object.entries[at - 1];
  const after = commaIn(text, end, object.entries[at + 1]?.keyStart ?? object.end - 1);
  const comma = after ?? (before === undefined ? undefined : commaIn(text, before.value.end, start));
  return cut(text, [{ start, end }, ...(comma === undefined ? [] : [{ start: comma, end: comma + 1 }])]);
}
