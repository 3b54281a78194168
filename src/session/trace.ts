import { textOf } from "../events/block.ts";
import { called } from "../events/called.ts";
import type { Mode } from "../events/effect.ts";
import type { CallStatus, LogEvent, LogEventOf } from "../events/event.ts";
import { costOf, type Prices } from "./prices.ts";
import { callRows } from "./trace-calls.ts";
import { factText } from "./trace-facts.ts";
import { totalOf } from "./trace-total.ts";

/** One verdict on a call: of its needs before it ran, or of what it would change. `asked`: somebody was asked. */
export interface TraceVerdict {
  gate: "needs" | "changes";
  asked: boolean;
  outcome: "allow" | "deny";
  by: LogEventOf<"permission.decided">["by"];
  risk: LogEventOf<"permission.decided">["risk"];
  reason: string;
  /** The rule that decided, with its source. */
  rule?: string;
  /** The person's words beside the answer. */
  note?: string;
}

/** What became of a call's changes, in words. */
export type TraceChange = { what: "landed" | "pended" | "kept" | "dropped" | "conflicted"; text: string };

/** A reply of the model. Tokens as the API counts; `context` is all that was sent: input, cache read and cache write together. */
export interface TurnRow {
  kind: "turn";
  seq: number;
  at: string;
  turn: number;
  model: string;
  context: number;
  cacheRead: number;
  cacheWrite: number;
  output: number;
  /** USD; absent where no price is known. */
  usd?: number;
  ms: number;
  attempts: number;
  /** Its text as one line, the first 200 characters. */
  text: string;
  /** Characters of its whole text. */
  chars: number;
  /** Tools that it calls, in order. */
  calls: string[];
  stop: string;
  /** Why the reply broke off (`stop` cut: what there is of it is kept; void: it was asked for anew). */
  cut?: string;
}

/** What the program did with a call. `open`: it has no result yet, and `resume` says what becomes of it. */
export interface CallRow {
  kind: "call";
  /** Its number in the session, from 1: `agent why` takes it. */
  n: number;
  seq: number;
  at: string;
  turn: number;
  callId: string;
  tool: string;
  /** JSON, of what ran where that differs from what the model asked for. */
  input: string;
  /** JSON of what the model asked for, where the person ran something else in its place. */
  asked?: string;
  /** How often it was begun; 0: it never ran. */
  attempts: number;
  operationId?: string;
  verdicts: TraceVerdict[];
  changes: TraceChange[];
  /** What it did beyond the copy, which no undo takes back. */
  outside?: string;
  status: CallStatus | "open";
  resume?: string;
  /** Errors of this tool in a row, this one included. */
  failures: number;
  /** Characters of the result. */
  chars: number;
  ms: number;
}

/** Sums. `asked` counts questions, `denied` and `unknown` calls, `landed` steps, `files` those in them. */
export interface TotalRow {
  kind: "total";
  turns: number;
  context: number;
  cacheRead: number;
  cacheWrite: number;
  output: number;
  usd?: number;
  ms: number;
  calls: number;
  asked: number;
  yes: number;
  no: number;
  denied: number;
  errors: number;
  unknown: number;
  landed: number;
  files: number;
  /** Reason of the last query's end; "open" when it has none. */
  end: string;
}

/** One line of a session's trace (E6); `docs/trace.md` names every field. Times in ms, `at` ISO, `seq` that of the log. */
export type TraceRow =
  | { kind: "session"; seq: number; at: string; id: string; folder: string; mode: Mode; model: string; program: string }
  | { kind: "prompt"; seq: number; at: string; when: "start" | "steer"; text: string }
  | TurnRow
  | CallRow
  /** Anything else that happened: a mode, a rule, an undo, a limit. `type`: of the event. */
  | { kind: "fact"; seq: number; at: string; type: LogEvent["type"]; text: string }
  | { kind: "end"; seq: number; at: string; reason: string; detail?: string; turns: number; ms: number }
  | TotalRow;

/** The table of turns, out of the log alone. A call stands below the reply that asked for it, in the reply's order. */
export function traceOf(events: readonly LogEvent[], prices: Prices = {}): TraceRow[] {
  const calls = callRows(events);
  const rows = events.flatMap((event) => rowsOf(event, calls, prices));
  return [...rows, totalOf(rows, events)];
}

function rowsOf(event: LogEvent, calls: ReadonlyMap<number, readonly CallRow[]>, prices: Prices): TraceRow[] {
  const { seq, at } = event;
  switch (event.type) {
    case "session.opened": {
      const { sessionId: id, folder, mode, model, program } = event;
      return [{ kind: "session", seq, at, id, folder, mode, model, program }];
    }
    case "prompt.submitted":
      return [{ kind: "prompt", seq, at, when: event.when, text: textOf(event.content) }];
    case "reply.completed":
      return [turnRow(event, prices), ...(calls.get(event.seq) ?? [])];
    case "reply.cut":
    case "reply.voided":
      return [turnRow(event, prices)];
    case "query.finished": {
      const { reason, detail, turns, durationMs: ms } = event;
      return [{ kind: "end", seq, at, reason, ...(detail === undefined ? {} : { detail }), turns, ms }];
    }
    default: {
      const text = factText(event);
      return text === undefined ? [] : [{ kind: "fact", seq, at, type: event.type, text }];
    }
  }
}

function turnRow(e: LogEventOf<"reply.completed" | "reply.cut" | "reply.voided">, prices: Prices): TurnRow {
  const { input, output, cacheRead, cacheWrite } = e.usage;
  const blocks = e.type === "reply.voided" ? [] : e.blocks;
  const text = blocks.flatMap((b) => (b.type === "text" ? [b.text] : [])).join(" ");
  const usd = costOf(e.model, e.usage, prices);
  const whole = e.type === "reply.completed";
  return {
    kind: "turn",
    seq: e.seq,
    at: e.at,
    turn: e.turn,
    model: e.model,
    context: input + cacheRead + cacheWrite,
    cacheRead,
    cacheWrite,
    output,
    ...(usd === undefined ? {} : { usd }),
    ms: whole ? e.durationMs : 0,
    attempts: whole ? e.attempts : 1,
    text: text.slice(0, 400).replaceAll(/\s+/g, " ").trim().slice(0, 200),
    chars: text.length,
    calls: blocks.flatMap((b) => (b.type === "tool_use" ? [called(b).name] : [])),
    stop: whole ? e.stopReason : e.type === "reply.cut" ? "cut" : "void",
    ...(whole ? {} : { cut: e.reason }),
  };
}
