import { sanitize } from "../../util/visible.ts";
import type { Report, Section, Table } from "./report.ts";

/** A report for a pull request: the verdict in sight, what it stands on folded away. */
export function markdownOf({ title, verdict, facts, sections }: Report): string {
  const [first, ...rest] = sections;
  const blocks = [
    `### ${cell(title)}`,
    `**${cell(verdict[0] ?? "")}**`,
    ...verdict.slice(1).map(cell),
    ...(first === undefined ? [] : sectionOf(first)),
    "<details><summary>Figures</summary>",
    ...rest.flatMap(sectionOf),
    facts.map(([name, value]) => `${cell(name)}: ${cell(value)}`).join(" · "),
    "</details>",
  ];
  return `${blocks.join("\n\n")}\n`;
}

function sectionOf({ title, lines, table, notes }: Section): string[] {
  return [
    `#### ${cell(title)}`,
    ...lines.map(cell),
    ...(table === undefined ? [] : [tableOf(table)]),
    ...(notes.length === 0 ? [] : [notes.map(cell).join(" ")]),
  ];
}

function tableOf({ header, rows, right = [] }: Table): string {
  const row = (cells: readonly string[]): string => `| ${cells.map(cell).join(" | ")} |`;
  const rule = `|${header.map((_, at) => (right.includes(at) ? "---:" : "---")).join("|")}|`;
  return [row(header), rule, ...rows.map(row)].join("\n");
}

/** One line of text that Markdown and its HTML take for nothing but text; nobody is called by it, no issue named, no address linked. */
function cell(text: string): string {
  return sanitize(text)
    .replaceAll(/\s+/g, " ")
    .replaceAll("&", "&amp;")
    .replaceAll(/[@#](?=\w)/g, "$&&#8203;")
    .replaceAll("<", "&lt;")
    .replaceAll(/[\\`*_[\]|~]/g, (sign) => `&#${sign.charCodeAt(0)};`)
    .replaceAll(/(https?|ftp|mailto|xmpp):/gi, "$1&#58;")
    .replaceAll(/\b(www)\./gi, "$1&#46;");
}
