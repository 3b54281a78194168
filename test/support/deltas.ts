import type Anthropic from "@anthropic-ai/sdk";
import type { SessionEvent } from "../../src/events/event.ts";
import { Collector } from "../../src/model/anthropic-collect.ts";
import type { ModelEvent } from "../../src/model/model.ts";
import { reduceView } from "../../src/ui/store/view-state.ts";
import { NO_VIEW } from "../../src/ui/store/view.ts";
import { eventsOf } from "./api-sse.ts";

type Raw = Anthropic.RawMessageStreamEvent;

/** A reply of so many deltas: prose with paragraphs, then a call whose input has as many again. */
export function replyOfDeltas(deltas: number): Raw[] {
  const text = "A few words of a paragraph.\n\n".repeat(Math.ceil((deltas * 5) / 29)).slice(0, deltas * 5);
  const turn = { text, calls: [{ name: "Write", input: { file_path: "a.md", content: text } }], piece: 5 };
  return eventsOf(turn, "m", 1).map((e) => e.data as Raw);
}

/** From the stream's events to the reply and the view of the screen; gives the reply's blocks and the characters that were seen. */
export function takeDeltas(events: readonly Raw[]): { blocks: number; typed: number } {
  const collector = new Collector();
  let view = NO_VIEW;
  for (const event of events) {
    const shown = collector.take(event);
    const told = shown === undefined ? undefined : live(shown);
    if (told !== undefined) view = reduceView(view, told, 0).view;
  }
  return { blocks: collector.reply()?.blocks.length ?? 0, typed: view.typed };
}

function live(event: ModelEvent): SessionEvent | undefined {
  if (event.type === "text") return { type: "text.delta", text: event.text };
  return event.type === "input" ? { ...event, type: "input.delta" } : undefined;
}
