import type { SessionState } from "../../events/state.ts";
import type { Entry } from "../store/entry.ts";
import type { FileDiff } from "../../workspace/workspace.ts";
import { agentOf } from "./agent.ts";
import { cleanRow } from "./clean.ts";
import { markdown } from "./markdown.ts";
import { personLines } from "./person.ts";
import { line, type Line, truncate, wrap } from "./spans.ts";
import { todoLines } from "./todo.ts";
import { type Card, cardLines, outputRows } from "./tool.ts";
import { cardOf, factLines } from "./transcript.ts";
import { duration, several } from "./units.ts";

/** What the transcript needs beside its entries. */
export interface EntryFacts {
  state(): SessionState;
  /** Diffs that a question showed, by call. */
  diffs(callId: string): readonly FileDiff[] | undefined;
}

/** Rows of one entry of the transcript, the blank row before it included; none for what leaves no trace. */
export function entryLines(entry: Entry, facts: EntryFacts, width: number): Line[] {
  const rows = bodyOf(entry, facts, width);
  if (rows.length === 0) return [];
  const close = (entry.kind === "markdown" && entry.cont) || entry.kind === "fact";
  return close ? rows : [[], ...rows];
}

function bodyOf(entry: Entry, facts: EntryFacts, width: number): Line[] {
  switch (entry.kind) {
    case "person":
      return personLines(entry.text, width);
    case "markdown":
      return markdown(entry.source, width);
    case "thinking":
      return [truncate(line(`✻ thought ${thoughtFor(entry)} (Ctrl-O)`, "dim"), width)];
    case "card": {
      const rows = cardLines(cardFor(entry, facts), width);
      return entry.told === true && rows.length === 1 ? [] : rows;
    }
    case "todos":
      return todoLines(entry.todos, width, Math.max(1, entry.todos.length));
    case "shell":
      return shellLines(entry.event, width);
    case "fact":
      return factLines(entry.event, width, facts.state().folder) ?? [];
    case "notice":
      return wrap(line(cleanRow(entry.text), "warning"), { width });
  }
}

/** Seconds; how much it was where nobody saw it come. */
function thoughtFor({ ms, text }: Extract<Entry, { kind: "thinking" }>): string {
  return ms === undefined ? several(text.trim().split(/\s+/).length, "word") : duration(ms);
}

function cardFor(entry: Extract<Entry, { kind: "card" }>, facts: EntryFacts): Card {
  const state = facts.state();
  const known = cardOf(state, entry.callId, facts.diffs(entry.callId));
  const agent = agentOf(entry.result.details);
  if (known !== undefined) return agent === undefined ? known : { ...known, agent };
  const { tool, input, result } = entry;
  return { tool, input, status: result.status, text: "", durationMs: result.durationMs, folder: state.folder };
}

function shellLines(event: Extract<Entry, { kind: "shell" }>["event"], width: number): Line[] {
  const failed = event.exit !== 0;
  const end = event.exit === 0 ? "" : event.exit === null ? " · stopped" : ` · exit ${event.exit}`;
  const head = wrap(
    [
      { text: event.outside ? "!! " : "! ", style: "warning" },
      { text: cleanRow(event.command), style: "bold" },
      { text: end, style: "error" },
      { text: event.keys === undefined ? "" : ` · ${several(event.keys, "key")} hidden`, style: "dim" },
    ],
    { width },
  );
  const inset = width > 12 ? "  " : "";
  const body = outputRows(event.output, width - inset.length, 20, failed).map((row): Line => [{ text: inset }, ...row]);
  return [...head, ...body];
}
