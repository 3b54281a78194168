import type { LogEvent } from "../events/event.ts";
import type { CallRow, TotalRow, TraceRow, TurnRow } from "./trace.ts";

/** The sums of a trace. Its price is known where that of every turn is. */
export function totalOf(rows: readonly TraceRow[], events: readonly LogEvent[]): TotalRow {
  const turns = rows.filter((row): row is TurnRow => row.kind === "turn");
  const calls = rows.filter((row): row is CallRow => row.kind === "call");
  const verdicts = calls.flatMap((call) => call.verdicts);
  const landed = events.filter((e) => e.type === "changes.landed");
  const add = (of: (turn: TurnRow) => number): number => turns.reduce((sum, turn) => sum + of(turn), 0);
  const answered = (outcome: "allow" | "deny"): number =>
    verdicts.filter((v) => v.by === "person" && v.outcome === outcome).length;
  const known = turns.every((turn) => turn.usd !== undefined);
  return {
    kind: "total",
    turns: turns.filter((t) => t.stop !== "void").length,
    context: add((t) => t.context),
    cacheRead: add((t) => t.cacheRead),
    cacheWrite: add((t) => t.cacheWrite),
    output: add((t) => t.output),
    ...(known ? { usd: add((t) => t.usd ?? 0) } : {}),
    ms: rows.reduce((sum, row) => sum + (row.kind === "end" ? row.ms : 0), 0),
    calls: calls.length,
    asked: new Set(events.flatMap((e) => (e.type === "permission.asked" ? [e.questionId] : []))).size,
    yes: answered("allow"),
    no: answered("deny"),
    denied: calls.filter((call) => call.status === "denied").length,
    errors: calls.filter((call) => call.status === "error").length,
    unknown: calls.filter((call) => call.status === "unknown").length,
    landed: landed.length,
    files: landed.reduce((sum, e) => sum + e.summary.files, 0),
    end: endOf(events),
  };
}

/** "open" where the last prompt's query has no end yet. */
function endOf(events: readonly LogEvent[]): string {
  const last = events.findLast(
    (e) => e.type === "query.finished" || (e.type === "prompt.submitted" && e.when === "start"),
  );
  return last?.type === "query.finished" ? last.reason : "open";
}
