import type { ChangeSummary } from "../events/effect.ts";
import type { LogEvent, LogEventOf } from "../events/event.ts";
import { fold, initialState } from "../events/reduce.ts";
import { type Settlement, settle } from "../events/settle.ts";
import { sideEffectText } from "../events/side-effect.ts";
import type { CallState, SessionState } from "../events/state.ts";
import { leaves } from "../loop/leaves.ts";
import { ruleName } from "../permissions/decide.ts";
import type { CallRow, TraceChange, TraceVerdict } from "./trace.ts";

/** A row for every call, by the seq of the reply that asked for it, in its order. */
export function callRows(events: readonly LogEvent[]): ReadonlyMap<number, readonly CallRow[]> {
  const state = fold(initialState(""), events);
  const facts = factsByCall(events);
  const open = new Map(openCalls(state, events).map((s) => [s.callId, s]));
  const rows = new Map<number, CallRow[]>();
  let n = 0;
  for (const call of state.calls.values()) {
    const own = facts.get(call.callId) ?? [];
    const row = { ...callRow(call, ++n, own, open.get(call.callId)), ...askedFor(call, own, events) };
    rows.set(call.replySeq, [...(rows.get(call.replySeq) ?? []), row]);
  }
  countFailures(events, state, new Map([...rows.values()].flat().map((row) => [row.callId, row])));
  return rows;
}

/** What a resume would do about calls without a result, as far as the log alone can tell. */
export function openCalls(state: SessionState, events: readonly LogEvent[]): Settlement[] {
  const left = new Set(events.flatMap((e) => (isLeaving(e) ? [e.callId] : [])));
  const landed = new Set(state.steps.flatMap((s) => (s.status === "landed" ? [s.operationId] : [])));
  return settle(state, { landed, contained: ({ callId }) => !left.has(callId) });
}

/** A verdict that let a call do what no dropped copy takes back. */
export function isLeaving(event: LogEvent): event is LogEventOf<"permission.decided"> {
  return event.type === "permission.decided" && event.gate === "needs" && event.effect?.needs.some(leaves) === true;
}

function factsByCall(events: readonly LogEvent[]): Map<string, LogEvent[]> {
  const facts = new Map<string, LogEvent[]>();
  for (const event of events) {
    if (!("callId" in event) || event.callId === undefined) continue;
    const of = facts.get(event.callId);
    if (of === undefined) facts.set(event.callId, [event]);
    else of.push(event);
  }
  return facts;
}

function callRow(call: CallState, n: number, facts: readonly LogEvent[], open: Settlement | undefined): CallRow {
  const { callId, tool, turn, operationId, attempt, result } = call;
  const end = facts.find((f) => f.type === "call.finished");
  const outside = sideEffectText(end?.sideEffects ?? call.proposed?.outcome.sideEffects ?? []);
  const last = end ?? facts.at(-1);
  return {
    kind: "call",
    n,
    seq: last?.seq ?? call.replySeq,
    at: last?.at ?? "",
    turn,
    callId,
    tool,
    input: JSON.stringify(call.input),
    attempts: attempt,
    ...(operationId === undefined ? {} : { operationId }),
    verdicts: facts.flatMap((f) => (f.type === "permission.decided" ? [verdictOf(f)] : [])),
    changes: facts.flatMap((fact) => changeOf(fact, facts)),
    ...(outside === undefined ? {} : { outside }),
    status: result?.status ?? "open",
    ...(open === undefined ? {} : { resume: resumeText(open) }),
    failures: 0,
    chars: result?.content.reduce((n, b) => n + (b.type === "text" ? b.text.length : b.source.data.length), 0) ?? 0,
    ms: result?.durationMs ?? 0,
  };
}

/** What the model asked for, where the person ran something else. */
function askedFor({ callId, replySeq }: CallState, facts: readonly LogEvent[], events: readonly LogEvent[]) {
  if (!facts.some((fact) => fact.type === "call.edited")) return {};
  const reply = events.find((event) => event.seq === replySeq);
  const blocks = reply?.type === "reply.completed" || reply?.type === "reply.cut" ? reply.blocks : [];
  const block = blocks.find((one) => one.type === "tool_use" && one.id === callId);
  return block?.type === "tool_use" ? { asked: JSON.stringify(block.input) } : {};
}

