import type { SessionEvent } from "../events/event.ts";
import type { AgentState } from "../events/state.ts";
import { nextStep } from "../events/settle.ts";
import { text } from "../events/block.ts";
import type { LoopDeps, Stop } from "../loop/deps.ts";
import { limitReached } from "../loop/limits.ts";
import { goOn, query } from "../loop/query.ts";
import { runHooks } from "../loop/run-hooks.ts";
import type { Asker } from "../permissions/asker.ts";
import type { AgentAnswer, AgentTask, Progress } from "../tools/tool.ts";
import type { AgentKind } from "./agents-define.ts";
import type { LiveParts } from "./live-parts.ts";
import { maskedLive } from "./live-keys.ts";
import { agentAsker } from "./spawn-asker.ts";
import { childOptions, depthsOf } from "./spawn-child.ts";
import { answerOf, closeAgent, handOver } from "./spawn-end.ts";

/** The call that starts an agent. */
export interface AgentCall {
  callId: string;
  signal: AbortSignal;
  asker: Asker;
  /** Narrows its kind. */
  as?(kind: AgentKind): AgentKind;
}

interface Begun {
  id: string;
  kind: AgentKind;
  model: string;
  /** A crash left it: its beginning is in the log. */
  left: boolean;
  /** Its end is in the log too; only what the call came to is not. */
  ended?: Stop;
  again: boolean;
}

/**
 * Runs a sub-agent for a call (C5): begins one, asks one that has ended further, or goes on with one that a crash stopped in this call (E3).
 * What it does is handed on as it comes, what it landed and used becomes facts of this session's log. Stopped with the call.
 */
export async function* runAgent(
  task: AgentTask,
  parts: LiveParts,
  deps: LoopDeps,
  call: AgentCall,
): AsyncGenerator<Progress, AgentAnswer> {
  const begun = beginning(task, parts, deps, call.callId);
  if ("failed" in begun) return begun;
  const { id, model, left, again } = begun;
  const kind = call.as?.(begun.kind) ?? begun.kind;
  const { callId } = call;
  if (!left) {
    const { description } = task;
    yield {
      fact: {
        type: "agent.started",
        agentId: id,
        callId,
        agent: kind.name,
        description,
        model,
        ...(again ? { again } : {}),
      },
    };
  }
  const stop = new AbortController();
  const signal = AbortSignal.any([call.signal, stop.signal]);
  const asking = agentAsker(call.asker, parts, deps, `${kind.name}: ${task.description}`);
  const exists = again || (left && parts.agents.hasLog(parts.options.store.sessions, id));
  const input = { id, exists, callId, kind, model, asker: asking.asker };
  const child = await parts.agents.open(childOptions(parts, deps, input));
  parts.agents.add(id, { child: child.parts, stop });
  const startedAt = deps.clock.now();
  let open = true;
  const close = async (): Promise<void> => {
    if (open) await closeAgent(child.parts);
    open = false;
  };
  try {
    if (!isOf(child.parts, parts)) return { failed: `${id} is the log of another session's agent. Start a new one.` };
    const ended =
      begun.ended ?? (yield* events(run(task, child, parts, signal), { id, callId }, child.parts, asking.facts));
    for (const fact of asking.facts.splice(0)) yield { fact };
    const over = await handOver(parts, child, { id, callId, kind, signal }, ended);
    for (const fact of over.facts) yield { fact };
    await over.taken();
    const answer = await answerOf({ id, kind, model }, child.parts, deps, ended, over.words);
    await close();
    const durationMs = deps.clock.now() - startedAt;
    if (begun.ended === undefined) yield { fact: over.end({ durationMs, waitedMs: asking.waited() }) };
    return answer;
  } finally {
    await close();
    parts.agents.remove(id);
  }
}

/** The log says whose it is. */
function isOf({ log }: LiveParts, above: LiveParts): boolean {
  const [opened] = log.events;
  return opened?.type === "session.opened" && opened.parent?.sessionId === above.log.state.id;
}

