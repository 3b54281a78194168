import type { Draft } from "./draft.ts";
import type { LogEventOf } from "./event.ts";
import type { AgentState, SessionState } from "./state.ts";
import { NO_USAGE, sumOf } from "./usage.ts";

/** A new one, or one that is asked further: it works again, and keeps what it used. */
export function agentStarted({ state }: Draft, event: LogEventOf<"agent.started">): void {
  const { agentId, callId, agent, description, model, at: startedAt } = event;
  const begun = { agentId, callId, agent, description, model, startedAt };
  const known = state.agents.find((a) => a.agentId === agentId);
  const { ended: _, ...before } = known ?? { turns: 0, calls: 0, durationMs: 0, steps: 0, usage: new Map() };
  const now: AgentState = { ...before, ...begun };
  state.agents = known === undefined ? [...state.agents, now] : state.agents.map((a) => (a === known ? now : a));
}

/** What it used is used of this session and of its message (S3). */
export function agentEnded(draft: Draft, event: LogEventOf<"agent.ended">): void {
  const { state } = draft;
  state.agents = state.agents.map((a) =>
    a.agentId === event.agentId
      ? {
          ...a,
          ended: event.reason,
          turns: a.turns + event.turns,
          calls: a.calls + event.calls,
          durationMs: a.durationMs + event.durationMs,
          steps: a.steps + event.steps,
          usage: added(a.usage, event.usage),
        }
      : a,
  );
  // What a fork took over was spent by the session that it comes from.
  if (state.seq < (state.forkedFrom?.seq ?? 0)) return;
  for (const [model, used] of Object.entries(event.usage)) {
    const before = state.usage.get(model);
    draft.usage().set(model, { ...sumOf(before ?? NO_USAGE, used), replies: (before?.replies ?? 0) + used.replies });
    if (state.query !== undefined) state.query = { ...state.query, usage: sumOf(state.query.usage, used) };
  }
  state.turns += event.turns;
  if (state.query !== undefined)
    state.query = { ...state.query, agentTurns: (state.query.agentTurns ?? 0) + event.turns };
}

function added(usage: SessionState["usage"], more: LogEventOf<"agent.ended">["usage"]): SessionState["usage"] {
  const sums = new Map(usage);
  for (const [model, used] of Object.entries(more)) {
    const before = sums.get(model);
    sums.set(model, { ...sumOf(before ?? NO_USAGE, used), replies: (before?.replies ?? 0) + used.replies });
  }
  return sums;
}
