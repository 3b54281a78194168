import type { ChangeSummary } from "../events/effect.ts";
import { type Layer, layersOf } from "../events/layers.ts";
import type { SavedOutcome, SessionEvent, Touch } from "../events/event.ts";
import type { SessionState } from "../events/state.ts";
import type { ChangeSet } from "../workspace/change.ts";
import { MAX_LAYERS } from "../workspace/pending.ts";
import type { View } from "../workspace/workspace.ts";
import type { LoopDeps } from "./deps.ts";
import { type Changed, pendedText } from "./say.ts";

/** What is pended, and who asked for it. */
export interface Pended {
  set: ChangeSet;
  summary: ChangeSummary;
  /** Of a call; none for a command of the person's. */
  callId?: string;
  /** What the step saw. */
  view: View;
}

/** In a rehearsal: makes a proposed change set a layer of the session's copy, a fact (W6). Nothing reaches the folder. */
export async function* pend(
  { set, summary, callId, view }: Pended,
  touches: (set: ChangeSet) => Touch[],
  deps: LoopDeps,
): AsyncGenerator<SessionEvent, void> {
  const layer = await deps.workspace.pending((c) => deps.regenerable(c)).freeze(set, view);
  yield await deps.log.append({
    type: "changes.pended",
    ...(callId === undefined ? {} : { callId }),
    operationId: set.operationId,
    summary,
    touched: touches(layer),
  });
  yield* squashMany(deps);
}

/** Too many layers become one (SANDBOX 9). The old ones go only when the log knows of the new one. */
export async function* squashMany(deps: LoopDeps): AsyncGenerator<SessionEvent, void> {
  const layers = layersOf(deps.log.state);
  if (layers.length <= MAX_LAYERS) return;
  // They lie under the mounts of a background shell as long as it lives.
  if (((await deps.sandbox()).groups?.living().length ?? 0) > 0) return;
  const set = await deps.workspace.pending((c) => deps.regenerable(c)).squash(deps.makeId("op"), layers);
  const { operationId } = set;
  const { state } = deps.log;
  const seen = await deps.workspace.summarize(set, deps.facts(state), deps.workspace.view([]));
  const summary = withSideEffects(seen, state, layers);
  const kept = set.changes.some((c) => deps.regenerable(c));
  const pended = layers.some((l) => l.pended) && set.changes.some((c) => !deps.regenerable(c));
  const from = layers.map((l) => l.operationId);
  yield await deps.log.append({ type: "changes.squashed", operationId, from, pended, kept, summary });
  await deps.log.barrier();
  for (const id of from) await deps.workspace.drop(id);
}

/** A sum with what its steps did beyond the copy, which no review takes back. */
export function withSideEffects(
  summary: ChangeSummary,
  { steps }: Pick<SessionState, "steps">,
  layers: readonly Layer[],
): ChangeSummary {
  const ids = new Set(layers.map((l) => l.operationId));
  const did = steps.flatMap((s) => (ids.has(s.operationId) ? (s.summary?.sideEffects ?? []) : []));
  return did.length === 0 ? summary : { ...summary, sideEffects: did };
}

/** The outcome of a call whose changes wait. */
export function withPending(
  outcome: SavedOutcome,
  changed: readonly Changed[],
  git: ChangeSummary["git"],
): SavedOutcome {
  const note = pendedText({ changed, git });
  return { ...outcome, content: [...outcome.content, { type: "text", text: note }] };
}
