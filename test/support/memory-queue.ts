import type { Blobs } from "../../src/evals/queue/blobs.ts";
import { type EndedJob, jobId, type QueueJob, type TrialQueue } from "../../src/evals/queue/job.ts";

/** Bytes by their hash in memory; `sent` counts what was put. */
export function memoryBlobs(): Blobs & { kept: Map<string, Uint8Array>; sent: number } {
  const kept = new Map<string, Uint8Array>();
  return {
    kept,
    sent: 0,
    lacking: (hashes) => Promise.resolve(hashes.filter((hash) => !kept.has(hash))),
    put(hash, bytes) {
      this.sent++;
      kept.set(hash, bytes);
      return Promise.resolve();
    },
    get: (hash) => Promise.resolve(kept.get(hash)),
  };
}

/** A queue in memory. `take` gives what waits, as often as it is asked for, so that two machines may have the same. */
export class MemoryQueue implements TrialQueue {
  readonly jobs = new Map<string, QueueJob>();
  readonly done = new Map<string, EndedJob>();
  /** Ids in the order in which they were taken in; one that is there already is not. */
  readonly added: string[] = [];

  add(jobs: readonly QueueJob[]): Promise<void> {
    for (const job of jobs) {
      const id = jobId(job);
      if (this.jobs.has(id) || this.done.has(id)) continue;
      this.jobs.set(id, job);
      this.added.push(id);
    }
    return Promise.resolve();
  }

  ended(run: string): Promise<EndedJob[]> {
    return Promise.resolve([...this.done.values()].filter(({ id }) => id.startsWith(`${run}.`)));
  }

  remove(ids: readonly string[]): Promise<void> {
    for (const id of ids) {
      this.jobs.delete(id);
      this.done.delete(id);
    }
    return Promise.resolve();
  }

  /** As a queue does: the first that ends counts, whoever else had it. */
  end(job: QueueJob, how: Omit<EndedJob, "id">): void {
    const id = jobId(job);
    if (this.jobs.delete(id)) this.done.set(id, { id, ...how });
  }

  /** As a queue without a disk that was started anew. */
  forget(): void {
    this.jobs.clear();
    this.done.clear();
  }
}
