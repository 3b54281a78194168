import { z } from "zod";
import { Trial } from "../trial.ts";
import { Hash } from "./blobs.ts";
import { Place } from "./tree.ts";

/** One attempt at one trial, for whichever machine takes it. */
export const QueueJob = z.strictObject({
  v: z.literal(1),
  /** The run's id. */
  run: z.string(),
  parcel: Hash,
  taskId: z.string(),
  trial: z.number().int().positive(),
  attempt: z.number().int().positive(),
});
export type QueueJob = z.infer<typeof QueueJob>;

/** What a machine gives back. `logs`: the state of the trial's session, as a folder. */
export const QueueResult = z.strictObject({ v: z.literal(1), trial: Trial, logs: Place.optional() });
export type QueueResult = z.infer<typeof QueueResult>;

/** The same attempt has the same id, however often it is sent: a queue takes it once. */
export function jobId({ run, taskId, trial, attempt }: Omit<QueueJob, "v" | "parcel">): string {
  return `${run}.${taskId}.${trial}.${attempt}`;
}

/** How a job ended: with what the machine gave back, or with why it could not. */
export interface EndedJob {
  id: string;
  result?: unknown;
  failed?: string;
}

/** What is needed of a queue. Its jobs outlive the machines; one that a machine took and left is given to another. */
export interface TrialQueue {
  /** Those that are there already, in whatever state, are left as they are. */
  add(jobs: readonly QueueJob[]): Promise<void>;
  /** Jobs of this run that ended and were not removed. */
  ended(run: string): Promise<EndedJob[]>;
  /** Jobs that wait or ended; those that run go on. */
  remove(ids: readonly string[]): Promise<void>;
}
