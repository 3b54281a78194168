import type { LogEvent } from "../events/event.ts";
import type { SessionState } from "../events/state.ts";
import { assertNever } from "../util/never.ts";
import { visible } from "../util/visible.ts";
import { headOfExport, type Part, partsOf, plainText } from "./export-parts.ts";

/** The conversation as Markdown: the person's words quoted, replies as they are, calls with input and result in fences. */
export function* exportMarkdown(state: SessionState, events: readonly LogEvent[]): Generator<string> {
  const { title, facts } = headOfExport(state);
  yield `# ${line(title)}\n\n${facts.map(([name, value]) => `- ${name}: ${line(value)}`).join("\n")}\n`;
  for (const part of partsOf(state, events)) yield `\n${markdownOf(part)}\n`;
}

function markdownOf(part: Part): string {
  switch (part.kind) {
    case "person": {
      const files = part.files === 0 ? "" : `\n>\n> (with ${part.files} ${part.files === 1 ? "file" : "files"})`;
      return `## ${part.steered ? "Said meanwhile" : "You"}\n\n${plainText(part.text.trim())
        .split("\n")
        .map((row) => `> ${row}`)
        .join("\n")}${files}`;
    }
    case "reply":
      return `${plainText(part.text.trim())}${part.cut === undefined ? "" : `\n\n*(broke off: ${line(part.cut)})*`}`;
    case "call": {
      const landed =
        part.landed.length === 0 ? "" : `\n\nLanded: ${part.landed.map((path) => `\`${line(path)}\``).join(", ")}`;
      const result = part.result.trim() === "" ? "" : `\n\n${fenced(plainText(part.result))}`;
      return `### ${line(part.tool)} (${part.status})\n\n${fenced(plainText(part.input), "json")}${result}${landed}`;
    }
    case "end":
      return `*(ended: ${part.reason}${part.detail === "" ? "" : `, ${line(part.detail)}`})*`;
    default:
      return assertNever(part);
  }
}

/** A fence that nothing inside can end. */
function fenced(text: string, language = ""): string {
  const longest = Math.max(2, ...[...text.matchAll(/`+/g)].map((m) => m[0].length));
  const fence = "`".repeat(longest + 1);
  return `${fence}${language}\n${text.replace(/\n$/, "")}\n${fence}`;
}

function line(text: string): string {
  return visible(text, "");
}
