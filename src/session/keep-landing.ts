import type { LoopDeps } from "../loop/deps.ts";
import { keyOf, landedOf } from "../loop/land-by-rule.ts";
import { showPath } from "../util/bytes.ts";
import { visible } from "../util/visible.ts";
import type { Change } from "../workspace/change.ts";
import { pathsOf } from "./catch-up.ts";
import type { LiveParts } from "./live-parts.ts";
import type { ChangeReport } from "./session.ts";
import { countWords } from "./step-words.ts";

/** Lands the regenerable output that the session kept in its copy (P9), oldest layer first. */
export async function landKept(parts: LiveParts, deps: LoopDeps): Promise<ChangeReport> {
  const kept = parts.log.state.steps.filter((s) => s.kept);
  const journal = await parts.workspace.journal();
  const paths: string[] = [];
  const landed: Change[] = [];
  for (const step of kept) {
    const { operationId } = step;
    const set = await parts.workspace.readProposal(operationId);
    if (set === undefined) continue;
    const before = landedOf(operationId, journal);
    const changes = set.changes.filter((c) => deps.regenerable(c) && !before.has(keyOf(c)));
    const landing = await parts.workspace.land({ ...set, operationId: `${operationId}-kept`, changes });
    if (!landing.ok) {
      const why = landing.conflicts.map((c) => `${showPath(c.path)}: ${c.why}`).join("; ");
      return { ok: false, text: `Stopped before ${operationId}: ${why}`, paths };
    }
    await parts.log.append({ type: "changes.dropped", operationId, reason: "landed by the person" });
    paths.push(...pathsOf({ changes }, parts.workspace));
    landed.push(...changes);
  }
  return {
    ok: true,
    text: landed.length === 0 ? "Nothing is kept in the copy." : landedText(landed, parts),
    paths,
  };
}

/** What came and what went: a `rm -rf node_modules` that was kept deletes the folder's own. */
function landedText(landed: readonly Change[], parts: LiveParts): string {
  const gone = landed.filter((c) => c.op === "delete");
  const came = landed.filter((c) => c.op !== "delete");
  const names = gone.slice(0, 5).map((c) => visible(showPath(c.path), ""));
  const more = gone.length > 5 ? ` and ${gone.length - 5} more` : "";
  return [
    ...(came.length === 0 ? [] : [`Landed: ${countWords(came, parts.workspace)}.`]),
    ...(gone.length === 0 ? [] : [`Deleted: ${countWords(gone, parts.workspace)} (${names.join(", ")}${more}).`]),
  ].join(" ");
}
