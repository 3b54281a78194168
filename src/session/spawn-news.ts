import type { LogBody, LogEvent } from "../events/event.ts";
import type { AgentState } from "../events/state.ts";
import { nextStep } from "../events/settle.ts";
import type { LoopDeps } from "../loop/deps.ts";
import { goOn } from "../loop/query.ts";
import { denyAll } from "../permissions/asker.ts";
import { BUILTIN_AGENTS } from "./agents-book.ts";
import { drained } from "./hearing.ts";
import type { LiveParts } from "./live-parts.ts";
import { childOptions } from "./spawn-child.ts";
import { closeAgent, handOver } from "./spawn-end.ts";

/** Before a turn: agents whose call ended without them are brought to their end, and an agent's session follows the one above. */
export async function agentNews(parts: LiveParts, deps: () => LoopDeps): Promise<LogEvent[]> {
  const { log, agents } = parts;
  const facts = await followed(parts);
  const lost = log.state.agents.filter(
    (a) => a.ended === undefined && !agents.runs(a.agentId) && log.state.calls.get(a.callId)?.result !== undefined,
  );
  for (const agent of lost) for (const body of await settled(agent, parts, deps())) facts.push(await log.append(body));
  return facts;
}

/** Mode and rehearsal of the session above are this one's from its next turn on; each decision goes by them at once. */
async function followed({ log, options: { agent } }: LiveParts): Promise<LogEvent[]> {
  if (agent === undefined) return [];
  const mode = agent.mode();
  return [
    ...(mode === log.state.mode ? [] : [await log.append({ type: "mode.changed", mode, by: "above" })]),
    ...(log.state.rehearsing || !agent.rehearses()
      ? []
      : [await log.append({ type: "rehearsal.changed", on: true, by: "flag" })]),
  ];
}

/** Its unfinished calls are closed as interrupted in its own log (E3); what it had landed and used is this session's. */
async function settled(agent: AgentState, parts: LiveParts, deps: LoopDeps): Promise<LogBody[]> {
  const { agentId: id, callId, model } = agent;
  const stop = { reason: "interrupted", detail: "the program ended while it worked" } as const;
  const none = { turns: 0, calls: 0, usage: {}, durationMs: 0, steps: 0, head: "" };
  const gone = (detail: string): LogBody[] => [{ type: "agent.ended", agentId: id, callId, ...none, ...stop, detail }];
  if (!parts.agents.hasLog(parts.options.store.sessions, id)) return gone("it had not begun");
  const kind = parts.agents.book.find(agent.agent) ?? BUILTIN_AGENTS[0];
  if (kind === undefined) return gone("its kind is gone");
  try {
    const asker = denyAll("the work was stopped");
    const child = await parts.agents.open(childOptions(parts, deps, { id, exists: true, callId, kind, model, asker }));
    try {
      if (nextStep(child.parts.log.state) !== "nothing") await drained(goOn(child.deps, AbortSignal.abort()));
      const over = await handOver(parts, child, { id, callId, kind, signal: AbortSignal.abort() }, stop);
      return [...over.facts, over.end({ durationMs: 0 })];
    } finally {
      await closeAgent(child.parts);
    }
  } catch (error) {
    return gone(error instanceof Error ? error.message : String(error));
  }
}
