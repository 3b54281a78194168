import type { Rule } from "../events/effect.ts";
import type { Hides } from "../sandbox/hides.ts";
import { readPath } from "./glob.ts";
import { ruleBook } from "./rule-match.ts";

/** git's own files are of no use to anybody once parts of them are missing. */
const GIT = /(^|\/)\.git(\/|$)/i;

/**
 * What the `Read(…)` denies hide from commands in the copy (P6), or undefined where there is none. A rule that only says what a name looks
 * like hides nothing of git's own; `Read` alone is about the tool.
 */
export function hidesOf(rules: readonly Rule[]): Hides | undefined {
  const patterns = ruleBook(rules).deny.flatMap((rule) =>
    rule.kind === "path" && rule.of === "Read" && rule.paths !== undefined ? [{ rule, paths: rule.paths }] : [],
  );
  if (patterns.length === 0) return undefined;
  return {
    key: patterns.map(({ rule }) => rule.rule.text).join("\n"),
    touches(path) {
      let most: "yes" | "below" | "no" = "no";
      const [read, isGit] = [readPath(path), GIT.test(path)];
      for (const { paths } of patterns) {
        if (isGit && paths.floating) continue;
        const hit = paths.touches(read);
        if (hit === "yes") return "yes";
        if (hit === "below") most = "below";
      }
      return most;
    },
  };
}
