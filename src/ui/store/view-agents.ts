import { isFact, type LogEventOf, type SessionEvent } from "../../events/event.ts";
import { NO_USAGE, sumOf } from "../../events/usage.ts";
import type { RunningAgent, RunningCall, View } from "./view.ts";

/** A call's sub-agent begins: what it does is shown with the call. */
export function agentBegins(running: readonly RunningCall[], event: LogEventOf<"agent.started">): RunningCall[] {
  const { agentId, agent, callId } = event;
  const begun: RunningAgent = { agentId, agent, doing: "", calls: 0, tokens: 0 };
  return running.map((call) => (call.callId === callId ? { ...call, agent: begun } : call));
}

/** One row tells all of it, however deep: what an agent of an agent uses counts here. */
export function withAgent(
  running: readonly RunningCall[],
  { callId, event }: { callId: string; event: SessionEvent },
): readonly RunningCall[] {
  const at = running.findIndex((call) => call.callId === callId);
  const call = running[at];
  if (call?.agent === undefined) return running;
  const agent = after(call.agent, event);
  return agent === call.agent ? running : running.with(at, { ...call, agent });
}

function after(agent: RunningAgent, event: SessionEvent): RunningAgent {
  if (event.type === "agent.event") {
    const inner = after(agent, event.event);
    return inner === agent ? agent : { ...inner, doing: agent.doing };
  }
  if (!isFact(event)) return event.type === "reply.started" ? { ...agent, doing: "thinking" } : agent;
  switch (event.type) {
    case "reply.completed":
    case "reply.cut": {
      const { input, output, cacheRead, cacheWrite } = event.usage;
      return { ...agent, tokens: agent.tokens + input + output + cacheRead + cacheWrite };
    }
    case "call.started":
      return { ...agent, doing: doingOf(event), calls: agent.calls + 1 };
    case "permission.asked":
      return { ...agent, doing: `asks: ${event.effect.tool} ${event.effect.subject}` };
    case "permission.decided":
      return { ...agent, doing: `${event.effect?.tool ?? ""} ${event.effect?.subject ?? ""}`.trim() };
    default:
      return agent;
  }
}

const SUBJECTS = ["file_path", "command", "pattern", "path", "description", "query"];

function doingOf({ tool, input }: LogEventOf<"call.started">): string {
  const value = SUBJECTS.map((name) => input[name]).find((v) => typeof v === "string");
  return typeof value === "string" ? `${tool} ${value.split("\n")[0]?.slice(0, 300) ?? ""}` : tool;
}

/** What agents used is used of the session. */
export function spentByAgent(usage: View["usage"], event: LogEventOf<"agent.ended">): View["usage"] {
  const sums = new Map(usage);
  for (const [model, used] of Object.entries(event.usage)) {
    const before = sums.get(model);
    sums.set(model, { ...sumOf(before ?? NO_USAGE, used), replies: (before?.replies ?? 0) + used.replies });
  }
  return sums;
}
