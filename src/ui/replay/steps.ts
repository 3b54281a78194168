import type { LogEvent, LogEventOf, SessionEvent } from "../../events/event.ts";

/** A fact, and how it comes at reading pace: each event with the milliseconds that it stands. */
export interface Step {
  seq: number;
  /** A message of the person's begins here. */
  begins: boolean;
  events: readonly { event: SessionEvent; ms: number }[];
}

const WORD_MS = 35;
/** However long a reply is. */
const REPLY_MS = 6000;
const CALL_MS = 1500;

/** How long a fact is looked at before the next comes. */
const PAUSES: Partial<Record<LogEvent["type"], number>> = {
  "prompt.submitted": 900,
  "reply.completed": 300,
  "reply.cut": 600,
  "permission.asked": 1500,
  "permission.decided": 500,
  "call.started": 200,
  "changes.undone": 600,
  "shell.ran": 600,
  "query.finished": 700,
};

/** The steps of a log, in its order. Nobody knows any more how its replies streamed: they come word by word. */
export function stepsOf(events: readonly LogEvent[]): Step[] {
  return events.map((event) => ({
    seq: event.seq,
    begins: event.type === "prompt.submitted" && event.when === "start",
    events: [
      ...(event.type === "reply.completed" || event.type === "reply.cut" ? words(event) : []),
      { event, ms: event.type === "call.finished" ? Math.min(CALL_MS, event.durationMs) : (PAUSES[event.type] ?? 0) },
    ],
  }));
}

function words({ blocks }: LogEventOf<"reply.completed" | "reply.cut">): Step["events"] {
  const pieces = blocks.flatMap((block): SessionEvent[] => {
    if (block.type === "thinking") return [{ type: "thinking.delta", text: block.thinking }];
    if (block.type !== "text") return [];
    return (block.text.match(/\S+\s*|\s+/g) ?? []).map((text) => ({ type: "text.delta", text }));
  });
  const ms = Math.min(WORD_MS, REPLY_MS / Math.max(1, pieces.length));
  return pieces.map((event) => ({ event, ms }));
}
