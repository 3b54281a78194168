import { mkdirSync, readdirSync, rmSync } from "node:fs";
import { availableParallelism } from "node:os";
import { join } from "node:path";
import { sendParcel } from "../evals/queue/parcel.ts";
import { openRedisQueue, type RedisQueue } from "../evals/queue/redis.ts";
import { keptParcel, sendTrials } from "../evals/queue/send.ts";
import { queueWork } from "../evals/queue/work.ts";
import type { Suite } from "../evals/suite.ts";
import type { TrialDeps } from "../evals/trial-session.ts";
import { privateFolder } from "../events/private.ts";
import { takeLock } from "../events/lock.ts";
import { programDirs } from "../session/environment.ts";
import { openStore } from "../session/store.ts";
import { randomId, systemClock } from "../util/system.ts";
import type { EvalWorkerOptions } from "./args-eval.ts";
import { say, tell } from "./diff-text.ts";
import { trialEnv } from "./eval-env.ts";
import { stopOnSignals } from "./signals.ts";

/** Opens the queue; what goes wrong with it later is said once until it is back. */
export function openQueue(url: string): Promise<RedisQueue> {
  let said = 0;
  const trouble = (words: string): void => {
    if (systemClock.now() - said > 60_000) say(words);
    said = systemClock.now();
  };
  return openRedisQueue(url, { trouble });
}

/** Runs the trials of a run by way of a queue. */
export function queued({ queue, blobs }: RedisQueue, suite: Suite, deps: TrialDeps): ReturnType<typeof sendTrials> {
  const { dir, header, rubric, version, env, clock } = deps;
  const run = { dir, header, version, path: env["PATH"] ?? "", ...(rubric === undefined ? {} : { rubric }) };
  const parcel = keptParcel(() => sendParcel(suite, run, blobs), blobs, clock);
  return sendTrials({ queue, blobs, clock, parcel });
}

/** `agent eval worker`: takes trials from a queue until a signal comes; those that run then go back to it. */
export async function evalWorker({ queue: url, jobs }: EvalWorkerOptions, version: string): Promise<number> {
  const store = openStore(programDirs(process.env));
  const stop = stopOnSignals();
  const opened = await openQueue(url);
  const place = await ownFolder(join(store.state, "workers"));
  try {
    const deps = { blobs: opened.blobs, env: trialEnv(process.env, store.config), version, clock: systemClock };
    const run = queueWork({ ...deps, dir: place.dir, signal: stop.signal });
    const bound = jobs ?? Math.max(1, Math.min(4, availableParallelism()));
    tell(`${bound} trials at once, until Ctrl-C`);
    const working = opened.work(bound, async (data) => {
      const result = await run(data);
      if (result !== undefined) tell(`${result.trial.outcome}  ${result.trial.taskId}/${result.trial.trial}`);
      return result;
    });
    await new Promise<void>((resolve) => {
      if (stop.signal.aborted) resolve();
      else stop.signal.addEventListener("abort", () => resolve(), { once: true });
    });
    await working.stop();
  } finally {
    rmSync(place.dir, { recursive: true, force: true });
    await opened.close();
  }
  const code = stop.code() ?? 0;
  // Where a connection doesn't end by itself.
  setTimeout(() => process.exit(code), 2000).unref();
  return code;
}

/** A folder of this worker alone. Those of workers that were killed are taken away. */
async function ownFolder(workers: string): Promise<{ dir: string }> {
  privateFolder(workers);
  for (const id of readdirSync(workers)) {
    const dir = join(workers, id);
    try {
      (await takeLock(join(dir, "lock"), "a worker", systemClock)).release();
      rmSync(dir, { recursive: true, force: true });
    } catch {
      // Another one works in it.
    }
  }
  const dir = join(workers, randomId("").slice(0, 8));
  mkdirSync(dir, { mode: 0o700 });
  await takeLock(join(dir, "lock"), "a worker", systemClock);
  return { dir };
}
