import type { ChangeEntry, ChangeSummary, Effect, Need, Risk } from "../../src/events/effect.ts";
import type { Question } from "../../src/permissions/asker.ts";
import type { FileDiff } from "../../src/workspace/workspace.ts";

/** One changed entry, a modified file if nothing else is said. */
export function entry(path: string, over: Partial<ChangeEntry> = {}): ChangeEntry {
  return { root: 0, path, op: "modify", type: "file", marks: [], ...over };
}

/** A summary of the given entries. */
export function summary(entries: readonly ChangeEntry[], over: Partial<ChangeSummary> = {}): ChangeSummary {
  return {
    entries: [...entries],
    files: entries.length,
    git: [],
    regenerable: [],
    manifestHash: "00",
    undoable: true,
    ...over,
  };
}

/** A diff that replaces one line. */
export function oneLineDiff(path: string, before = "old", after = "new"): FileDiff {
  const hunks = [{ oldStart: 1, newStart: 1, lines: [`-${before}`, `+${after}`] }];
  return { root: 0, path, op: "modify", added: 1, removed: 1, hunks };
}

export interface QuestionParts {
  tool?: string;
  subject?: string;
  risk?: Risk;
  reason?: string;
  needs?: Need[];
  changes?: ChangeSummary;
  command?: Question["command"];
  diffs?: readonly FileDiff[];
  offer?: Question["offer"];
  id?: string;
  callId?: string;
  place?: Question["place"];
  regenerable?: Question["regenerable"];
  also?: NonNullable<Question["also"]>;
  savedTo?: string;
  agent?: string;
}

/** A permission question out of its parts: an Edit of one file in ask mode if nothing else is said. */
export function question(parts: QuestionParts = {}): Question {
  const effect: Effect = {
    tool: parts.tool ?? "Edit",
    subject: parts.subject ?? "src/a.ts",
    needs: parts.needs ?? [],
    contained: true,
    ...(parts.changes === undefined ? {} : { changes: parts.changes }),
  };
  return {
    id: parts.id ?? "q_1",
    callId: parts.callId ?? "call_1",
    gate: parts.needs === undefined ? "changes" : "needs",
    effect,
    decision: { action: "ask", risk: parts.risk ?? "medium", reason: parts.reason ?? "ask mode: changes are asked" },
    diffs: parts.diffs ?? [],
    ...(parts.command === undefined ? {} : { command: parts.command }),
    ...(parts.offer === undefined ? {} : { offer: parts.offer }),
    ...(parts.place === undefined ? {} : { place: parts.place }),
    ...(parts.also === undefined ? {} : { also: parts.also }),
    ...(parts.savedTo === undefined ? {} : { savedTo: parts.savedTo }),
    ...(parts.agent === undefined ? {} : { agent: parts.agent }),
    ...(parts.regenerable === undefined ? {} : { regenerable: parts.regenerable }),
  };
}
