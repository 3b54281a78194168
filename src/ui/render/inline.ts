import type { MarkedToken, Token } from "marked";
import type { Style } from "../theme.ts";
import { safeHref } from "../term/links.ts";
import type { Line, Span } from "./spans.ts";

/** Inline Markdown to spans, cut into paragraphs at hard breaks. Link targets are shown as text: nothing hides where it leads. */
export function inlineLines(tokens: readonly Token[], style?: Style): Line[] {
  const lines: Span[][] = [[]];
  for (const span of tokens.flatMap((token) => spansOf(token, style))) {
    const [first = "", ...more] = span.text.split("\n");
    lines.at(-1)?.push({ ...span, text: first });
    for (const text of more) lines.push([{ ...span, text }]);
  }
  return lines;
}

function spansOf(token: Token, style: Style | undefined): Span[] {
  const known = token as MarkedToken;
  switch (known.type) {
    case "strong":
      return inner(known.tokens, style ?? "bold");
    case "em":
      return inner(known.tokens, style ?? "italic");
    case "del":
      return inner(known.tokens, style ?? "strike");
    case "codespan":
      return [{ text: unbroken(known.text), style: "code" }];
    case "br":
      return [{ text: "\n", style }];
    case "link":
      return linkSpans(inner(known.tokens, "link"), known.href);
    case "image":
      return linkSpans([{ text: `[${unbroken(known.text) || "image"}]`, style: "link" }], known.href);
    case "checkbox":
      return [];
    case "text":
      return known.tokens === undefined
        ? [{ text: known.text, style }]
        : known.tokens.flatMap((t) => spansOf(t, style));
    case "escape":
      return [{ text: known.text, style }];
    default:
      return [{ text: unbroken(known.raw), style }];
  }
}

function inner(tokens: readonly Token[], style: Style): Span[] {
  return tokens.flatMap((token) => spansOf(token, style));
}

/** Line ends inside code spans, labels and targets are blanks. In running text they stay: models end lines where they mean it. */
function unbroken(text: string): string {
  return text.replaceAll(/\s*\n\s*/g, " ");
}

function linkSpans(label: Span[], href: string): Span[] {
  const text = label.map((span) => span.text).join("");
  const safe = safeHref(href);
  // A host in letters that look like others is told as it is asked for.
  const foreign = safe !== undefined && /^https?:\/\/[^/?#]*xn--/.test(safe);
  const target = foreign ? safe : unbroken(href).replace(/^mailto:/, "");
  const leads = (span: Span): Span => (safe === undefined ? span : { ...span, href: safe });
  const shown = label.map(leads);
  return text === target || (text === href && !foreign)
    ? shown
    : [...shown, { text: " (", style: "dim" }, leads({ text: target, style: "dim" }), { text: ")", style: "dim" }];
}
