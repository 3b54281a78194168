import type { ChangeSummary, Effect } from "../events/effect.ts";
import type { SavedOutcome, SessionEvent } from "../events/event.ts";
import { earlierFiles } from "../events/turn-files.ts";
import type { OneOfMany } from "../permissions/asker.ts";
import { buildQuestion } from "../permissions/question.ts";
import { resultHash } from "../permissions/shown.ts";
import type { ToolContext } from "../tools/tool.ts";
import type { ChangeSet } from "../workspace/change.ts";
import { commandOf } from "./command-of.ts";
import { decideNow } from "./decide-now.ts";
import type { LoopDeps } from "./deps.ts";
import { foldersOf, foresee, type Foreseen } from "./foresee.ts";
import { permit, type Verdict } from "./permit.ts";
import type { Prepared } from "./prepare.ts";
import { proposedFile } from "./rewritten.ts";

export interface Step {
  call: Prepared & { ok: true };
  effect: Effect;
  ctx: ToolContext;
}

/**
 * Decides on a proposed change set: by what a question of before said of it, by policy and rules, or by the person, who is asked about the
 * edits next to it as well where that can be (ADR 37).
 */
export async function* judge(
  set: ChangeSet,
  summary: ChangeSummary,
  outcome: SavedOutcome,
  { call, effect, ctx }: Step,
  deps: LoopDeps,
  signal: AbortSignal,
): AsyncGenerator<SessionEvent, Verdict> {
  const { callId } = ctx;
  const earlier = earlierFiles(deps.log.state, callId, summary);
  const changed = { ...effect, needs: [], changes: summary, ...(earlier === undefined ? {} : { earlier }) };
  const open = deps.log.state.calls.get(callId)?.question;
  const folders = foldersOf(deps);
  const exact = async (): Promise<string> =>
    resultHash(call.tool.name, summary, await deps.workspace.diffs(set, ctx.view));
  try {
    return yield* permit(
      {
        callId,
        gate: "changes",
        effect: changed,
        ...(open === undefined ? {} : { questionId: open.questionId }),
        exact,
        question: async (id, decision) => {
          const diffs = await deps.workspace.diffs(set, ctx.view);
          const first = { call, effect: changed, ctx, shown: resultHash(call.tool.name, summary, diffs) };
          const all = await foresee(first, folders, deps, signal);
          const of = all ?? { set, effect: changed, diffs };
          const { command } = await commandOf(call.input, ctx, changed);
          const output = outcome.content.flatMap((b) => (b.type === "text" ? [b.text] : [])).join("\n");
          return buildQuestion({
            id,
            callId,
            gate: "changes",
            effect: of.effect,
            decision: all === undefined ? decision : decideNow(all.effect, deps),
            diffs: of.diffs,
            savedTo: deps.savedTo,
            where: ctx.roots.map((root) => root.path),
            open: (diff) => deps.workspace.openFile(of.set, ctx.view, diff),
            networkAllowed: effect.needs.some((need) => need.kind === "network"),
            ...proposedFile(set, { call, ctx }, deps),
            ...(command === undefined ? {} : { command: { ...command, output } }),
            ...(all === undefined ? {} : { together: all.calls.map(oneOf) }),
          });
        },
      },
      deps,
      signal,
    );
  } finally {
    await folders.drop();
  }
}

function oneOf({ callId, effect, diffs, shown }: Foreseen): OneOfMany {
  const { tool, subject, changes } = effect;
  return { callId, tool, subject, entries: changes.entries, diffs, shown };
}
