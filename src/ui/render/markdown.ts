import type { MarkedToken, Token, Tokens } from "marked";
import { later } from "../../util/later.ts";
import { clean } from "./clean.ts";
import { highlight } from "./highlight.ts";
import { inlineLines } from "./inline.ts";
import { line, type Line, trimEnd, wrap } from "./spans.ts";
import { tableLines } from "./table.ts";

/** Not with the start of the screen, which shows none. */
const marked = later<typeof import("marked")>("marked");
/** Beyond these marked gets slow or overflows the stack (a wall of ">"); such a text is shown as it is. */
const MAX_CHARS = 200_000;
const MAX_NESTING = 40;
const NESTED = new RegExp(`^(?:[ \\t]*[>*+-]){${MAX_NESTING}}|^ {${MAX_NESTING * 2},}[*+-] `, "m");

/** A model's text as rows of at most `width` columns (T-3). Never throws. */
export function markdown(source: string, width: number): Line[] {
  const text = clean(source).replace(/^\n+/, "").trimEnd();
  if (text === "") return [];
  if (text.length > MAX_CHARS || NESTED.test(text)) return plainLines(text, width);
  try {
    return trimBlank(blockLines(marked().lexer(text), Math.max(1, Math.floor(width))));
  } catch {
    return plainLines(text, width);
  }
}

/** Clean text as it is, wrapped. */
export function plainLines(text: string, width: number): Line[] {
  return text.split("\n").flatMap((row) => wrap(line(row), { width }));
}

function trimBlank(all: Line[]): Line[] {
  const rows = all.map(trimEnd);
  while (rows.at(-1)?.length === 0) rows.pop();
  return rows;
}

function blockLines(tokens: readonly Token[], width: number): Line[] {
  const rows: Line[] = [];
  for (const token of tokens) {
    if (token.type === "space" || token.type === "def") continue;
    const block = oneBlock(token as MarkedToken, width);
    if (rows.length > 0 && block.length > 0) rows.push([]);
    rows.push(...block);
  }
  return rows;
}

function oneBlock(token: MarkedToken, width: number): Line[] {
  switch (token.type) {
    case "heading":
      return inlineLines(token.tokens, "heading").flatMap((row) => wrap(row, { width }));
    case "paragraph":
      return inlineLines(token.tokens).flatMap((row) => wrap(row, { width }));
    case "text":
      return inlineLines(token.tokens ?? [token]).flatMap((row) => wrap(row, { width }));
    case "code":
      return codeLines(token.text, token.lang, width);
    case "blockquote":
      return prefixed(token.tokens, width, line("│ ", "dim"));
    case "list":
      return listLines(token, width);
    case "table":
      return tableOf(token, width);
    case "hr":
      return [line("─".repeat(Math.min(width, 20)), "dim")];
    default:
      return plainLines(token.raw.trim(), width);
  }
}

/** Code is never reflowed: each line is its own, cut where the row ends. */
function codeLines(text: string, lang: string | undefined, width: number): Line[] {
  const indent = width > 8 ? line("  ") : [];
  return highlight(text, lang).flatMap((row) => wrap(row, { width, first: indent, rest: indent, hard: true }));
}

function prefixed(tokens: readonly Token[], width: number, prefix: Line): Line[] {
  const room = Math.max(1, width - 2);
  if (room < 4) return blockLines(tokens, width);
  return blockLines(tokens, room).map((row) => [...prefix, ...row]);
}

function tableOf(token: Tokens.Table, width: number): Line[] {
  const cell = (c: Tokens.TableCell): Line => inlineLines(c.tokens).flatMap((row) => [...row]);
  return tableLines(
    token.header.map(cell),
    token.rows.map((row) => row.map(cell)),
    width,
  );
}

function listLines(list: Tokens.List, width: number): Line[] {
  const start = typeof list.start === "number" ? list.start : 1;
  const signs = list.items.map((item, at) => itemSign(list, item, start + at));
  const indent = Math.max(...signs.map((sign) => sign.length));
  return list.items.flatMap((item, at) => {
    const sign = signs[at] ?? "";
    if (width - indent < 4)
      return [...wrap(line(sign.trim(), "accent"), { width }), ...itemLines(item, list.loose, width)];
    const rows = itemLines(item, list.loose, width - indent);
    const body = rows.length === 0 ? [[]] : rows;
    const shown = body.map((row, y): Line => {
      if (y > 0 && row.length === 0) return [];
      return [y === 0 ? { text: sign.padStart(indent), style: "accent" } : { text: " ".repeat(indent) }, ...row];
    });
    return list.loose && at > 0 ? [[], ...shown] : shown;
  });
}

function itemSign(list: Tokens.List, item: Tokens.ListItem, n: number): string {
  if (item.task) return item.checked === true ? "[x] " : "[ ] ";
  return list.ordered ? `${n}. ` : "- ";
}

function itemLines(item: Tokens.ListItem, loose: boolean, width: number): Line[] {
  const tokens = item.tokens.filter((t) => t.type !== "space" && t.type !== "checkbox");
  if (loose) return blockLines(tokens, width);
  return tokens.flatMap((token) => oneBlock(token as MarkedToken, width));
}
