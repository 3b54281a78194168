import { lstatSync, readFileSync, realpathSync } from "node:fs";
import { join } from "node:path";
import type { WorkState } from "../events/state.ts";
import { nextFeature, readFeatures, WORK_FILES } from "../loop/feature-list.ts";

const { list } = WORK_FILES;

/** What the next session of long work in a folder (its real path) is for; "done" where all features pass. Throws with one line for the person. */
export function nextWork(stage: WorkState["stage"], folder: string): WorkState | "done" {
  const path = join(folder, list);
  const there = lstatSync(path, { throwIfNoEntry: false });
  if (stage === "init") {
    if (there === undefined) return { stage, list };
    throw new Error(`${list} is there already: agent work goes on with it`);
  }
  if (there === undefined) throw new Error(`there is no ${list} here: agent init-work "what is wanted" makes it`);
  if (!there.isFile() || realpathSync(path) !== path)
    throw new Error(`${list} has to be a file, and no link leads to it`);
  const read = readFeatures(readFileSync(path, "utf8"));
  if (typeof read === "string") throw new Error(`${list} can't be used: ${read}`);
  const next = nextFeature(read);
  return next === undefined ? "done" : { stage, list, feature: { id: next.id, check: next.check } };
}
