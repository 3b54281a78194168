import type { ChangeSummary } from "../events/effect.ts";
import type { SessionEvent } from "../events/event.ts";
import type { SessionState } from "../events/state.ts";
import type { ToolContext } from "../tools/tool.ts";
import type { ChangeSet } from "../workspace/change.ts";
import { changesNothing } from "../permissions/risk.ts";
import type { LoopDeps } from "./deps.ts";
import { featureGate } from "./feature-gate.ts";

/** What the program itself holds a session to, whatever mode, rules and answers say: those of the person's session count for its agents. */
export type Held = Pick<SessionState, "work" | "judge">;

/** Why a proposed change set may not land for now, in words for the model; undefined: it may be judged. */
export async function* heldBack(
  set: ChangeSet,
  summary: ChangeSummary,
  ctx: ToolContext,
  deps: LoopDeps,
  signal: AbortSignal,
): AsyncGenerator<SessionEvent, string | undefined> {
  const { judge } = deps.held();
  const effect = { tool: "", subject: "", needs: [], contained: true, changes: summary };
  if (judge !== undefined && judge.contract === undefined && !changesNothing(effect))
    return "no contract is agreed for this message yet. Propose it first, in words and without a call: what you will do, and how each point is checked";
  return yield* featureGate(set, summary, ctx, deps, signal);
}
