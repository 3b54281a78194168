import type { EndReason } from "../events/event.ts";
import { assertNever } from "../util/never.ts";

/** Exit codes of U2 that don't come from how a query ended. */
export const EXIT = { unfit: 1, usage: 2, deniedStrict: 6, crash: 70 } as const;

/** The exit code of a query's end (U2). An interrupt by a signal is 128 + its number; by key it is SIGINT's. */
export function exitCode(reason: EndReason): number {
  switch (reason) {
    case "done":
    case "denied":
      return 0;
    case "refused":
    case "checks-failed":
    case "api-error":
    case "conflict":
      return 1;
    case "waiting":
      return 3;
    case "turn-limit":
    case "token-limit":
    case "cost-limit":
    case "time-limit":
    case "context-limit":
      return 4;
    case "tool-failing":
    case "going-round":
      return 5;
    case "interrupted":
      return 130;
    default:
      return assertNever(reason);
  }
}
