import type { Hook } from "./hook.ts";
import type { Common, HookEvent, HookInput } from "./moment.ts";
import type { Ran } from "./run-hook.ts";

/** The hooks that count now, for the loop. */
export interface Hooks {
  /** Those of an event that concern a subject, in their order. */
  concerned(event: HookEvent, subject: string): readonly Hook[];
  /** Runs one outside of the copy. Never throws. */
  run(hook: Hook, input: HookInput, signal: AbortSignal): Promise<Ran>;
  /** What every hook is told now. */
  common(): Common;
  /** So often in one message Stop hooks send the model on. */
  stopRounds(): number;
  /** A file that hooks are written in has changed since the start: said once (H3). */
  news(): string | undefined;
}
