import { type Draft, updateCall } from "./draft.ts";
import type { LogEventOf } from "./event.ts";
import { touch } from "./reduce-calls.ts";
import { markTouched } from "./reduce-mark.ts";
import type { CallState, SessionState } from "./state.ts";

type Begun = NonNullable<SessionState["hooks"]>[number];

/** Remembered until each of them ended: what a crash leaves here has begun, and is never run again (E3). */
export function hookStarted(draft: Draft, event: LogEventOf<"hook.started">): void {
  const { state } = draft;
  const { names, callId } = event;
  const begun = names.map((name): Begun => ({ event: event.event, name, ...(callId === undefined ? {} : { callId }) }));
  state.hooks = [...(state.hooks ?? []), ...begun];
  if (event.event.startsWith("PostToolUse")) updateCall(draft, callId, (call) => ({ ...call, after: true }));
  if (event.event === "Stop" && state.query !== undefined)
    state.query = { ...state.query, stopRounds: (state.query.stopRounds ?? 0) + 1 };
}

export function hookRan(draft: Draft, event: LogEventOf<"hook.ran">): void {
  const { state } = draft;
  const open = state.hooks ?? [];
  const at = open.findIndex((h) => h.event === event.event && h.name === event.name && h.callId === event.callId);
  if (at >= 0) state.hooks = open.toSpliced(at, 1);
  if (event.event === "PreToolUse") updateCall(draft, event.callId, (call) => heard(call, event));
  const { touched = [] } = event;
  touch(draft, touched);
  markTouched(draft, event.operationId, touched);
  for (const { path, hash, how } of touched) {
    if (!state.made.has(path)) continue;
    if (how === "deleted") draft.made().delete(path);
    else draft.made().set(path, hash);
  }
}

/** What PreToolUse hooks said of a call, so that a resumed one is decided on by the same words. The first rewritten input counts. */
function heard(call: CallState, event: LogEventOf<"hook.ran">): CallState {
  const { name, decision, reason = "", input, stop } = event;
  const before = call.hooks ?? { verdicts: [] };
  const strict = decision === "ask" || decision === "deny" ? [{ action: decision, reason, hook: name }] : [];
  const first = before.input === undefined && input !== undefined ? { input, by: name } : {};
  const ends = before.stop === undefined && stop !== undefined ? { stop: `Stopped by the hook ${name}: ${stop}` } : {};
  return { ...call, hooks: { ...before, verdicts: [...before.verdicts, ...strict], ...first, ...ends } };
}
