import type { ChangeEntry, ChangeSummary, Effect, Mark, Need, Rule } from "../../../src/events/effect.ts";

/** An entry of a change set, a modified file unless told otherwise. */
export function entry(path: string, more: Partial<ChangeEntry> = {}): ChangeEntry {
  return { root: 0, path, op: "modify", type: "file", marks: [], ...more };
}
export function marked(path: string, ...marks: Mark[]): ChangeEntry {
  return entry(path, { marks, ...(marks.includes("delete") ? { op: "delete" as const } : {}) });
}
export function summary(entries: readonly ChangeEntry[], more: Partial<ChangeSummary> = {}): ChangeSummary {
  return {
    entries: [...entries],
    files: entries.length,
    git: [],
    regenerable: [],
    manifestHash: "",
    undoable: true,
    ...more,
  };
}
/** Gate 2. */
export function landing(
  entries: readonly ChangeEntry[],
  more: Partial<Effect> = {},
  sum: Partial<ChangeSummary> = {},
): Effect {
  return { tool: "Write", subject: "", needs: [], changes: summary(entries, sum), contained: true, ...more };
}
/** Gate 1. */
export function needing(needs: readonly Need[], more: Partial<Effect> = {}): Effect {
  return { tool: "Bash", subject: "make", needs: [...needs], contained: true, ...more };
}
/** A contained command that changes one ordinary file. */
export function command(text: string): Effect {
  return landing([entry("src/a.ts")], { tool: "Bash", subject: text });
}
export function allow(text: string, source: Rule["source"] = "person"): Rule {
  return { action: "allow", text, source };
}
export function ask(text: string, source: Rule["source"] = "person"): Rule {
  return { action: "ask", text, source };
}
export function deny(text: string, source: Rule["source"] = "person"): Rule {
  return { action: "deny", text, source };
}
