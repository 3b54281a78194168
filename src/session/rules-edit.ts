import type { Rule } from "../events/effect.ts";
import type { JsonNode } from "./jsonc.ts";

/** Whose files the person may change from within: everywhere, and for this project. */
export type WritableSource = "user" | "person";
type Action = Rule["action"];

/** A settings text with the rule behind the last of its action, or with what is missing for it at the head of its object. Every other byte stays. */
export function withRule(text: string, tree: JsonNode, action: Action, rule: string): string {
  const permissions = child(tree, "permissions");
  const list = permissions === undefined ? undefined : child(permissions, action);
  const quoted = JSON.stringify(rule);
  if (list?.kind === "list") {
    const last = list.items.at(-1);
    if (last === undefined) return insert(text, list.start + 1, quoted);
    const line = text.slice(text.lastIndexOf("\n", last.start) + 1, last.start);
    return insert(text, last.end, line.trim() === "" && line !== "" ? `,\n${line}${quoted}` : `, ${quoted}`);
  }
  const missing =
    permissions === undefined ? `"permissions": { "${action}": [${quoted}] }` : `"${action}": [${quoted}]`;
  const into = permissions ?? tree;
  const some = into.kind === "object" && into.entries.length > 0;
  return insert(text, into.start + 1, some ? ` ${missing},` : ` ${missing} `);
}

/** The text with another rule in the place of the one at `index`; comments and order stay. */
export function withOther(text: string, tree: JsonNode, action: Action, index: number, rule: string): string {
  const item = itemsOf(tree, action)[index];
  return item === undefined ? text : text.slice(0, item.start) + JSON.stringify(rule) + text.slice(item.end);
}

/** The text without the rule at `index` and its comma; a line that it had for itself goes along, every other byte stays. */
export function withoutRule(text: string, tree: JsonNode, action: Action, index: number): string {
  const items = itemsOf(tree, action);
  const item = items[index];
  if (item === undefined) return text;
  const before = items[index - 1];
  const after = commaIn(text, item.end, items[index + 1]?.start ?? listEnd(tree, action));
  const comma = after ?? (before === undefined ? undefined : commaIn(text, before.end, item.start));
  if (comma === undefined) return cut(text, [item]);
  // The comma in front goes with the blanks behind it.
  if (after === undefined && /^[ \t]*$/.test(text.slice(comma + 1, item.start)))
    return text.slice(0, comma) + text.slice(item.end);
  return cut(text, [item, { start: comma, end: comma + 1 }]);
}

/** The items of a list of rules, as they are written. */
export function itemsOf(tree: JsonNode, action: Action): readonly JsonNode[] {
  const permissions = child(tree, "permissions");
  const list = permissions === undefined ? undefined : child(permissions, action);
  return list?.kind === "list" ? list.items : [];
}

function listEnd(tree: JsonNode, action: Action): number {
  const permissions = child(tree, "permissions");
  const list = permissions === undefined ? undefined : child(permissions, action);
  return list?.end ?? tree.end;
}

/** Where a comma stands between two offsets, comments left aside. */
export function commaIn(text: string, from: number, to: number): number | undefined {
  const found = /^(?:[^,/]|\/\/[^\n]*|\/\*[\s\S]*?\*\/)*,/.exec(text.slice(from, to))?.[0];
  return found === undefined ? undefined : from + found.length - 1;
}

/** Takes spans out, from the last to the first: with the blanks behind one, or with its line where nothing else was on it. */
export function cut(text: string, gone: readonly { start: number; end: number }[]): string {
  let left = text;
  for (const { start, end } of gone.toSorted((a, b) => b.start - a.start)) {
    const lineStart = left.lastIndexOf("\n", start - 1) + 1;
    const lineEnd = left.indexOf("\n", end);
    const alone =
      lineEnd >= 0 && lineStart > 0 && (left.slice(lineStart, start) + left.slice(end, lineEnd)).trim() === "";
    if (alone) left = left.slice(0, lineStart) + left.slice(lineEnd + 1);
    else
      left =
        left.slice(0, start) +
        left.slice(end).replace(/^[ \t]+(?=\S)/, start > 0 && /[\s[]/.test(left[start - 1] ?? "") ? "" : "$&");
  }
  return left;
}

function child(node: JsonNode, key: string): JsonNode | undefined {
  return node.kind === "object" ? node.entries.find((e) => e.key === key)?.value : undefined;
}

function insert(text: string, at: number, added: string): string {
  return text.slice(0, at) + added + text.slice(at);
}
