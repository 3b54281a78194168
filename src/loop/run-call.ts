import { text, type ContentBlock } from "../events/block.ts";
import type { Effect } from "../events/effect.ts";
import { rehearses } from "../events/layers.ts";
import type { LogBody, SavedOutcome, SessionEvent } from "../events/event.ts";
import { buildQuestion } from "../permissions/question.ts";
import { shownHash } from "../permissions/shown.ts";
import type { Outcome, Tool, ToolContext } from "../tools/tool.ts";
import { bringBack } from "./bring-back.ts";
import { stopOf } from "./deadline.ts";
import type { LoopDeps, Stop } from "./deps.ts";
import { effectOf } from "./effect-of.ts";
import { permit } from "./permit.ts";
import type { Prepared } from "./prepare.ts";
import { alsoFor, doneByPerson, edited, keptBy, personWords } from "./by-person.ts";
import { capped } from "./capped.ts";
import { commandOf } from "./command-of.ts";
import { told } from "./keys.ts";
import { leaves } from "./leaves.ts";
import { afterTool, beforeTool } from "./tool-hooks.ts";
import { deniedText, interruptedText, NO_COPY } from "./say.ts";

/**
 * Runs one call: needs judged, run, changes judged and landed. Whatever happens inside, exactly one `call.finished` is appended, unless
 * the call waits for a person's answer. Only a log that can't be written throws.
 */
export async function* runCall(
  given: Prepared,
  deps: LoopDeps,
  signal: AbortSignal,
): AsyncGenerator<SessionEvent, Stop | undefined> {
  const { id } = given.block;
  if (!given.ok) return yield* finishCall(id, given.result, deps);
  const stop = yield* judgeAndRun(given, deps, signal);
  const after = yield* afterTool(id, deps, signal);
  return stop ?? after;
}

async function* judgeAndRun(
  given: Prepared & { ok: true },
  deps: LoopDeps,
  signal: AbortSignal,
): AsyncGenerator<SessionEvent, Stop | undefined> {
  const { id } = given.block;
  const known = deps.log.state.calls.get(id);
  const operationId = known?.operationId ?? deps.makeId("op");
  const ctx = await deps.context({ callId: id, operationId }, signal, deps.asker);
  const asked = await effectOf(given.tool, given.input, ctx);
  if ("failed" in asked) return yield* finishCall(id, failure(asked.failed), deps);
  const touches = (tool: Tool, input: unknown) => effectOf(tool, input, ctx);
  const hooked = yield* beforeTool(given, asked, touches, deps, signal);
  if ("result" in hooked) return yield* finishCall(id, hooked.result, deps);
  if (signal.aborted) {
    yield* finishCall(id, { status: "interrupted", content: interruptedText(stopOf(signal)), touched: [] }, deps);
    return stopOf(signal);
  }
  const { call, effect, verdicts } = hooked;
  if (rehearses(deps.log.state) && effect.needs.some((need) => need.kind === "uncontained"))
    return yield* finishCall(id, { status: "denied", content: [text(NO_COPY)], touched: [] }, deps);
  const attempt = (known?.attempt ?? 0) + 1;
  // Allowed before a crash, and durably so: not asked again.
  if (known?.needs === "allow" && known.question === undefined)
    return yield* runAllowed(call, effect, ctx, attempt, deps, signal);
  const verdict = yield* permit(
    {
      callId: id,
      gate: "needs",
      effect,
      hooks: verdicts,
      ...(known?.question === undefined ? {} : { questionId: known.question.questionId }),
      question: async (questionId, decision) =>
        buildQuestion({
          id: questionId,
          callId: id,
          gate: "needs",
          effect,
          decision,
          diffs: [],
          savedTo: deps.savedTo,
          ...alsoFor(call, effect),
          ...keptBy(call),
          ...(await commandOf(call.input, ctx, effect)),
        }),
      still: async (question) => {
        const now = await effectOf(call.tool, call.input, ctx);
        if ("failed" in now) return false;
        const words = await commandOf(call.input, ctx, now);
        return shownHash({ ...question, effect: now, ...words }) === shownHash(question);
      },
    },
    deps,
    signal,
  );
  if (!verdict.allow && verdict.instead?.kind === "edit") {
    const other = yield* edited(call, verdict.instead, deps);
    return other.ok ? yield* judgeAndRun(other, deps, signal) : yield* finishCall(id, other.result, deps);
  }
  if (!verdict.allow && verdict.instead?.kind === "self")
    return yield* finishCall(id, yield* doneByPerson(call, verdict.instead, deps), deps);
  if (!verdict.allow) {
    const stop: Stop | undefined = signal.aborted ? stopOf(signal) : verdict.ends ? { reason: "denied" } : undefined;
    const content = signal.aborted ? interruptedText(stopOf(signal)) : deniedText(verdict.reason, verdict.note);
    yield* finishCall(id, { status: signal.aborted ? "interrupted" : "denied", content, touched: [] }, deps);
    return stop ?? hooked.stop;
  }
  return yield* runAllowed(call, effect, ctx, attempt, deps, signal);
}

