import type { LogEvent } from "../events/event.ts";
import type { GraderResult } from "./trial.ts";
import type { Snapshot } from "./snapshot.ts";

/** What graders look at, once the work has ended. */
export interface Graded {
  /** The agent's folder; only read. */
  folder: string;
  suiteDir: string;
  before: Snapshot;
  after: Snapshot;
  events: readonly LogEvent[];
  /** The model's last words. */
  reply: string;
  turns: number;
  /** Runs a command in a copy of the folder, hidden files added. Throws where it could not be run at all. */
  command(line: string, timeoutMs: number): Promise<{ exit: number | null; output: string }>;
  /** Asks a model whether a rubric is met; undefined: the run doesn't ask. Throws where it could not be asked. */
  judge?: (rubric: string) => Promise<{ ok: boolean; text: string }>;
}

/** A grader's result: ok where there is nothing to say against. */
export function verdict(name: string, problem: string | undefined): GraderResult {
  return { name, ok: problem === undefined, text: problem ?? "" };
}

/** "a, b, c, and 4 more". */
export function listed(names: readonly string[]): string {
  const more = names.length - 5;
  return more > 0 ? `${names.slice(0, 5).join(", ")}, and ${more} more` : names.join(", ");
}
