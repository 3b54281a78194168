import type { LogEventOf } from "../events/event.ts";
import { tokensOf } from "../loop/ledger.ts";

/** A sub-agent's beginning or end; its own log tells the rest under its id. */
export function agentText(event: LogEventOf<"agent.started" | "agent.ended">): string {
  if (event.type === "agent.started")
    return `agent ${event.agentId} ${event.again === true ? "asked further" : "started"} (${event.agent}, ${event.model}): ${event.description}`;
  const tokens = Object.values(event.usage).reduce((sum, used) => sum + tokensOf(used), 0);
  const steps = event.steps === 0 ? "" : `, ${event.steps} ${event.steps === 1 ? "step" : "steps"} of changes`;
  const why = event.detail === undefined ? "" : `: ${event.detail}`;
  return `agent ${event.agentId} ended (${event.reason}${why}): ${event.turns} turns, ${event.calls} calls, ${tokens} tokens${steps}`;
}
