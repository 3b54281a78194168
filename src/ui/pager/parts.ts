import type { LogEvent, LogEventOf } from "../../events/event.ts";
import { KEPT } from "../../util/words.ts";
import type { Entry } from "../store/entry.ts";
import { asked } from "../store/view-calls.ts";
import { reduceView } from "../store/view-state.ts";
import { NO_VIEW, type View } from "../store/view.ts";

/** One thing of the transcript, with when it happened and the fact that it came with. */
export interface PagerPart {
  entry: Entry;
  /** As the fact tells it. */
  at: string;
  seq: number;
  /** Milliseconds since the fact before it: how long it was thought, for thinking. */
  tookMs: number;
}

/** The fold so far; facts are only ever appended. */
export interface Parts {
  view: View;
  parts: readonly PagerPart[];
  /** Facts taken in. */
  taken: number;
  lastAt: number;
}
export const NO_PARTS: Parts = { view: NO_VIEW, parts: [], taken: 0, lastAt: Number.NaN };

/** Takes in the facts that came since; the same value when there are none. */
export function withFacts(before: Parts, facts: readonly LogEvent[]): Parts {
  if (facts.length === before.taken) return before;
  const parts = [...before.parts];
  let { view, lastAt } = before;
  for (const event of facts.slice(before.taken)) {
    const at = Date.parse(event.at);
    const step = isReply(event) ? repliedWhole(view, event) : reduceView(view, event, at);
    view = step.view;
    const tookMs = Number.isNaN(lastAt) ? 0 : Math.max(0, at - lastAt);
    for (const entry of step.entries) parts.push({ entry, at: event.at, seq: event.seq, tookMs });
    lastAt = at;
  }
  return { view, parts, taken: facts.length, lastAt };
}

type Reply = LogEventOf<"reply.completed"> | LogEventOf<"reply.cut">;

function isReply(event: LogEvent): event is Reply {
  return event.type === "reply.completed" || event.type === "reply.cut";
}

/** Each text in one piece: what is streamed in pieces is cut where it came, and cutting costs as much as all the rest. */
function repliedWhole(before: View, event: Reply): { view: View; entries: Entry[] } {
  const cut = event.type === "reply.cut";
  const entries = event.blocks.flatMap((block): Entry[] => {
    if (block.type === "thinking") return block.thinking === "" ? [] : [{ kind: "thinking", text: block.thinking }];
    if (block.type !== "text" || block.text.trim() === "") return [];
    return [{ kind: "markdown", source: block.text, raw: block.text, cont: false }];
  });
  const running = cut ? [] : event.blocks.flatMap((block) => (block.type === "tool_use" ? [asked(block)] : []));
  const brokeOff = event.type === "reply.completed" ? event.brokeOff : undefined;
  if (brokeOff !== undefined) entries.push({ kind: "notice", text: `${brokeOff} ${KEPT}` });
  if (cut) entries.push({ kind: "fact", event });
  return { view: { ...before, running }, entries };
}

/** What a search looks in before anything is laid out; what it finds nothing in is never drawn for it. */
export function sourceOf({ entry }: PagerPart, resultOf: (callId: string) => string): string | undefined {
  switch (entry.kind) {
    case "person":
    case "thinking":
    case "notice":
      return entry.text;
    case "markdown":
      return entry.source;
    case "card":
      return `${entry.tool} ${JSON.stringify(entry.input)} ${resultOf(entry.callId)}`;
    case "shell":
      return `${entry.event.command}\n${entry.event.output}`;
    case "todos":
      return entry.todos.map((todo) => todo.text).join("\n");
    case "fact":
      return undefined;
  }
}
