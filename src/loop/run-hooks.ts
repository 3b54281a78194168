import type { LogBodyOf, SessionEvent } from "../events/event.ts";
import type { Hook } from "../hooks/hook.ts";
import { type Heard, mergeAnswers, type Merged } from "../hooks/merge.ts";
import { type HookEvent, type HookFields, type HookInput, subjectOf } from "../hooks/moment.ts";
import type { Ran } from "../hooks/run-hook.ts";
import { merge } from "../util/merge.ts";
import type { HookAt, LoopDeps, Stop } from "./deps.ts";
import { adoptTouched, type Touched } from "./hook-touched.ts";
import { contextText } from "./hook-words.ts";

/** Hooks of one moment that run side by side. */
const MOST_AT_ONCE = 8;

/**
 * The one way by which hooks run (H1): those that concern this moment, side by side, each run told in the order in which they are written.
 * That they begin is durable first, so that none is ever run twice (E3). What they add for the model is a note. An aborted signal ends them.
 */
export async function* runHooks<E extends HookEvent>(
  event: E,
  fields: HookFields[E],
  deps: LoopDeps,
  signal: AbortSignal,
  at: HookAt = {},
): AsyncGenerator<SessionEvent, Merged> {
  const { hooks: all, log } = deps;
  const hooks = all?.concerned(event, subjectOf(event, fields)) ?? [];
  if (all === undefined || hooks.length === 0 || signal.aborted) return mergeAnswers([]);
  const call = at.callId === undefined ? {} : { callId: at.callId };
  yield await log.append({ type: "hook.started", event, names: hooks.map((h) => h.name), ...call });
  await log.barrier();
  const input = { ...all.common(), hook_event_name: event, ...fields } as HookInput;
  const sight = at.operationId === undefined ? undefined : await deps.workspace.seeStep(at.operationId);
  const runs = hooks.map((hook) => run(hook, input, deps, signal, at));
  const ran = yield* merge(runs, MOST_AT_ONCE);
  const touched = sight === undefined ? undefined : await adoptTouched(sight, hooks, deps);
  return yield* tell(hooks, ran, { event, ...call }, deps, touched);
}

async function* run(
  hook: Hook,
  input: HookInput,
  deps: LoopDeps,
  signal: AbortSignal,
  at: HookAt,
): AsyncGenerator<SessionEvent, Ran> {
  if (hook.inCopy && hook.run.kind === "command" && deps.hookInCopy !== undefined)
    return yield* deps.hookInCopy(hook, hook.run.command, input, deps, signal, at);
  return (await deps.hooks?.run(hook, input, signal)) ?? { exit: null, durationMs: 0, failed: "there are no hooks" };
}

async function* tell(
  hooks: readonly Hook[],
  ran: readonly Ran[],
  of: { event: HookEvent; callId?: string },
  deps: LoopDeps,
  touched: Touched | undefined,
): AsyncGenerator<SessionEvent, Merged> {
  const heard: Heard[] = [];
  for (const [n, hook] of hooks.entries()) {
    const answer = asItCounts(of.event, ran[n] ?? { exit: null, durationMs: 0, failed: "it did not run" });
    heard.push({ ...answer, name: hook.name });
    const { exit, durationMs, ...said } = answer;
    const last = n === hooks.length - 1 && touched !== undefined ? touched.fact : {};
    const { name, source } = hook;
    const other = said.input !== undefined && heard.some((h, i) => i < n && h.input !== undefined);
    const note = [said.note, ...(other ? ["an earlier hook's input counts"] : [])]
      .filter((w) => w !== undefined)
      .join("; ");
    const fact: LogBodyOf<"hook.ran"> = {
      type: "hook.ran",
      ...of,
      name,
      source,
      exit,
      durationMs,
      ...said,
      ...(note === "" ? {} : { note }),
      ...last,
    };
    yield await deps.log.append(fact);
  }
  const merged = mergeAnswers(heard);
  if (touched !== undefined) yield await deps.log.append({ type: "note.added", text: touched.words });
  for (const { name, text } of merged.context)
    yield await deps.log.append({ type: "note.added", text: contextText(name, of.event, text) });
  return merged;
}

/** A hook that was to judge a call and could not: the person judges (never silently, H4). Its allow is nobody's word (H2). */
function asItCounts(event: HookEvent, ran: Ran): Ran {
  if (ran.failed === undefined || event !== "PreToolUse") return ran;
  return { ...ran, decision: "ask", reason: `it failed, so the call asks: ${ran.failed}` };
}

/** How a query ends that a hook ends. */
export function stoppedBy({ stop }: Merged): Stop | undefined {
  return stop === undefined
    ? undefined
    : { reason: "denied", detail: `Stopped by the hook ${stop.name}: ${stop.reason}` };
}