function verdictOf(e: LogEventOf<"permission.decided">): TraceVerdict {
  const { gate, outcome, by, risk, reason, rule, note } = e;
  return {
    gate,
    asked: e.questionId !== undefined,
    outcome,
    by,
    risk,
    reason,
    ...(rule === undefined ? {} : { rule: ruleName(rule) }),
    ...(note === undefined ? {} : { note }),
  };
}

function changeOf(fact: LogEvent, facts: readonly LogEvent[]): TraceChange[] {
  switch (fact.type) {
    case "changes.landed":
      return [{ what: "landed", text: `landed ${summaryText(fact.summary)}` }];
    case "changes.pended":
      return [{ what: "pended", text: `${summaryText(fact.summary)} waiting for the review` }];
    case "changes.kept":
      return keptOf(fact, facts);
    case "kept.landed":
      return [{ what: "landed", text: keptText(fact) }];
    case "changes.dropped":
      return [{ what: "dropped", text: "nothing landed" }];
    case "changes.conflicted":
      return [{ what: "conflicted", text: `nothing landed, in conflict: ${fact.conflicts[0]?.path ?? ""}` }];
    default:
      return [];
  }
}

/** Without what landed of it at once by a rule. */
function keptOf({ files, operationId }: LogEventOf<"changes.kept">, facts: readonly LogEvent[]): TraceChange[] {
  const landed = facts.reduce((n, f) => (f.type === "kept.landed" && f.of === operationId ? n + f.files : n), 0);
  if (landed > 0 && landed >= files) return [];
  return [{ what: "kept", text: `${filesText(files - landed)} kept in the copy` }];
}

/** "1 file", or what git did where no file of its own changed. */
export function summaryText({ files, git, entries }: ChangeSummary): string {
  const folders = files === 0 && entries.length > 0 ? ["folders only"] : [];
  return [...(files > 0 ? [filesText(files)] : folders), ...(git.length > 0 ? ["git's state"] : [])].join(" and ");
}

/** Kept output that landed by a rule. */
export function keptText({ files, rule }: Pick<LogEventOf<"kept.landed">, "files" | "rule">): string {
  return `${filesText(files)} of kept output landed by ${rule?.text ?? "a rule"}`;
}

export function filesText(files: number): string {
  return files === 1 ? "1 file" : `${files.toLocaleString("en-US")} files`;
}

const RESUME: Record<Settlement["action"], string> = {
  "not-begun": "it would begin",
  "run-again": "it would run again",
  "ask-again": "it would be asked again",
  "roll-forward": "its changes would land",
  "finish-from-proposed": "its result would be recorded",
  "finish-denied": "its denial would be recorded",
  "finish-conflicted": "its conflict would be recorded",
  unknown: "it would be told as unknown and not run again",
  interrupted: "it would be told as interrupted",
};

function resumeText({ action, why }: Settlement): string {
  return `${RESUME[action]}: ${why}`;
}

/** As S4 counts them: a success of the tool, or a new prompt, begins anew. */
function countFailures(events: readonly LogEvent[], { calls }: SessionState, rows: ReadonlyMap<string, CallRow>): void {
  const counts = new Map<string, number>();
  const seen = new Set<string>();
  for (const event of events) {
    if (event.type === "prompt.submitted" && event.when === "start") counts.clear();
    if (event.type !== "call.finished" || seen.has(event.callId)) continue;
    seen.add(event.callId);
    const tool = calls.get(event.callId)?.tool ?? "";
    if (event.status === "ok") counts.delete(tool);
    if (event.status === "error") counts.set(tool, (counts.get(tool) ?? 0) + 1);
    const row = rows.get(event.callId);
    if (row !== undefined && event.status === "error") row.failures = counts.get(tool) ?? 0;
  }
}