async function* runAllowed(
  call: Prepared & { ok: true },
  effect: Effect,
  ctx: ToolContext,
  attempt: number,
  deps: LoopDeps,
  signal: AbortSignal,
): AsyncGenerator<SessionEvent, Stop | undefined> {
  const { callId, operationId } = ctx;
  const startedAt = deps.clock.now();
  yield await deps.log.append({
    type: "call.started",
    callId,
    operationId,
    attempt,
    tool: call.tool.name,
    input: call.block.input,
  });
  if (effect.needs.some(leaves)) await deps.log.barrier();
  const outcome = yield* runTool(call, { ...ctx, allowed: effect.needs }, deps);
  // The subject of a question is the question.
  if (outcome.status === "waiting") return { reason: "waiting", detail: effect.subject };
  if (outcome.todos !== undefined) yield await deps.log.append({ type: "todo.updated", todos: outcome.todos });
  // Ahead of the result: a crash between them asks nothing twice that counts already.
  if (outcome.mode !== undefined) yield await deps.log.append({ type: "mode.changed", mode: outcome.mode, by: "plan" });
  if (outcome.skill !== undefined)
    yield await deps.log.append({ type: "skill.loaded", by: "model", callId, ...outcome.skill });
  yield* groupFacts(outcome, callId, deps);
  const took = () => deps.clock.now() - startedAt;
  if (outcome.changes === undefined)
    return yield* finishCall(callId, saved(outcome), deps, { operationId, durationMs: took() });
  const timed = withoutWaiting(deps);
  const brought = yield* bringBack(outcome.changes, saved(outcome), { call, effect, ctx }, timed.deps, signal);
  if (brought.again !== undefined)
    return brought.again.ok
      ? yield* judgeAndRun(brought.again, deps, signal)
      : yield* finishCall(callId, brought.again.result, deps, { operationId });
  const durationMs = took() - timed.waited();
  return (yield* finishCall(callId, brought.outcome, deps, { operationId, durationMs })) ?? brought.stop;
}

async function* groupFacts({ group, groupEnd }: Outcome, callId: string, deps: LoopDeps): AsyncGenerator<SessionEvent> {
  if (group !== undefined) yield await deps.log.append({ type: "group.started", callId, ...group });
  const known = deps.log.state.groups.find((g) => g.groupId === groupEnd?.groupId);
  if (groupEnd !== undefined && known?.told !== true)
    yield await deps.log.append({ type: "group.ended", ...groupEnd, told: true });
}

/** Counts how long a person took to answer: that is no time of the call's. */
function withoutWaiting(deps: LoopDeps): { deps: LoopDeps; waited(): number } {
  let waited = 0;
  const ask: LoopDeps["asker"]["ask"] = async (question, signal) => {
    const from = deps.clock.now();
    try {
      return await deps.asker.ask(question, signal);
    } finally {
      waited += deps.clock.now() - from;
    }
  };
  const askPerson: LoopDeps["asker"]["askPerson"] = (...asked) => deps.asker.askPerson(...asked);
  const together = (callId: string): boolean => deps.asker.together?.(callId) === true;
  return { deps: { ...deps, asker: { ask, askPerson, together } }, waited: () => waited };
}

/** Runs the tool; what it throws is our own mistake, and a short result for the model (L8). */
async function* runTool(
  call: Prepared & { ok: true },
  ctx: ToolContext,
  deps: LoopDeps,
): AsyncGenerator<SessionEvent, Outcome> {
  const run = call.tool.run(call.input, ctx);
  try {
    for (;;) {
      const step = await run.next();
      if (step.done === true) return step.value;
      const said = step.value;
      if ("text" in said) yield { type: "tool.output", callId: ctx.callId, text: said.text };
      else if ("event" in said) yield said.event;
      else yield* kept(said.fact, deps);
    }
  } catch (error) {
    return { ...failure(error), status: ctx.signal.aborted ? "interrupted" : "error" };
  } finally {
    await run.return({ status: "interrupted", content: [] });
  }
}

/** A sub-agent's beginning is durable before it begins: none is begun twice (E3). */
async function* kept(fact: LogBody, { log }: LoopDeps): AsyncGenerator<SessionEvent> {
  yield await log.append(fact);
  if (fact.type === "agent.started") await log.barrier();
}

function failure(error: unknown): { status: "error"; content: ContentBlock[]; touched: [] } {
  const words = error instanceof Error ? error.message : String(error);
  return { status: "error", content: [text(`The tool failed: ${words.split("\n")[0] ?? ""}`)], touched: [] };
}

function saved({ status, content, details, touched = [], shell, sideEffects }: Outcome): SavedOutcome {
  return {
    status: status === "waiting" ? "error" : status,
    content,
    touched,
    ...(details === undefined ? {} : { details }),
    ...(shell === undefined ? {} : { shell }),
    ...(sideEffects === undefined ? {} : { sideEffects }),
  };
}

/** Appends the one result of a call. */
export async function* finishCall(
  callId: string,
  outcome: SavedOutcome,
  deps: LoopDeps,
  run: { operationId?: string; durationMs?: number } = {},
): AsyncGenerator<SessionEvent, undefined> {
  const said = personWords(deps.log.state.calls.get(callId));
  const content = await capped(callId, told([...outcome.content, ...said], deps), deps);
  const operation = run.operationId === undefined ? {} : { operationId: run.operationId };
  yield await deps.log.append({
    type: "call.finished",
    callId,
    ...operation,
    ...outcome,
    content,
    durationMs: run.durationMs ?? 0,
  });
  return undefined;
}
