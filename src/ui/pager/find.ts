import { type Line, type Span, textOfLine } from "../render/spans.ts";

/** Small letters find both; a capital finds itself alone. */
export function folded(text: string, query: string): string {
  return query === query.toLowerCase() ? text.toLowerCase() : text;
}

/** Whether a row's text holds what is looked for. */
export function holds(text: string, query: string): boolean {
  return query !== "" && folded(text, query).includes(query);
}

/** The row with every place marked that holds what is looked for. */
export function marked(row: Line, query: string): Line {
  const text = textOfLine(row);
  const plain = folded(text, query);
  // A letter that is longer in small would shift every place behind it.
  if (query === "" || plain.length !== text.length) return row;
  const spans: Span[] = [];
  let from = 0;
  for (let at = plain.indexOf(query); at >= 0; at = plain.indexOf(query, from)) {
    spans.push(...slice(row, from, at));
    spans.push({ text: text.slice(at, at + query.length), style: "selected" });
    from = at + query.length;
  }
  return from === 0 ? row : [...spans, ...slice(row, from, text.length)];
}

function slice(row: Line, from: number, to: number): Span[] {
  const spans: Span[] = [];
  let at = 0;
  for (const { text, style } of row) {
    const piece = text.slice(Math.max(0, from - at), Math.max(0, to - at));
    if (piece !== "") spans.push({ text: piece, style });
    at += text.length;
  }
  return spans;
}
