import { belongsTo } from "../events/agent-id.ts";
import type { LogEvent } from "../events/event.ts";
import { maskDeep } from "../util/secrets/deep.ts";
import type { FileDiff } from "../workspace/workspace.ts";
import type { LiveParts } from "./live-parts.ts";
import { stepNamed } from "./step-words.ts";

/** What changed, and what that is to be read as. */
export interface Changed {
  title: string;
  diffs: readonly FileDiff[];
}

/** What the person can look at: nothing here changes anything. */
export interface Looks {
  /** All that happened in the session, oldest first; facts are only ever added. */
  facts(): readonly LogEvent[];
  /** What the session's landed steps made together, or one of them; undefined where there is no such step. */
  changed(step?: string): Promise<Changed | undefined>;
  /** What the folder holds that git's last commit doesn't, whoever changed it; text: why that can't be told. */
  sinceCommit(): Promise<Changed | string>;
}

export function looksOf({ log, workspace }: Pick<LiveParts, "log" | "workspace">): Looks {
  return {
    facts: () => log.events,
    async changed(step) {
      const journal = await workspace.journal();
      if (step !== undefined) {
        const found = stepNamed(journal, step);
        const diffs = found === undefined ? undefined : await workspace.stepDiffs(found.operationId);
        if (found === undefined || diffs === undefined) return undefined;
        return maskDeep({ title: `step ${found.operationId}`, diffs }, log.secrets);
      }
      const own = journal.filter((s) => s.status === "landed" && belongsTo(s.sessionId, log.state.id));
      const diffs = await workspace.stepsDiffs(own.map((s) => s.operationId));
      return maskDeep({ title: "what this session changed", diffs }, log.secrets);
    },
    async sinceCommit() {
      const since = await workspace.sinceCommit();
      if (typeof since === "string") return since;
      const { commit, diffs, left } = since;
      const of = commit === undefined ? "before the first commit" : `since commit ${commit.slice(0, 8)}`;
      const more = left === 0 ? "" : `, ${left} more files not shown`;
      return maskDeep({ title: `what changed ${of}${more}`, diffs }, log.secrets);
    },
  };
}
