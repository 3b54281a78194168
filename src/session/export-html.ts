import type { LogEvent } from "../events/event.ts";
import type { SessionState } from "../events/state.ts";
import { assertNever } from "../util/never.ts";
import { headOfExport, type Part, partsOf, plainText } from "./export-parts.ts";

/** How a page of ours begins: nothing is loaded by it and nothing runs, by its own policy. `style`: ours, never anybody's text. */
export function htmlHead(title: string, style: string): string {
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'">
<meta name="referrer" content="no-referrer">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escaped(title)}</title>
<style>${style}</style>
</head>
<body>
`;
}

/**
 * The conversation as one page that needs nothing else: no script, no picture, no address is loaded, and its policy allows none, so that
 * nothing in the conversation can do anything in a browser.
 */
export function* exportHtml(state: SessionState, events: readonly LogEvent[]): Generator<string> {
  const { title, facts } = headOfExport(state);
  const rows = facts.map(([name, value]) => `<tr><th>${escaped(name)}</th><td>${escaped(value)}</td></tr>`).join("");
  yield `${htmlHead(title, STYLE)}<main>
<h1>${escaped(title)}</h1>
<table>${rows}</table>
`;
  for (const part of partsOf(state, events)) yield `${partHtml(part)}\n`;
  yield "</main>\n</body>\n</html>\n";
}

const STYLE = `
:root { color-scheme: light dark; font: 16px/1.5 system-ui, sans-serif; }
body { margin: 0; } main { max-width: 52rem; margin: 0 auto; padding: 1.5rem 1rem 4rem; }
h1 { font-size: 1.4rem; overflow-wrap: anywhere; } table { font-size: .85rem; text-align: left; margin-bottom: 1.5rem; } th { padding-right: 1rem; font-weight: 600; vertical-align: top; }
.text { white-space: pre-wrap; overflow-wrap: anywhere; margin: 1rem 0; }
.person { border-left: 3px solid #3b82f6; padding: .25rem 1rem; } .end { opacity: .7; font-style: italic; }
details { margin: .5rem 0; border: 1px solid #8884; border-radius: 6px; padding: .25rem .75rem; } summary { cursor: pointer; font: .85rem ui-monospace, monospace; overflow-wrap: anywhere; }
pre { white-space: pre-wrap; overflow-wrap: anywhere; font: .8rem/1.45 ui-monospace, monospace; }
.error summary, .denied summary { color: #dc2626; } time { opacity: .6; font-size: .75rem; }
`;

/** A piece of a conversation as HTML in which nothing of it is more than text. */
export function partHtml(part: Part): string {
  const time = `<time>${escaped(part.at)}</time>`;
  switch (part.kind) {
    case "person": {
      const files = part.files === 0 ? "" : ` (with ${part.files} ${part.files === 1 ? "file" : "files"})`;
      return `<section class="text person">${time}\n${escaped(part.text.trim())}${files}</section>`;
    }
    case "reply": {
      const cut = part.cut === undefined ? "" : `\n(broke off: ${escaped(part.cut)})`;
      return `<section class="text reply">${escaped(part.text.trim())}${cut}</section>`;
    }
    case "call": {
      const landed = part.landed.length === 0 ? "" : `<p>Landed: ${part.landed.map(escaped).join(", ")}</p>`;
      const head = `${escaped(part.tool)} · ${escaped(part.status)}`;
      return `<details class="${part.status === "ok" ? "call" : escaped(part.status)}"><summary>${head}</summary><pre>${escaped(part.input)}</pre><pre>${escaped(part.result)}</pre>${landed}</details>`;
    }
    case "end":
      return `<p class="end">Ended: ${escaped(part.reason)}${part.detail === "" ? "" : `, ${escaped(part.detail)}`}</p>`;
    default:
      return assertNever(part);
  }
}

const SIGNS: Readonly<Record<string, string>> = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;", "'": "&#39;" };

/** A text as HTML shows it, in an element or between quotes. */
export function escaped(text: string): string {
  return plainText(text).replaceAll(/[&<>"']/g, (sign) => SIGNS[sign] ?? "");
}
