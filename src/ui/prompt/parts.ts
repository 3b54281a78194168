import type { LeftOut, Question } from "../../permissions/asker.ts";
import type { Hunk } from "../../workspace/workspace.ts";
import { conflictParts } from "./conflicts.ts";
import { entryOrder } from "../render/question.ts";

/** Something that the person may leave out: an entry of the change set, or one hunk of a modified file's diff. */
export interface Part {
  /** `3`, or `3:0` for the first hunk of entry 3. */
  key: string;
  /** Index into the summary's entries; -1 for a conflict's part. */
  at: number;
  /** Place among the review's conflicts. */
  conflict?: number;
  hunk?: { index: number; of: Hunk };
}

const known = new WeakMap<Question, readonly Part[]>();

/** All parts in the order in which they are listed, conflicts first; hunks only where a file has several. Worked out once for a question. */
export function partsOf(question: Question): readonly Part[] {
  const parts = known.get(question) ?? findParts(question);
  known.set(question, parts);
  return parts;
}

function findParts(question: Question): Part[] {
  const conflicts = conflictParts(question);
  const name = (of: { root: number; path: string }) => `${of.root}:${of.path}`;
  const diffs = new Map(question.diffs.map((diff) => [name(diff), diff]));
  const changes = entryOrder(question.effect.changes?.entries ?? []).flatMap(({ entry, at }) => {
    const whole: Part = { key: `${at}`, at };
    const calls = question.together?.filter((one) => one.entries.some((e) => name(e) === name(entry))).length ?? 1;
    // What several calls did to a file lands call by call: its hunks are nobody's own.
    const diff = entry.op === "modify" && calls < 2 ? diffs.get(name(entry)) : undefined;
    if (diff?.op !== "modify" || diff.hunks.length < 2) return [whole];
    return [whole, ...diff.hunks.map((of, index): Part => ({ key: `${at}:${index}`, at, hunk: { index, of } }))];
  });
  return [...conflicts, ...changes];
}

/** Takes a part in or out. A whole entry takes its hunks along; the last hunk that goes takes the entry along. */
export function toggle(question: Question, left: ReadonlySet<string>, part: Part): ReadonlySet<string> {
  const next = new Set(left);
  const hunks = partsOf(question).filter((p) => p.at === part.at && p.hunk !== undefined);
  const out = !next.has(part.key);
  for (const { key } of part.hunk === undefined ? [part, ...hunks] : [part]) {
    if (out) next.add(key);
    else next.delete(key);
  }
  const all = hunks.length > 0 && hunks.every(({ key }) => next.has(key));
  if (part.hunk !== undefined && all) next.add(`${part.at}`);
  if (part.hunk !== undefined && !all) next.delete(`${part.at}`);
  return next;
}

/** What the answer leaves out. */
export function leftOut(question: Question, left: ReadonlySet<string>): LeftOut[] {
  const parts = partsOf(question);
  return (question.effect.changes?.entries ?? []).flatMap(({ root, path }, at): LeftOut[] => {
    if (left.has(`${at}`)) return [{ root, path }];
    const hunks = parts.flatMap((p) => (p.at === at && p.hunk !== undefined && left.has(p.key) ? [p.hunk.index] : []));
    return hunks.length === 0 ? [] : [{ root, path, hunks }];
  });
}

/** How many parts stay, of how many; a file with several hunks counts by its hunks. */
export function keptParts(question: Question, left: ReadonlySet<string>): { kept: number; of: number } {
  const parts = partsOf(question).filter((p) => p.conflict === undefined);
  const inHunks = new Set(parts.flatMap((p) => (p.hunk === undefined ? [] : [p.at])));
  const leaves = parts.filter((p) => p.hunk !== undefined || !inHunks.has(p.at));
  return { kept: leaves.filter((p) => !left.has(p.key)).length, of: leaves.length };
}
