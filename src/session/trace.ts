import type { LogEvent, LogEventOf } from "../events/event.ts";

/** One line of a session's trace (E6): a model's reply, a call, or the end of a query. Times in ms, tokens as the API counts. */
export type TraceRow =
  | { kind: "prompt"; at: string; text: string }
  | {
      kind: "reply";
      at: string;
      turn: number;
      model: string;
      input: number;
      cached: number;
      output: number;
      ms: number;
      stop: string;
      calls: number;
    }
  | {
      kind: "call";
      at: string;
      turn: number;
      callId: string;
      tool: string;
      input: string;
      decision: string;
      status: string;
      landed: string;
      chars: number;
      ms: number;
    }
  | { kind: "end"; at: string; reason: string; turns: number; ms: number };

/** The table of turns, out of the log alone. */
export function traceOf(events: readonly LogEvent[]): TraceRow[] {
  const rows: TraceRow[] = [];
  const facts = factsByCall(events);
  const asked = new Map<string, { name: string; input: string; turn: number }>();
  for (const event of events) {
    switch (event.type) {
      case "prompt.submitted":
        rows.push({
          kind: "prompt",
          at: event.at,
          text: event.content.map((b) => (b.type === "text" ? b.text : `[${b.type}]`)).join(" "),
        });
        break;
      case "reply.completed":
        rows.push(replyRow(event));
        for (const b of event.blocks) {
          if (b.type === "tool_use")
            asked.set(b.id, { name: b.name, input: JSON.stringify(b.input), turn: event.turn });
        }
        break;
      case "call.finished":
        rows.push(callRow(event, asked.get(event.callId), facts.get(event.callId) ?? []));
        break;
      case "query.finished":
        rows.push({ kind: "end", at: event.at, reason: event.reason, turns: event.turns, ms: event.durationMs });
        break;
      default:
        break;
    }
  }
  return rows;
}

type CallFact = LogEventOf<
  "permission.decided" | "changes.landed" | "changes.dropped" | "changes.conflicted" | "changes.kept"
>;

function factsByCall(events: readonly LogEvent[]): Map<string, CallFact[]> {
  const facts = new Map<string, CallFact[]>();
  for (const event of events) {
    switch (event.type) {
      case "permission.decided":
      case "changes.landed":
      case "changes.dropped":
      case "changes.conflicted":
      case "changes.kept": {
        if (event.callId === undefined) break;
        const of = facts.get(event.callId);
        if (of === undefined) facts.set(event.callId, [event]);
        else of.push(event);
        break;
      }
      default:
        break;
    }
  }
  return facts;
}

function replyRow(e: LogEventOf<"reply.completed">): TraceRow {
  const { input, output, cacheRead, cacheWrite } = e.usage;
  return {
    kind: "reply",
    at: e.at,
    turn: e.turn,
    model: e.model,
    input: input + cacheRead + cacheWrite,
    cached: cacheRead,
    output,
    ms: e.durationMs,
    stop: e.stopReason,
    calls: e.blocks.filter((b) => b.type === "tool_use").length,
  };
}

function callRow(
  e: LogEventOf<"call.finished">,
  call: { name: string; input: string; turn: number } | undefined,
  facts: readonly CallFact[],
): TraceRow {
  const decided = facts.filter((fact) => fact.type === "permission.decided");
  const changes = facts.filter((fact) => fact.type !== "permission.decided");
  return {
    kind: "call",
    at: e.at,
    turn: call?.turn ?? 0,
    callId: e.callId,
    tool: call?.name ?? "",
    input: call?.input ?? "",
    decision:
      decided.map((d) => `${d.outcome} by ${d.by} (${d.risk}: ${d.reason})`).join("; ") || "allow by policy (low)",
    status: e.status,
    landed: changes.map((c) => c.type.slice("changes.".length)).join(", "),
    chars: e.content.reduce((n, b) => n + (b.type === "text" ? b.text.length : b.source.data.length), 0),
    ms: e.durationMs,
  };
}
