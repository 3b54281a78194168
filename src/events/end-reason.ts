import { z } from "zod";

/** Why a query ended (S1–S8). `waiting`: a question to the person is open and no process is needed. */
export const EndReason = z.enum([
  "done",
  "waiting",
  "interrupted",
  "refused",
  "turn-limit",
  "token-limit",
  "cost-limit",
  "time-limit",
  "context-limit",
  "tool-failing",
  "going-round",
  "checks-failed",
  "api-error",
  "conflict",
  "denied",
]);
export type EndReason = z.infer<typeof EndReason>;
