import type { Draft } from "./draft.ts";
import type { LogEvent } from "./event.ts";

/** Appended when a log is opened: until then nothing worked on it. */
const OPENS: ReadonlySet<LogEvent["type"]> = new Set(["session.resumed", "session.repaired", "session.foreign"]);

/** From here on something works again, after a pause between two runs of the program. */
const WAKES: ReadonlySet<LogEvent["type"]> = new Set([
  "prompt.submitted",
  "turn.started",
  "call.started",
  "permission.asked",
  "query.finished",
]);

/**
 * Adds the time since the last event to what the query worked (S3): not what a person took to answer, and not the time between two runs of the
 * program. A clock that went back adds nothing.
 */
export function addTime(draft: Draft, event: LogEvent): void {
  const { state } = draft;
  if (event.type === "session.resumed") state.idle = true;
  const { query, idle } = state;
  if (idle && WAKES.has(event.type)) state.idle = false;
  if (query === undefined || query.ended !== undefined || idle || OPENS.has(event.type) || answered(draft, event))
    return;
  const waited = event.type === "agent.ended" ? (event.waitedMs ?? 0) : 0;
  const ms = Math.max(0, Date.parse(event.at) - Date.parse(state.lastAt) - waited) || 0;
  if (state.seq >= (state.forkedFrom?.seq ?? 0)) state.workedMs += ms;
  state.query = { ...query, workedMs: query.workedMs + ms };
}

/** Tools that wait for the person. */
const ASKS: ReadonlySet<string> = new Set(["AskUser", "ExitPlan"]);

/** The person thought until then. */
function answered({ state }: Draft, event: LogEvent): boolean {
  if (event.type === "permission.decided") return event.by === "person";
  if (event.type === "call.edited") return true;
  if (event.type === "mode.changed") return event.by === "plan";
  return event.type === "call.finished" && ASKS.has(state.calls.get(event.callId)?.tool ?? "");
}
