import type { FileDiff } from "../../workspace/workspace.ts";
import type { SessionState } from "../../events/state.ts";
import { clean } from "../render/clean.ts";
import { diffLines } from "../render/diff.ts";
import { type EntryFacts, entryLines } from "../render/entry.ts";
import { personRows } from "../render/person.ts";
import { line, type Line, truncate, wrap } from "../render/spans.ts";
import { cardLines, cutColumns } from "../render/tool.ts";
import { cardOf } from "../render/transcript.ts";
import { duration } from "../render/units.ts";
import type { PagerPart } from "./parts.ts";

/** Rows of one thing in full: nothing is shortened but lines that no screen could show. */
export function partRows(part: PagerPart, facts: EntryFacts, width: number): Line[] {
  const { entry, at } = part;
  switch (entry.kind) {
    case "person":
      return [[], truncate(line(`── ${clock(at)}`, "dim"), width), ...personRows(entry.text, width)];
    case "thinking":
      return [
        [],
        truncate(line(`✻ thought ${duration(entry.ms ?? part.tookMs)} · ${clock(at)}`, "dim"), width),
        ...indented(entry.text.trim(), width),
      ];
    case "card":
      return [[], ...cardRows(entry.callId, at, facts, width)];
    case "shell":
      return [
        ...entryLines({ ...entry, event: { ...entry.event, output: "" } }, facts, width),
        ...indented(entry.event.output.trimEnd(), width),
      ];
    default:
      return entryLines(entry, facts, width);
  }
}

function cardRows(callId: string, at: string, facts: EntryFacts, width: number): Line[] {
  const state = facts.state();
  const card = cardOf(state, callId, facts.diffs(callId));
  if (card === undefined) return [];
  const [head = [], ...list] = cardLines({ ...card, text: "", diffs: undefined }, width);
  const told: Line = [...head, { text: ` · ${clock(at)}`, style: "dim" }];
  return [
    truncate(told, width),
    ...inputRows(state, callId, width),
    ...diffOf(card.diffs, width),
    ...list,
    ...indented(card.text.trimEnd(), width),
  ];
}

/** A command in full, where its head cuts it. */
function inputRows(state: SessionState, callId: string, width: number): Line[] {
  const command = state.calls.get(callId)?.input["command"];
  if (typeof command !== "string" || (command.length < width - 30 && !command.includes("\n"))) return [];
  return indented(command.trimEnd(), width, "  $ ");
}

function diffOf(diffs: readonly FileDiff[] | undefined, width: number): Line[] {
  if (diffs === undefined || diffs.length === 0) return [];
  return diffLines(diffs, { width: Math.max(1, width - 2) }).map((row): Line => [{ text: "  " }, ...row]);
}

function indented(text: string, width: number, first = "  "): Line[] {
  if (text === "") return [];
  const rest = line(width > 12 ? " ".repeat(first.length) : "");
  return clean(text)
    .split("\n")
    .flatMap((row, at) =>
      wrap(line(cutColumns(row)), {
        width,
        first: at === 0 && width > 12 ? line(first, "dim") : rest,
        rest,
        hard: true,
      }),
    );
}

/** The person's own time of day. */
function clock(at: string): string {
  const date = new Date(at);
  if (Number.isNaN(date.getTime())) return "--:--:--";
  return [date.getHours(), date.getMinutes(), date.getSeconds()].map((n) => String(n).padStart(2, "0")).join(":");
}
