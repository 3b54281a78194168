import { textOf } from "../events/block.ts";
import type { SessionEvent } from "../events/event.ts";
import type { GroupState } from "../events/state.ts";
import { askedBy } from "../tools/shell-result.ts";
import { bringBack } from "./bring-back.ts";
import type { LoopDeps } from "./deps.ts";
import { prepare } from "./prepare.ts";
import { effectOf } from "./effect-of.ts";
import { shellChangesText } from "./say.ts";

/** Appends the end of every background shell that ended since: by itself, or with an earlier run of the program. */
export async function* noteEnded(deps: LoopDeps): AsyncGenerator<SessionEvent, void> {
  const { groups } = await deps.sandbox();
  for (const { groupId, end } of deps.log.state.groups) {
    if (end !== undefined) continue;
    const live = groups?.find(groupId);
    if (live !== undefined && live.end === undefined) continue;
    const how = live?.end ?? { reason: "lost", code: null, signal: null };
    yield await deps.log.append({ type: "group.ended", groupId, how, told: false });
  }
}

/**
 * At the end of a query: what background shells changed and nobody was asked about is put before the person, so that nothing that
 * the model forgot stays behind. The model is told with the next message.
 */
export async function* offerChanges(deps: LoopDeps, signal: AbortSignal): AsyncGenerator<SessionEvent, void> {
  const { groups } = await deps.sandbox();
  for (const group of groups?.all() ?? []) {
    const state = deps.log.state.groups.find((g) => g.groupId === group.info.id);
    if (state !== undefined && !signal.aborted) yield* offer(state, deps, signal);
  }
}

async function* offer(state: GroupState, deps: LoopDeps, signal: AbortSignal): AsyncGenerator<SessionEvent, void> {
  const { groups } = await deps.sandbox();
  const group = groups?.find(state.groupId);
  const known = deps.log.state.calls.get(state.callId);
  if (groups === undefined || group === undefined || known === undefined) return;
  const call = prepare({ type: "tool_use", id: known.callId, name: known.tool, input: known.input }, deps.tools);
  if (!call.ok) return;
  const operationId = deps.makeId("op");
  const ctx = await deps.context({ callId: state.callId, operationId }, signal, deps.asker);
  if (((await groups.changes(group, askedBy(ctx))) ?? []).length === 0) {
    // What the door brought into it, and nothing else, is left of it.
    if (group.end !== undefined) await groups.forget(group);
    return;
  }
  const found = await groups.collect(group, operationId, askedBy(ctx));
  const effect = await effectOf(call.tool, call.input, ctx);
  if (found === undefined || "failed" in effect) return;
  const outcome = { status: "ok" as const, content: [], touched: [] };
  const step = { call, effect: { ...effect, needs: [] }, ctx };
  const brought = yield* bringBack(found.set, outcome, step, deps, signal);
  const words = textOf(brought.outcome.content);
  if (words !== "") yield await deps.log.append({ type: "note.added", text: shellChangesText(state.groupId, words) });
}
