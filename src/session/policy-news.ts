import { statSync } from "node:fs";
import type { Rule } from "../events/effect.ts";
import type { EventLog } from "../events/log.ts";
import type { LogEvent } from "../events/event.ts";
import { sameRule, type LiveRules, type RuleFiles } from "./policy-live.ts";

/**
 * Tells the person once that the files' rules are other ones by now (P6); they count from where the person takes them over. The files are
 * read only where one of them was written.
 */
export function ruleNews(
  log: EventLog,
  files: RuleFiles | undefined,
  rules: LiveRules,
): () => Promise<readonly LogEvent[]> {
  let stamp = files?.stamp();
  return async () => {
    const now = files?.stamp();
    if (files === undefined || now === stamp) return [];
    stamp = now;
    const text = newsOf(files, rules);
    return text === undefined ? [] : [await log.append({ type: "limit.warned", limit: "rules", text })];
  };
}

function newsOf(files: RuleFiles, rules: LiveRules): string | undefined {
  try {
    const { fresh, gone } = differences(rules.now(), files.read().rules);
    const count = fresh.length + gone.length;
    if (count === 0) return undefined;
    return `${count === 1 ? "A rule" : `${count} rules`} of the settings' files changed. Those of the start count until you take the others over: /permissions.`;
  } catch (error) {
    const [first = ""] = (error instanceof Error ? error.message : String(error)).split("\n");
    return `The settings can't be read any more: ${first} Their rules count as they were.`;
  }
}

/** What files have that doesn't count yet, and what counts that they have no more. */
export function differences(counting: readonly Rule[], read: readonly Rule[]): { fresh: Rule[]; gone: Rule[] } {
  const without = (of: readonly Rule[], others: readonly Rule[]) =>
    of.filter((rule) => !others.some((other) => sameRule(other, rule)));
  return { fresh: without(read, counting), gone: without(counting, read) };
}

/** Changes whenever one of these files is written, comes or goes. */
export function stampOf(paths: readonly string[]): string {
  return paths
    .map((path) => {
      const stat = statSync(path, { bigint: true, throwIfNoEntry: false });
      return stat === undefined ? "-" : `${stat.ino}:${stat.mtimeNs}:${stat.size}`;
    })
    .join(" ");
}
