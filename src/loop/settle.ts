import { text, type ToolUseBlock } from "../events/block.ts";
import type { Effect } from "../events/effect.ts";
import type { SavedOutcome, SessionEvent } from "../events/event.ts";
import { rehearses } from "../events/layers.ts";
import { settle as settlements, type Settlement } from "../events/settle.ts";
import type { CallState } from "../events/state.ts";
import type { JournalStep } from "../workspace/workspace.ts";
import { merge } from "../util/merge.ts";
import { assertNever } from "../util/never.ts";
import { carryOut, pendingOutcome, settleProposal } from "./bring-back.ts";
import { stopOf } from "./deadline.ts";
import { hasOutput } from "./command-of.ts";
import type { LoopDeps, Stop } from "./deps.ts";
import type { Step } from "./judge.ts";
import { withoutKeys } from "./keys.ts";
import { prepare } from "./prepare.ts";
import { leaves } from "./leaves.ts";
import { finishCall, runCall } from "./run-call.ts";
import { closeOpen } from "./run-calls.ts";
import { afterTool } from "./tool-hooks.ts";
import { CONFLICTED, deniedText, droppedText, interruptedText, LOST, UNKNOWN } from "./say.ts";

/**
 * Gives every unfinished call of a loaded session its one result (E3): runs again what is harmless, asks again what was open, finishes
 * what landed, and calls unknown what nobody can see. `answers`: the person's, to the open questions in their order.
 */
export async function* settle(
  deps: LoopDeps,
  signal: AbortSignal,
  answers: readonly string[] = [],
): AsyncGenerator<SessionEvent, Stop | undefined> {
  const journal = await deps.workspace.journal();
  const withStatus = (status: JournalStep["status"]) =>
    new Set(journal.filter((s) => s.status === status).map((s) => s.operationId));
  const known = { landed: withStatus("landed"), undone: withStatus("undone") };
  const contained = (call: CallState) => deps.tools.some((t) => t.name === call.tool) && !leftTheCopy(call, deps);
  const given = [...answers];
  const askPerson: LoopDeps["asker"]["askPerson"] = async (...asked) => given.shift() ?? deps.asker.askPerson(...asked);
  const answering = { ...deps, asker: { ...deps.asker, askPerson } };
  let stop: Stop | undefined;
  const one = async function* (
    next: Settlement,
    before: Stop | undefined,
  ): AsyncGenerator<SessionEvent, Stop | undefined> {
    const call = deps.log.state.calls.get(next.callId);
    if (call === undefined || (before?.reason === "waiting" && asksPerson(call, deps))) return before;
    const ended =
      before === undefined ? yield* settleOne(next, call, answering, signal) : yield* interrupt(call, before, deps);
    // Hooks behind a call that the crash left without a result, and that have not begun.
    return before ?? ended ?? (yield* afterTool(next.callId, deps, signal));
  };
  for (const group of together(settlements(deps.log.state, { ...known, contained }), deps)) {
    if (signal.aborted) stop ??= stopOf(signal);
    const before = stop;
    const runs = group.map((next) => one(next, before));
    const stops = yield* merge(runs, deps.limits.parallel);
    stop ??= stops.find((s) => s !== undefined);
  }
  if (!signal.aborted) return stop;
  yield* closeOpen(stopOf(signal), deps);
  return stopOf(signal);
}

/** Sub-agents that worked side by side go on side by side; every other call is alone. In a rehearsal they leave layers, each on those before it. */
function together(all: readonly Settlement[], { log, tools }: LoopDeps): Settlement[][] {
  const out: Settlement[][] = [];
  let open: Settlement[] | undefined;
  for (const next of all) {
    const name = log.state.calls.get(next.callId)?.tool;
    const agent = tools.find((t) => t.name === name)?.agents === true && !rehearses(log.state);
    if (agent && open !== undefined) open.push(next);
    else out.push((open = [next]));
    if (!agent) open = undefined;
  }
  return out;
}

/** Questions wait together: each of them can be answered. */
function asksPerson(call: CallState, { tools }: LoopDeps): boolean {
  return tools.find((t) => t.name === call.tool)?.last === true;
}

/** Something of it may be outside already: allowed before it ran to leave the copy. */
function leftTheCopy({ callId }: CallState, deps: LoopDeps): boolean {
  return deps.log.events.some(
    (e) =>
      e.type === "permission.decided" &&
      e.callId === callId &&
      e.gate === "needs" &&
      e.effect?.needs.some(leaves) === true,
  );
}

async function* settleOne(
  next: Settlement,
  call: CallState,
  deps: LoopDeps,
  signal: AbortSignal,
): AsyncGenerator<SessionEvent, Stop | undefined> {
  switch (next.action) {
    case "not-begun":
    case "run-again":
      return yield* runCall(withoutKeys(prepare(blockOf(call), deps.tools), deps), deps, signal);
    case "ask-again":
      return next.gate === "needs"
        ? yield* runCall(withoutKeys(prepare(blockOf(call), deps.tools), deps), deps, signal)
        : yield* again(call, deps, signal);
    case "roll-forward":
    case "finish-from-proposed":
      return yield* finishProposed(next, call, deps, signal);
    case "finish-denied":
      return yield* finishDenied(next, call, deps);
    case "finish-conflicted":
      return yield* finishWith(call, { status: "error", content: [text(CONFLICTED)], touched: [] }, deps);
    case "unknown":
      return yield* finishCall(call.callId, { status: "unknown", content: [text(UNKNOWN)], touched: [] }, deps);
    case "interrupted":
      return yield* interrupt(call, { reason: "interrupted" }, deps);
    default:
      return assertNever(next);
  }
}

