import { z } from "zod";
import { UNWATCHED_ASKED_MS, type RetryBudget } from "../model/retry.ts";
import type { Patience } from "../model/watchdog.ts";

/** How long faults of the service that pass are put up with (S10). */
export const RetrySettings = z.strictObject({
  attempts: z.int().min(1).max(100).optional().describe("Attempts in all, the first one counted in"),
  minutes: z.number().positive().max(1440).optional().describe("Time in vain before it is handed over to you"),
  longestWaitMinutes: z
    .number()
    .min(0)
    .max(10_080)
    .optional()
    .describe("A longer wait, where the service asks for it, is told instead of sat out"),
  firstByteSeconds: z.number().positive().max(86_400).optional().describe("Silence before the first byte of an answer"),
  silenceSeconds: z.number().positive().max(86_400).optional().describe("Silence within an answer"),
});
export type RetrySettings = z.infer<typeof RetrySettings>;

/** What a model is opened with. `watched`: a person sees the wait, and can stop it. */
export function retryDeps(
  { attempts, minutes, longestWaitMinutes, firstByteSeconds, silenceSeconds }: RetrySettings,
  watched: boolean,
): { budget: Partial<RetryBudget>; patience: Partial<Patience> } {
  const asked = longestWaitMinutes === undefined ? undefined : longestWaitMinutes * 60_000;
  return {
    budget: {
      ...(attempts === undefined ? {} : { attempts }),
      ...(minutes === undefined ? {} : { waitMs: minutes * 60_000 }),
      ...(asked === undefined ? (watched ? {} : { askedMs: UNWATCHED_ASKED_MS }) : { askedMs: asked }),
    },
    patience: {
      ...(firstByteSeconds === undefined ? {} : { firstMs: firstByteSeconds * 1000 }),
      ...(silenceSeconds === undefined ? {} : { stallMs: silenceSeconds * 1000 }),
    },
  };
}
