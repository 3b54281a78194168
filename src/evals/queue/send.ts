import { rmSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { privateFolder } from "../../events/private.ts";
import type { Clock } from "../../util/deps.ts";
import { brokenTrial, type RunTrial, type TrialJob } from "../run-trial.ts";
import type { TrialDeps } from "../trial-session.ts";
import type { Trial } from "../trial.ts";
import type { Blobs } from "./blobs.ts";
import { type EndedJob, jobId, type QueueJob, QueueResult, type TrialQueue } from "./job.ts";
import { layPlace } from "./tree.ts";

/** So many looks may go wrong one after the other. */
const PATIENCE = 20;

const WRITTEN_MS = 20;

interface Sent {
  deps: TrialDeps;
  job: TrialJob;
  end: (trial: Trial | undefined) => void;
}

export interface SendDeps {
  queue: TrialQueue;
  blobs: Blobs;
  clock: Clock;
  /** Sends suite, settings and fixtures where they are not there any more; gives the parcel's hash. */
  parcel: () => Promise<string>;
  /** Between two looks. */
  everyMs?: number;
  /** Looks after which everything that is still awaited is sent again: a queue that was started anew may have forgotten it. */
  again?: number;
}

/**
 * Has trials run by whoever takes them from the queue. A trial is sent under an id of its own, its end is looked for, and only when it is
 * written down here is it taken out of the queue: so neither this process nor the queue may be killed at a moment at which one is lost or
 * counted twice. What has no verdict when the signal comes is taken out again, and gives undefined. `settled`: the queue holds nothing of it any more.
 */
export function sendTrials(deps: SendDeps): { runOne: RunTrial; settled: () => Promise<void> } {
  const { clock, everyMs = 500 } = deps;
  const sent = new Map<string, Sent>();
  let looking: Promise<void> | undefined;
  const watch = async (signal: AbortSignal): Promise<void> => {
    const looks = lookInto(sent, deps);
    for (let wrong = 0; sent.size > 0 && !signal.aborted;) {
      try {
        await looks.look();
        wrong = 0;
      } catch (error) {
        if (++wrong === PATIENCE) throw error;
      }
      await clock.sleep(everyMs, signal).catch(() => undefined);
    }
    const left = [...sent];
    sent.clear();
    looking = undefined;
    for (const [, { end }] of left) end(undefined);
    // What has just come is written down first.
    await clock.sleep(WRITTEN_MS);
    await deps.queue.remove([...looks.ended, ...left.map(([id]) => id)]);
  };
  let last = Promise.resolve();
  return {
    runOne: async (trialDeps, job) => {
      const { promise, resolve, reject } = Promise.withResolvers<Trial | undefined>();
      sent.set(idOf(trialDeps, job), { deps: trialDeps, job, end: resolve });
      if (looking === undefined) last = looking = watch(trialDeps.signal);
      looking.catch(reject);
      return promise;
    },
    settled: () => last,
  };
}

/** Sends what is new, and everything now and then; takes in what ended. `ended`: taken in at the last look, or of attempts that nobody waits for. */
function lookInto(
  sent: Map<string, Sent>,
  { queue, blobs, parcel, again = 20 }: SendDeps,
): { look: () => Promise<void>; ended: readonly string[] } {
  const known = new Set<string>();
  const ended: string[] = [];
  let looks = 0;
  const look = async (): Promise<void> => {
    if (looks++ % again === 0) known.clear();
    const fresh = [...sent].filter(([id]) => !known.has(id));
    if (fresh.length > 0) {
      const hash = await parcel();
      await queue.add(fresh.map(([, { deps, job }]) => queueJob(deps, job, hash)));
      for (const [id] of fresh) known.add(id);
    }
    // Seen at the look before, so that they are written down by now.
    await queue.remove(ended.splice(0));
    for (const run of new Set([...sent.values()].map(({ deps }) => deps.header.id)))
      for (const job of await queue.ended(run)) {
        ended.push(job.id);
        const one = sent.get(job.id);
        sent.delete(job.id);
        if (one !== undefined) one.end(await collected(job, one, blobs));
      }
  };
  return { look, ended };
}

function idOf({ header }: TrialDeps, { task, trial, attempt }: TrialJob): string {
  return jobId({ run: header.id, taskId: task.id, trial, attempt });
}

function queueJob({ header }: TrialDeps, { task, trial, attempt }: TrialJob, parcel: string): QueueJob {
  return { v: 1, run: header.id, parcel, taskId: task.id, trial, attempt };
}

/** What came back, with its log laid where one that ran here would have it. What can't be used is a trial that broke. */
async function collected({ result, failed }: EndedJob, { deps, job }: Sent, blobs: Blobs): Promise<Trial> {
  if (failed !== undefined) return brokenTrial(deps, job, failed);
  try {
    const { trial, logs } = QueueResult.parse(result);
    const expected = brokenTrial(deps, job, "");
    for (const key of ["taskId", "trial", "attempt", "variant", "mode"] as const)
      if (trial[key] !== expected[key]) throw new Error(`a machine gave back another ${key}`);
    if (trial.log !== expected.log && dirname(dirname(trial.log)) !== expected.log)
      throw new Error("a machine gave back a log of another place");
    const at = join(deps.dir, expected.log);
    rmSync(at, { recursive: true, force: true });
    if (logs !== undefined && logs.name !== basename(at)) throw new Error("a machine gave back a log of another name");
    privateFolder(dirname(at));
    if (logs !== undefined) await layPlace(logs, dirname(at), blobs);
    return trial;
  } catch (error) {
    return brokenTrial(
      deps,
      job,
      `what came back can't be used: ${error instanceof Error ? error.message : String(error)}`,
    );
  }
}

/** So long content stays in a queue without being asked for: longer than a run waits. */
export const KEEP_MS = 7 * 24 * 60 * 60 * 1000;

/** A parcel that is sent once, and again where the queue forgot it, or soon would. */
export function keptParcel(send: () => Promise<string>, blobs: Blobs, clock: Clock): () => Promise<string> {
  let kept: { hash: string; at: number } | undefined;
  return async () => {
    const there =
      kept !== undefined && clock.now() - kept.at < KEEP_MS / 2 && (await blobs.lacking([kept.hash])).length === 0;
    if (kept === undefined || !there) kept = { hash: await send(), at: clock.now() };
    return kept.hash;
  };
}
