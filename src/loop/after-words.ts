import type { SessionEvent } from "../events/event.ts";
import { deliver } from "./deliver.ts";
import type { LoopDeps, Stop } from "./deps.ts";
import { BLANK, BROKEN_OFF, CUT_OFF, ONLY_THOUGHT, WINDOW_END } from "./say.ts";
import type { Reply } from "./stream-reply.ts";

/** Replies in a row, the newest one last, that were no answer. */
export interface Streak {
  /** Without a word. */
  blank: number;
  /** Without their end: cut by the output limit or by the connection. */
  cut: number;
}
export const NO_STREAK: Streak = { blank: 0, cut: 0 };

/** So often in a row an answer is gone on with before the person is asked. */
const MOST_CUT = 5;

export function nextStreak({ blank, cut }: Streak, reply: Reply): Streak {
  const isCut = reply.stopReason === "max_tokens" || reply.stopReason === "broken-off";
  return { blank: reply.blank ? blank + 1 : 0, cut: isCut && reply.calls.length === 0 ? cut + 1 : 0 };
}

/** A reply without calls: done, unless its stop reason or the person says otherwise (L5, S11). Undefined: the next turn. */
export async function* afterWords(
  reply: Reply,
  streak: Streak,
  deps: LoopDeps,
  signal: AbortSignal,
): AsyncGenerator<SessionEvent, Stop | undefined> {
  switch (reply.stopReason) {
    case "pause_turn":
      return undefined;
    case "max_tokens":
    case "broken-off":
      return yield* goOnAfterCut(reply, streak, deps);
    case "refusal":
      return { reason: "refused", detail: REFUSED };
    case "model_context_window_exceeded":
      yield await deps.log.append({ type: "note.added", text: WINDOW_END });
      return undefined;
    case "end_turn":
    case "stop_sequence":
    case "tool_use": {
      if (!reply.blank) return (yield* deliver(deps, signal)) ? undefined : { reason: "done" };
      if (streak.blank > 1) return { reason: "api-error", detail: TWICE_NOTHING };
      yield await deps.log.append({ type: "note.added", text: BLANK });
      return undefined;
    }
    default:
      return {
        reason: "api-error",
        detail: `The model stopped for a reason this version doesn't know: ${reply.stopReason}. Nothing is lost; ask again.`,
      };
  }
}

const REFUSED =
  "The model declined to go on. Say it differently, or try another model (/model). What it declined stays in the conversation and may make it decline again: /rewind takes the message back.";
const TWICE_NOTHING = "The model answered twice with nothing. Ask again, or try another model.";

async function* goOnAfterCut(
  { blank, stopReason }: Reply,
  streak: Streak,
  deps: LoopDeps,
): AsyncGenerator<SessionEvent, Stop | undefined> {
  if (blank && streak.blank > 1)
    return {
      reason: "api-error",
      detail:
        "The model thought up to its output limit twice, without a word. Ask for less at once, or set a lower effort.",
    };
  if (streak.cut > MOST_CUT)
    return stopReason === "max_tokens"
      ? {
          reason: "token-limit",
          detail: `Stopped: the answer met the output limit ${MOST_CUT + 1} times in a row. ${GO_ON}`,
        }
      : { reason: "api-error", detail: `The connection broke ${MOST_CUT + 1} times within one answer. ${GO_ON}` };
  const text = stopReason === "broken-off" ? BROKEN_OFF : blank ? ONLY_THOUGHT : CUT_OFF;
  yield await deps.log.append({ type: "note.added", text });
  return undefined;
}

const GO_ON = "What came is kept: say “go on”, and it continues.";
