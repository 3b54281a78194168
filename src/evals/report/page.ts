import { escaped, htmlHead } from "../../session/export-html.ts";
import { PAGE_STYLE } from "./page-style.ts";
import type { Report, Section, Table } from "./report.ts";

/** What a page shows beside the texts of its report. Already HTML. */
export interface PageParts {
  /** By a section's title: what stands above its table, or in its place. */
  pictures: Readonly<Record<string, string>>;
  /** In place of a section's table. */
  instead: Readonly<Record<string, string>>;
  /** Behind everything: what is shown only when it is chosen. */
  behind: readonly string[];
}

/**
 * A report as one page that needs nothing else: no script, no address is loaded, and its policy allows none, so that nothing that a model or file said can do anything
 * in a browser. What is one click away is a target of the page's own. In pieces.
 */
export function* pageOf({ title, verdict, facts, sections }: Report, parts: PageParts): Generator<string> {
  const [first, ...rest] = verdict;
  yield `${htmlHead(title, PAGE_STYLE)}<main id="top">
<h1>${escaped(title)}</h1>
<p class="verdict">${escaped(first ?? "")}</p>
${rest.map((text) => `<p>${escaped(text)}</p>`).join("\n")}
<dl>${facts.map(([name, value]) => `<div><dt>${escaped(name)}</dt><dd>${escaped(value)}</dd></div>`).join("")}</dl>
`;
  for (const section of sections) yield `${sectionHtml(section, parts)}\n`;
  yield "</main>\n";
  for (const part of parts.behind) yield `${part}\n`;
  yield "</body>\n</html>\n";
}

function sectionHtml({ title, lines, table, notes }: Section, { pictures, instead }: PageParts): string {
  const body = instead[title] ?? (table === undefined ? "" : tableHtml(table));
  return [
    `<section><h2>${escaped(title)}</h2>`,
    ...lines.map((text) => `<p>${escaped(text)}</p>`),
    pictures[title] ?? "",
    body,
    notes.length === 0 ? "" : `<p class="note">${notes.map(escaped).join(" ")}</p>`,
    "</section>",
  ].join("\n");
}

function tableHtml({ header, rows, right = [] }: Table): string {
  const cells = (row: readonly string[], tag: "th" | "td"): string =>
    row.map((text, at) => `<${tag}${right.includes(at) ? ' class="right"' : ""}>${escaped(text)}</${tag}>`).join("");
  const body = rows.map((row) => `<tr>${cells(row, "td")}</tr>`).join("");
  return `<div class="wide"><table><thead><tr>${cells(header, "th")}</tr></thead><tbody>${body}</tbody></table></div>`;
}
