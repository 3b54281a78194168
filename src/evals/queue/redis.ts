import type { Job } from "bullmq";
import { type Blobs } from "./blobs.ts";
import { type EndedJob, jobId, type TrialQueue } from "./job.ts";
import { KEEP_MS } from "./send.ts";

/** A queue that can't be used; the message says what to do. */
export class QueueError extends Error {
  override name = "QueueError";
}

/** A connection to a queue and what lies beside it. Close it. */
export interface RedisQueue {
  queue: TrialQueue;
  blobs: Blobs;
  /** Takes jobs, so many at once, until it is stopped: what runs then is waited for. `run` gives undefined for a job that another machine is to have. */
  work(jobs: number, run: (data: unknown) => Promise<unknown>): { stop(): Promise<void> };
  close(): Promise<void>;
}

const NAME = "evals";
const PREFIX = "understudy";
/** What runs was stopped before, so that little is left to wait for. */
const CLOSE_MS = 10_000;
/** A machine that says nothing for so long has left its trial, and another one is given it. */
const LOCK_MS = 20_000;

/**
 * Opens the queue on this Redis (`redis://` or `rediss://`). Once it was there, it may go away and come back: everything waits for it.
 * `trouble`: told each time that it went away.
 * @throws QueueError where the packages are missing, or there is no Redis.
 */
export async function openRedisQueue(
  url: string,
  { trouble, lockMs = LOCK_MS }: { trouble: (words: string) => void; lockMs?: number },
): Promise<RedisQueue> {
  const host = hostOf(url);
  const { bullmq, ioredis } = await packages();
  const redis = new ioredis.Redis(url, {
    lazyConnect: true,
    maxRetriesPerRequest: null,
    retryStrategy: (times) => Math.min(200 * times, 3000),
  });
  let problem = "";
  redis.on("error", (error: Error) => (problem = error.message));
  try {
    await redis.connect();
  } catch (error) {
    redis.disconnect();
    const words = problem === "" && error instanceof Error ? error.message : problem;
    throw new QueueError(
      `There is no Redis at ${host}: ${words}. Start one (Debian: apt install redis-server), or mend --queue.`,
    );
  }
  redis.on("close", () => trouble(`the connection to ${host} is gone; it is tried again`));
  const keep = { age: KEEP_MS / 1000 };
  const queue = new bullmq.Queue(NAME, { connection: redis, prefix: PREFIX });
  // Its commands fail with the same words, or wait.
  queue.on("error", () => undefined);
  return {
    queue: {
      add: async (jobs) => {
        await queue.addBulk(jobs.map((data) => ({ name: "trial", data, opts: { jobId: jobId(data) } })));
      },
      ended: async (run) => {
        const jobs: Job[] = await queue.getJobs(["completed", "failed"]);
        return jobs.flatMap((job) => endedJob(job, run));
      },
      remove: async (ids) => {
        await Promise.all(ids.map((id) => queue.remove(id)));
      },
    },
    blobs: {
      lacking: async (hashes) => {
        const there = await Promise.all(hashes.map((hash) => redis.pexpire(blobKey(hash), KEEP_MS)));
        return hashes.filter((_, i) => there[i] === 0);
      },
      put: async (hash, bytes) => {
        await redis.set(blobKey(hash), Buffer.from(bytes), "PX", KEEP_MS);
      },
      get: async (hash) => (await redis.getBuffer(blobKey(hash))) ?? undefined,
    },
    work: (jobs, run) => {
      const worker = new bullmq.Worker(
        NAME,
        async (job, token) => {
          const result = await run(job.data);
          if (result !== undefined) return result;
          await job.moveToWait(token);
          throw new bullmq.WaitingError();
        },
        {
          connection: redis,
          prefix: PREFIX,
          concurrency: jobs,
          lockDuration: lockMs,
          stalledInterval: lockMs / 2,
          // A machine that is killed is no fault of the trial's.
          maxStalledCount: 20,
          removeOnComplete: keep,
          removeOnFail: keep,
        },
      );
      worker.on("error", () => undefined);
      return { stop: () => within(CLOSE_MS, worker.close(), () => worker.close(true)) };
    },
    close: async () => {
      redis.removeAllListeners("close");
      await within(CLOSE_MS, queue.close(), () => undefined);
      redis.disconnect();
    },
  };
}

/** A connection that came back can leave one waiting for an answer that never comes. */
async function within(ms: number, ended: Promise<void>, force: () => unknown): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<void>((resolve) => {
    timer = setTimeout(() => {
      resolve();
      void Promise.resolve(force()).catch(() => undefined);
    }, ms);
  });
  await Promise.race([ended, late]);
  clearTimeout(timer);
}

function endedJob({ id, returnvalue, failedReason }: Job, run: string): EndedJob[] {
  if (id === undefined || !id.startsWith(`${run}.`)) return [];
  return [
    failedReason === undefined || failedReason === "" ? { id, result: returnvalue } : { id, failed: failedReason },
  ];
}

function blobKey(hash: string): string {
  return `${PREFIX}:blob:${hash}`;
}

/** Without user and password, which must not be shown. */
function hostOf(url: string): string {
  const parsed = URL.parse(url);
  if (parsed === null || !["redis:", "rediss:"].includes(parsed.protocol))
    throw new QueueError("--queue takes the address of a Redis, such as redis://127.0.0.1:6379.");
  return parsed.host;
}

/** They are not among the program's own packages: few people need them, and they are as large as all that it brings. */
async function packages() {
  try {
    const [bullmq, ioredis] = await Promise.all([import("bullmq"), import("ioredis")]);
    return { bullmq, ioredis };
  } catch {
    throw new QueueError(
      "Runs over a queue need two packages that are not installed: npm i -g bullmq@6 ioredis@6 (where understudy is installed globally, else npm i bullmq@6 ioredis@6 beside it).",
    );
  }
}
