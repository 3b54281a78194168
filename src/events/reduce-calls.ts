import { type Draft, updateCall } from "./draft.ts";
import type { LogEventOf, Touch } from "./event.ts";
import { stateMark } from "./reduce-mark.ts";
import { movedShell } from "./shell-state.ts";
import type { CallState } from "./state.ts";

export function permissionAsked(draft: Draft, event: LogEventOf<"permission.asked">): void {
  const { questionId, effect, decision } = event;
  updateCall(draft, event.callId, (call) => ({ ...call, question: { questionId, effect, decision } }));
}

function withoutQuestion(call: CallState): CallState {
  const copy = { ...call };
  delete copy.question;
  return copy;
}

/** It is decided on: what was said before is used up. */
function withoutAlong(call: CallState): CallState {
  const copy = { ...call };
  delete copy.along;
  return copy;
}

export function permissionDecided(draft: Draft, event: LogEventOf<"permission.decided">): void {
  for (const verdict of event.along ?? [])
    updateCall(draft, verdict.callId, (call) => ({
      ...call,
      along: { ...verdict, questionId: event.questionId ?? "" },
    }));
  updateCall(draft, event.callId, (call) => ({
    ...(event.gate === "changes" ? withoutAlong(withoutQuestion(call)) : withoutQuestion(call)),
    ...(event.gate === "needs" ? { needs: event.outcome } : { verdict: event.outcome }),
    ...(event.gate === "changes" && event.outcome === "allow" && event.by === "person" ? { answered: true } : {}),
    ...(event.dropped === undefined ? {} : { dropped: event.dropped }),
    ...noted(call, event),
    ...(event.ends === undefined ? {} : { ends: event.ends }),
    ...(event.withRegenerable === undefined ? {} : { withRegenerable: event.withRegenerable }),
  }));
}

/** A word beside a yes is for the result, whatever becomes of the call; one beside a no is told with it. */
function noted(call: CallState, { outcome, note }: LogEventOf<"permission.decided">): Partial<CallState> {
  if (note === undefined) return {};
  return outcome === "deny" ? { note } : { said: [...(call.said ?? []), note] };
}

/** The person's own words take the place of the model's: what hooks and gates said was of those. */
export function callEdited(draft: Draft, event: LogEventOf<"call.edited">): void {
  const { callId, input, note, differs } = event;
  updateCall(draft, callId, (before) => ({
    ...unjudged(before),
    input,
    edited: true,
    ...(differs === undefined ? {} : { differs: [before.differs ?? [], differs].flat().join("\n") }),
    ...(note === undefined ? {} : { said: [...(before.said ?? []), note] }),
  }));
}

function unjudged(before: CallState): CallState {
  const { hooks: _hooks, needs: _needs, question: _question, along: _along, ...call } = before;
  const { verdict: _verdict, proposed: _proposed, dropped: _dropped, ...rest } = call;
  return rest;
}

/** `input` is what really runs: a hook may have rewritten what the model asked for. */
export function callStarted(draft: Draft, event: LogEventOf<"call.started">): void {
  const { operationId, attempt, tool, input } = event;
  updateCall(draft, event.callId, (call) => ({ ...call, operationId, attempt, tool, input }));
}

/** Exactly one result a call (L4): the first stands, any other is refused, and so is one that no reply asked for. */
export function callFinished(draft: Draft, event: LogEventOf<"call.finished">): void {
  const { state } = draft;
  const call = state.calls.get(event.callId);
  if (call === undefined || call.result !== undefined) return;
  const { status, content, details, touched: touches, durationMs, shell, keys } = event;
  touch(draft, touches);
  if (shell !== undefined) state.shell = movedShell(state.shell, shell);
  updateCall(draft, event.callId, (unanswered) => ({
    ...withoutQuestion(unanswered),
    result: {
      status,
      content,
      touched: touches,
      durationMs,
      ...(details === undefined ? {} : { details }),
      ...(keys === undefined ? {} : { keys }),
    },
    mark: stateMark(state),
  }));
  if (status === "ok" && state.failures.has(call.tool)) draft.failures().delete(call.tool);
  if (status === "error") draft.failures().set(call.tool, (state.failures.get(call.tool) ?? 0) + 1);
}

/** The last touch of a file counts; parts of the same bytes that were read one by one add up. */
export function touch(draft: Draft, touches: readonly Touch[]): void {
  for (const t of touches) draft.touched().set(t.path, readSoFar(draft.state.touched.get(t.path), t));
}

/** What is known of a file after one more touch of it. */
export function readSoFar(before: Touch | undefined, now: Touch): Touch {
  if (now.lines === undefined || now.how !== "read" || before?.hash !== now.hash) return now;
  // Read or written in whole before: a part of it adds nothing.
  if (before.partial !== true) return { path: now.path, hash: now.hash, how: now.how };
  if (before.lines === undefined) return now;
  const ranges = joined([...before.lines.ranges, ...now.lines.ranges]);
  const whole = ranges.length === 1 && ranges[0]?.[0] === 1 && ranges[0][1] >= now.lines.of;
  if (whole) return { path: now.path, hash: now.hash, how: now.how };
  return { ...now, lines: { of: now.lines.of, ranges } };
}

/** Ranges in order, those that touch or overlap as one. */
function joined(ranges: readonly (readonly [number, number])[]): [number, number][] {
  const out: [number, number][] = [];
  for (const [from, to] of ranges.toSorted((a, b) => a[0] - b[0])) {
    const last = out.at(-1);
    if (last !== undefined && from <= last[1] + 1) last[1] = Math.max(last[1], to);
    else out.push([from, to]);
  }
  return out;
}
