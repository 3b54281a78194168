import type { ToolUseBlock } from "../events/block.ts";
import type { SessionEvent } from "../events/event.ts";
import { rehearses } from "../events/layers.ts";
import { merge } from "../util/merge.ts";
import { stopOf } from "./deadline.ts";
import type { LoopDeps, Stop } from "./deps.ts";
import { withoutKeys } from "./keys.ts";
import { prepare, type Prepared } from "./prepare.ts";
import { finishCall, runCall } from "./run-call.ts";
import { interruptedText } from "./say.ts";

/**
 * Runs the calls of one reply: consecutive parallel-safe ones together (bounded), any other alone, AskUser last (L7). Each gets exactly one
 * result (L4), unless the query waits for a person's answer: further questions of the reply wait with it.
 */
export async function* runCalls(
  blocks: readonly ToolUseBlock[],
  deps: LoopDeps,
  signal: AbortSignal,
): AsyncGenerator<SessionEvent, Stop | undefined> {
  // A hook may make of a call what is not safe beside others.
  const alone = (p: Prepared): Prepared => (hooked(p, deps) || inTurn(p, deps) ? { ...p, parallel: false } : p);
  const prepared = blocks.map((block) => alone(withoutKeys(prepare(block, deps.tools), deps)));
  const inOrder = [...prepared.filter((p) => !asks(p)), ...prepared.filter(asks)];
  let stop: Stop | undefined;
  for (const group of groups(inOrder)) {
    if (signal.aborted) stop ??= stopOf(signal);
    if (stop?.reason === "waiting" && !signal.aborted && group.every(asks)) continue;
    const stops = stop === undefined ? yield* runGroup(group, deps, signal) : yield* skip(group, stop, deps);
    stop ??= stops.find((s) => s !== undefined);
  }
  if (!signal.aborted) return stop;
  yield* closeOpen(stopOf(signal), deps);
  return stopOf(signal);
}

/** Whatever is open when the query is stopped has its result too (L4): a question that waits would wait for nobody. */
export async function* closeOpen(stop: Stop, deps: LoopDeps): AsyncGenerator<SessionEvent, void> {
  const open = [...deps.log.state.calls.values()].filter((call) => call.result === undefined);
  for (const { callId } of open)
    yield* finishCall(callId, { status: "interrupted", content: interruptedText(stop), touched: [] }, deps);
}

function hooked({ block }: Prepared, { hooks }: LoopDeps): boolean {
  return (hooks?.concerned("PreToolUse", block.name).length ?? 0) > 0;
}

/** Sub-agents of a rehearsal leave layers, each on those before it. */
function inTurn(call: Prepared, { log }: LoopDeps): boolean {
  return call.ok && call.tool.agents === true && rehearses(log.state);
}

function asks(call: Prepared): boolean {
  return call.ok && call.tool.last === true;
}

/** Consecutive calls that may run together; every other is a group of its own. */
function groups(calls: readonly Prepared[]): Prepared[][] {
  const out: Prepared[][] = [];
  let open: Prepared[] | undefined;
  for (const call of calls) {
    if (!call.parallel) open = undefined;
    if (open === undefined) out.push((open = [call]));
    else open.push(call);
    if (!call.parallel) open = undefined;
  }
  return out;
}

/** A bare no to one of them interrupts the others, open questions included: the person was heard (UX P-7). */
function runGroup(
  group: readonly Prepared[],
  deps: LoopDeps,
  signal: AbortSignal,
): AsyncGenerator<SessionEvent, (Stop | undefined)[]> {
  const over = new AbortController();
  const until = AbortSignal.any([signal, over.signal]);
  const runs = group.map(async function* (call): AsyncGenerator<SessionEvent, Stop | undefined> {
    const stop = yield* runCall(call, deps, until);
    if (stop?.reason === "denied") over.abort(stop);
    return stop;
  });
  return merge(runs, deps.limits.parallel);
}

async function* skip(group: readonly Prepared[], stop: Stop, deps: LoopDeps): AsyncGenerator<SessionEvent, []> {
  for (const { block } of group) {
    yield* finishCall(block.id, { status: "interrupted", content: interruptedText(stop), touched: [] }, deps);
  }
  return [];
}
