import { nextStep } from "../events/settle.ts";
import type { SessionState } from "../events/state.ts";

/** Where a query stopped that can go on (E3), in words; undefined: none did. */
export function unfinishedWords(state: SessionState): string | undefined {
  const { query: q } = state;
  switch (nextStep(state)) {
    case "settle-calls":
      return q?.ended === "waiting" ? "waits for your answer" : `stopped in step ${q?.turn ?? 0}`;
    case "ask-model":
      return `stopped in step ${(q?.turn ?? 0) + 1}`;
    case "nothing":
      return undefined;
  }
}
