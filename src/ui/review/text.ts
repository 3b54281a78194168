import type { ChangeEntry } from "../../events/effect.ts";
import type { OpenedFile, Question } from "../../permissions/asker.ts";
import { type Part, partsOf } from "../prompt/parts.ts";
import { entryOrder } from "../render/question.ts";
import type { FileDiff } from "../../workspace/workspace.ts";

/** One changed file, or what else changed under one name. */
export interface ReviewFile {
  /** Of a question's summary, with its place there. */
  entry?: { of: ChangeEntry; at: number };
  diff?: FileDiff;
  /** Its place among the question's diffs, where it can be opened there. */
  opens?: number;
  /** What of it can be left out: the whole file first. */
  parts: readonly Part[];
}

/** A change set to be looked through. */
export interface ReviewText {
  title: string;
  files: readonly ReviewFile[];
  /** Rows above the list: what it means. */
  head?: readonly string[];
  /** Opens a file that is told by size and hash. */
  open?: (at: number) => Promise<OpenedFile>;
}

/** Deletions first: what is lost is what has to be seen. */
export function reviewOf(title: string, diffs: readonly FileDiff[], head: readonly string[] = []): ReviewText {
  const sorted = diffs.toSorted((a, b) => rank(a.op) - rank(b.op));
  return { title, head, files: sorted.map((diff) => ({ diff, parts: [] })) };
}

function rank(op: FileDiff["op"]): number {
  return op === "delete" ? 0 : op === "type" ? 1 : 2;
}

/** A question's change set, with what of it can be left out. */
export function reviewOfQuestion(question: Question): ReviewText {
  const name = (of: { root: number; path: string }) => `${of.root}:${of.path}`;
  const places = new Map(question.diffs.map((diff, at) => [name(diff), at]));
  const parts = Map.groupBy(
    partsOf(question).filter((part) => part.conflict === undefined),
    (part) => part.at,
  );
  const all = entryOrder(question.effect.changes?.entries ?? []).toSorted(
    (a, b) => Number(a.entry.op !== "delete") - Number(b.entry.op !== "delete"),
  );
  const listed = new Set(all.map(({ entry }) => name(entry)));
  return {
    title: question.review === undefined ? `${question.effect.tool}’s changes` : "what was rehearsed",
    files: [
      ...all.map(({ entry, at }): ReviewFile => {
        const place = places.get(name(entry));
        return {
          entry: { of: entry, at },
          parts: parts.get(at) ?? [],
          ...(place === undefined ? {} : { opens: place, diff: question.diffs[place] }),
        };
      }),
      ...question.diffs.flatMap((diff, at) => (listed.has(name(diff)) ? [] : [{ diff, opens: at, parts: [] }])),
    ],
    ...(question.open === undefined ? {} : { open: question.open }),
  };
}