function beginning(task: AgentTask, parts: LiveParts, deps: LoopDeps, callId: string): Begun | { failed: string } {
  const { agents, log, options } = parts;
  const over = endedIn(callId, parts);
  if (over !== undefined) return over;
  const open = log.state.agents.find((a) => a.callId === callId && a.ended === undefined);
  const known = open ?? (task.resume === undefined ? undefined : named(log.state.agents, task.resume));
  if (task.resume !== undefined && known === undefined)
    return {
      failed: `There is no agent ${JSON.stringify(task.resume.slice(0, 80))} of this session. Start a new one.`,
    };
  if (open === undefined && known !== undefined && (agents.runs(known.agentId) || known.ended === undefined))
    return { failed: `The agent ${known.agentId} still works. Wait for its answer, or start another.` };
  const { next, most } = depthsOf(parts);
  if (next > most)
    return {
      failed: `No further agent: they may stand ${most} deep (limits.agentDepth), and this one does. Do it yourself.`,
    };
  const limit = limitReached(deps);
  if (limit !== undefined) return { failed: `No agent was started. ${limit.detail ?? limit.reason}` };
  const wanted = known?.agent ?? task.agent;
  const kind = agents.book.find(wanted);
  if (kind === undefined) {
    const kinds = agents.book.kinds().map(({ name }) => name);
    return { failed: `There is no agent ${JSON.stringify(wanted.slice(0, 80))}. There are: ${kinds.join(", ")}.` };
  }
  const model = known?.model ?? kind.model ?? log.state.model;
  try {
    options.openModel(model);
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    return { failed: `The agent ${kind.name} can't be started with its model: ${why}` };
  }
  const id = known?.agentId ?? agents.newId(log.state);
  return { id, kind, model, left: open !== undefined, again: open === undefined && known !== undefined };
}

/** One that came to its end in this call, ahead of the crash: nothing of it is done again (E3). */
function endedIn(callId: string, { agents, log }: LiveParts): Begun | undefined {
  // What judges is begun by no call.
  if (!log.state.calls.has(callId)) return undefined;
  const known = log.state.agents.find((a) => a.callId === callId);
  const kind = agents.book.find(known?.agent ?? "");
  if (known?.ended === undefined || kind === undefined) return undefined;
  const end = log.events.findLast((e) => e.type === "agent.ended" && e.agentId === known.agentId);
  const detail = end?.type === "agent.ended" ? end.detail : undefined;
  const ended = { reason: known.ended, ...(detail === undefined ? {} : { detail }) };
  return { id: known.agentId, kind, model: known.model, left: true, again: false, ended };
}

/** By its whole id, or its end: "a2". */
function named(agents: readonly AgentState[], id: string): AgentState | undefined {
  return agents.find((a) => a.agentId === id) ?? agents.find((a) => a.agentId.endsWith(`-${id}`));
}

type Child = Awaited<ReturnType<LiveParts["agents"]["open"]>>;

/** One message of the agent's: a new one, or what a crash left of it. One that had come to its end says what it said. */
async function* run(
  task: AgentTask,
  { parts, deps }: Child,
  above: LiveParts,
  signal: AbortSignal,
): AsyncGenerator<SessionEvent, Stop> {
  const { log } = parts;
  const asked = above.log.events.filter((e) => e.type === "agent.started" && e.agentId === log.state.id).length;
  if (log.state.prompts >= asked) {
    const ended = log.state.query?.ended;
    if (nextStep(log.state) === "nothing" || ended === "waiting") return { reason: ended ?? "interrupted" };
    return yield* goOn(deps, signal);
  }
  // A question that nobody answered, or what a stop left: the new message stands behind whole turns.
  if (nextStep(log.state) !== "nothing") yield* goOn(deps, AbortSignal.abort());
  const of = { agent_id: log.state.id, agent_type: deps.above?.agent ?? "" };
  yield* runHooks("SubagentStart", of, deps, signal);
  return yield* query([text(log.secrets.mask(task.prompt))], deps, signal);
}

/** What the agent does, under its id; facts for this log that came of it stand ahead. */
async function* events(
  run: AsyncGenerator<SessionEvent, Stop>,
  { id: agentId, callId }: { id: string; callId: string },
  { log }: LiveParts,
  facts: Extract<Progress, { fact: unknown }>["fact"][],
): AsyncGenerator<Progress, Stop> {
  const masked = maskedLive(run, log.secrets);
  try {
    for (;;) {
      const step = await masked.next();
      for (const fact of facts.splice(0)) yield { fact };
      if (step.done === true) return step.value;
      yield { event: { type: "agent.event", agentId, callId, event: step.value } };
    }
  } finally {
    await masked.return({ reason: "interrupted" });
  }
}
