import { SharedMap } from "./shared-map.ts";
import type { CallState, SessionState } from "./state.ts";

type Mutable<T> = { -readonly [K in keyof T]: T[K] };

/**
 * A state that is being worked on. The state it began from is never touched: a collection is copied when it is first written to. So one
 * event copies only what it changes, and a fold of many copies each collection once, which keeps a load linear.
 * Collections are written through their functions alone, plain fields through `state`.
 */
export function draftOf(base: SessionState) {
  const state: Mutable<SessionState> = { ...base };
  return {
    state,
    items: once(() => (state.items = [...state.items])),
    steps: once(() => (state.steps = [...state.steps])),
    rules: once(() => (state.rules = [...state.rules])),
    calls: once(() => (state.calls = SharedMap.from(state.calls))),
    touched: once(() => (state.touched = new Map(state.touched))),
    made: once(() => (state.made = new Map(state.made))),
    changed: once(() => (state.changed = new Map(state.changed))),
    failures: once(() => (state.failures = new Map(state.failures))),
    usage: once(() => (state.usage = new Map(state.usage))),
    cleared: once(() => (state.cleared = new Set(state.cleared))),
    mended: once(() => (state.mended = new Map(state.mended))),
  };
}
export type Draft = ReturnType<typeof draftOf>;

function once<T>(copy: () => T): () => T {
  let mine: { value: T } | undefined;
  return () => (mine ??= { value: copy() }).value;
}

/** Changes a call; one that no reply asked for is ignored. */
export function updateCall(draft: Draft, callId: string | undefined, change: (call: CallState) => CallState): void {
  const call = callId === undefined ? undefined : draft.state.calls.get(callId);
  if (callId !== undefined && call !== undefined) draft.calls().set(callId, change(call));
}
