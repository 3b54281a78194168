import type { Touch } from "../events/event.ts";
import type { Hook } from "../hooks/hook.ts";
import { type Adopted, adoptedPath, type StepSight } from "../workspace/adopt.ts";
import { hunksOf } from "../workspace/hunk.ts";
import type { LoopDeps } from "./deps.ts";
import { touchedText } from "./hook-words.ts";

/** Characters of diffs that the model is shown. */
const MOST_SHOWN = 6000;

/** What hooks changed of a step's files: for the fact, and for the model. */
export interface Touched {
  fact: { operationId: string; touched: Touch[] };
  words: string;
}

/** Makes what hooks changed of a step's files part of the step (H6); undefined where they changed none. */
export async function adoptTouched(
  sight: StepSight,
  hooks: readonly Hook[],
  { workspace }: LoopDeps,
): Promise<Touched | undefined> {
  const adopted = await workspace.adoptStep(sight);
  if (adopted.length === 0) return undefined;
  let room = MOST_SHOWN;
  const files = adopted.map((file) => {
    const path = adoptedPath(workspace.roots, file);
    const diff = diffOf(file);
    if (diff === undefined || diff.length > room) return { path, gone: file.hash === undefined };
    room -= diff.length;
    return { path, gone: false, diff };
  });
  const touched = adopted.map(({ hash }, n): Touch => {
    const { path = "", diff } = files[n] ?? {};
    if (hash === undefined) return { path, hash: "", how: "deleted" };
    // Known whole only where the model is shown all that changed.
    return { path, hash, how: "written", ...(diff === undefined ? { partial: true } : {}) };
  });
  return {
    fact: { operationId: sight.operationId, touched },
    words: touchedText(
      hooks.map((h) => h.name),
      files,
    ),
  };
}

function diffOf({ before, after }: Adopted): string | undefined {
  if (before === undefined || after === undefined || before.includes(0) || after.includes(0)) return undefined;
  const hunks = hunksOf(before.toString("utf8"), after.toString("utf8"));
  return hunks.map((h) => [`@@ line ${h.newStart} @@`, ...h.lines].join("\n")).join("\n");
}
