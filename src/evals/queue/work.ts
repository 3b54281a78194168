import { existsSync, renameSync, rmSync } from "node:fs";
import { join } from "node:path";
import { privateFolder } from "../../events/private.ts";
import type { Env } from "../../session/environment.ts";
import type { Clock } from "../../util/deps.ts";
import { runTrial } from "../run-trial.ts";
import { modelChoice } from "../trial-model.ts";
import type { TrialDeps } from "../trial-session.ts";
import { type Blobs, getJson } from "./blobs.ts";
import { QueueJob, type QueueResult } from "./job.ts";
import { Parcel, unpackTask } from "./parcel.ts";
import { layPlace, type Place, sendPlace } from "./tree.ts";

export interface WorkDeps {
  /** A folder of this process alone. */
  dir: string;
  blobs: Blobs;
  env: Env;
  version: string;
  clock: Clock;
  signal: AbortSignal;
}

/**
 * Runs jobs of a queue, as many at once as it is called. Suites and fixtures are fetched once. Undefined: the signal came, so another
 * machine is to have it. Throws where this machine can't run it at all; the run counts that as broken.
 */
export function queueWork(deps: WorkDeps): (data: unknown) => Promise<QueueResult | undefined> {
  const { dir, blobs, version } = deps;
  const laid = new Map<string, Promise<string>>();
  let jobs = 0;
  const lay = (place: Place): Promise<string> => {
    const known = laid.get(place.tree) ?? laidOnce(place, join(dir, "trees"), blobs);
    laid.set(place.tree, known);
    known.catch(() => laid.delete(place.tree));
    return known;
  };
  return async (data) => {
    const job = QueueJob.parse(data);
    const parcel = await getJson(blobs, job.parcel, Parcel);
    if (parcel.version !== version)
      throw new Error(`This machine has version ${version}, the run was begun by ${parcel.version}.`);
    const { task, suiteDir } = await unpackTask(parcel, job.taskId, lay);
    const at = join(dir, String(++jobs));
    try {
      privateFolder(at);
      await layPlace(parcel.config, at, blobs);
      const trialDeps: TrialDeps = {
        dir: at,
        work: at,
        header: { ...parcel.header, suiteDir },
        choice: modelChoice(parcel.header.model),
        env: deps.env,
        version,
        clock: deps.clock,
        signal: deps.signal,
        ...(parcel.rubric === undefined ? {} : { rubric: parcel.rubric }),
      };
      const trial = await runTrial(trialDeps, { task, trial: job.trial, attempt: job.attempt });
      if (trial === undefined) return undefined;
      const logs = join(at, "logs", `${job.taskId}.${job.trial}`);
      return { v: 1, trial, ...(existsSync(logs) ? { logs: await sendPlace(logs, blobs) } : {}) };
    } finally {
      rmSync(at, { recursive: true, force: true });
    }
  };
}

/** Whole or not at all. */
async function laidOnce(place: Place, trees: string, blobs: Blobs): Promise<string> {
  const [half, whole] = [join(trees, `${place.tree}.new`), join(trees, place.tree)];
  rmSync(half, { recursive: true, force: true });
  await layPlace(place, half, blobs);
  renameSync(half, whole);
  return join(whole, place.name);
}
