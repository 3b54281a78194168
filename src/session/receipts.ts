import type { LogEvent, LogEventOf } from "../events/event.ts";

/** Something that a compaction or a clearing took out of what is sent. */
export interface Receipt {
  /** From 1 on, the oldest first. */
  n: number;
  seq: number;
  at: string;
  kind: "summary" | "handoff" | "cleared";
  /** Ahead of which turn; undefined: between messages. */
  turn?: number;
  before: number;
  after: number;
  /** In words: what was dropped. */
  what: string;
  /** Where it stands in full. */
  file?: string;
  /** It is sent again. */
  restored: boolean;
}

/** What was taken out of this conversation: not what `/clear` or `/rewind` left behind. Pure. */
export function receiptsOf(events: readonly LogEvent[]): Receipt[] {
  let list: Omit<Receipt, "n">[] = [];
  for (const event of events) {
    if (event.type === "context.reset") list = [];
    if (event.type === "context.rewound") list = list.filter((r) => r.seq < event.to);
    // Whoever goes back to one has what came since back too.
    if (event.type === "context.restored")
      list = list.map((r) => (isBack(r, event, list) ? { ...r, restored: true } : r));
    if (event.type === "context.compacted" || event.type === "context.cleared") list.push(receipt(event));
  }
  return list.map((r, i) => ({ n: i + 1, ...r }));
}

function isBack(
  { seq, kind }: Omit<Receipt, "n">,
  { of }: LogEventOf<"context.restored">,
  list: readonly Omit<Receipt, "n">[],
): boolean {
  const isSummary = list.find((r) => r.seq === of)?.kind !== "cleared";
  return seq === of || (isSummary && kind !== "cleared" && seq > of);
}

function receipt(event: LogEventOf<"context.compacted" | "context.cleared">): Omit<Receipt, "n"> {
  const { seq, at, before, after, turn } = event;
  const base = { seq, at, before, after, restored: false, ...(turn === undefined ? {} : { turn }) };
  if (event.type === "context.cleared") {
    const calls = new Set([...event.callIds, ...(event.parts ?? []).flatMap((p) => p.callId ?? [])]).size;
    return { ...base, kind: "cleared", what: `${event.rule ?? "length"}: results of ${counted(calls, "call")}` };
  }
  const { dropped, handoff } = event;
  const kind = handoff === undefined ? "summary" : "handoff";
  if (dropped === undefined) return { ...base, kind, what: "older messages" };
  return { ...base, kind, what: droppedWords(dropped), file: dropped.file };
}

export function droppedWords({
  prompts,
  replies,
  results,
}: Pick<NonNullable<LogEventOf<"context.compacted">["dropped"]>, "prompts" | "replies" | "results">): string {
  return `${counted(prompts, "message")} of yours, ${counted(replies, "reply", "replies")}, ${counted(results, "result")}`;
}

function counted(n: number, one: string, many = `${one}s`): string {
  return `${n} ${n === 1 ? one : many}`;
}