/** Its changes were proposed and not decided on: asked again on the same set. */
async function* again(
  call: CallState,
  deps: LoopDeps,
  signal: AbortSignal,
): AsyncGenerator<SessionEvent, Stop | undefined> {
  const { step, set, proposed } = await proposalOf(call, deps, signal);
  if (step === undefined || set === undefined || proposed === undefined) return yield* lost(call, deps);
  const brought = yield* settleProposal(set, proposed.summary, proposed.outcome, step, deps, signal);
  if (brought.again !== undefined) return yield* runCall(brought.again, deps, signal);
  return (yield* finishCall(call.callId, brought.outcome, deps, { operationId: step.ctx.operationId })) ?? brought.stop;
}

async function* finishProposed(
  next: Settlement & { action: "roll-forward" | "finish-from-proposed" },
  call: CallState,
  deps: LoopDeps,
  signal: AbortSignal,
): AsyncGenerator<SessionEvent, Stop | undefined> {
  if (next.action === "finish-from-proposed" && !next.landed && call.proposed !== undefined) {
    return yield* finishCall(call.callId, await waitingOutcome(call, deps, signal), deps, {
      operationId: next.operationId,
    });
  }
  const { step, set, proposed } = await proposalOf(call, deps, signal);
  if (step === undefined || set === undefined || proposed === undefined) return yield* lost(call, deps);
  const known = next.action === "finish-from-proposed" && !next.record;
  const left = (call.dropped ?? []).map(({ root, path, hunks }) => ({
    root,
    path,
    ...(hunks === undefined ? {} : { hunks }),
  }));
  const verdict = { allow: true, by: "person", left, withRegenerable: call.withRegenerable === true } as const;
  const brought = yield* carryOut(set, proposed.summary, proposed.outcome, step, verdict, deps, known);
  return yield* finishCall(call.callId, brought.outcome, deps, { operationId: next.operationId });
}

/** What was proposed, with the words about what waits where it does. */
async function waitingOutcome(call: CallState, deps: LoopDeps, signal: AbortSignal): Promise<SavedOutcome> {
  const { callId, operationId, proposed } = call;
  if (proposed === undefined || operationId === undefined) throw new Error(`call ${callId} proposed nothing`);
  const step = deps.log.state.steps.findLast((s) => s.operationId === operationId);
  if (step?.status !== "pended" && step?.status !== "squashed") return proposed.outcome;
  const ctx = await deps.context({ callId, operationId }, signal, deps.asker);
  return pendingOutcome(proposed.outcome, proposed.summary, ctx);
}

async function* finishDenied(
  next: Settlement & { action: "finish-denied" },
  call: CallState,
  deps: LoopDeps,
): AsyncGenerator<SessionEvent, Stop | undefined> {
  const { callId, note } = call;
  const reason = "the person said no before the program ended";
  if (next.gate === "needs")
    return yield* finishCall(callId, { status: "denied", content: deniedText(reason, note), touched: [] }, deps);
  if (
    next.operationId !== undefined &&
    deps.log.state.steps.findLast((s) => s.operationId === next.operationId)?.status === "proposed"
  ) {
    await deps.workspace.drop(next.operationId);
    yield await deps.log.append({ type: "changes.dropped", callId, operationId: next.operationId, reason });
  }
  return yield* finishWith(call, { status: "denied", content: [text(droppedText(reason, note))], touched: [] }, deps);
}

/** The loop's words behind what the call itself had to say. */
function finishWith(call: CallState, outcome: SavedOutcome, deps: LoopDeps): AsyncGenerator<SessionEvent, undefined> {
  // What a command said is worth reading; "Deleted a.txt" of what did not land would be a lie.
  const before = hasOutput(call.input) ? (call.proposed?.outcome.content ?? []) : [];
  return finishCall(call.callId, { ...outcome, content: [...before, ...outcome.content] }, deps);
}

function lost(call: CallState, deps: LoopDeps): AsyncGenerator<SessionEvent, undefined> {
  return finishCall(call.callId, { status: "error", content: [text(LOST)], touched: [] }, deps);
}

function interrupt(call: CallState, stop: Stop, deps: LoopDeps): AsyncGenerator<SessionEvent, undefined> {
  return finishCall(call.callId, { status: "interrupted", content: interruptedText(stop), touched: [] }, deps);
}

async function proposalOf(call: CallState, deps: LoopDeps, signal: AbortSignal) {
  const { callId, operationId, proposed } = call;
  const prepared = prepare(blockOf(call), deps.tools);
  if (operationId === undefined || !prepared.ok) return {};
  const ctx = await deps.context({ callId, operationId }, signal, deps.asker);
  const effect: Effect = {
    tool: call.tool,
    subject: prepared.tool.subject(prepared.input),
    needs: [],
    contained: ctx.sandbox.contained,
  };
  const step: Step = { call: prepared, effect, ctx };
  return { step, proposed, set: await deps.workspace.readProposal(operationId) };
}

function blockOf(call: CallState): ToolUseBlock {
  return { type: "tool_use", id: call.callId, name: call.tool, input: call.input };
}
