import type Anthropic from "@anthropic-ai/sdk";
import { expect, it } from "vitest";
import type { SessionEvent } from "../../src/events/event.ts";
import { Collector } from "../../src/model/anthropic-collect.ts";
import type { ModelEvent } from "../../src/model/model.ts";
import { reduceView } from "../../src/ui/store/view-state.ts";
import { NO_VIEW } from "../../src/ui/store/view.ts";
import { eventsOf } from "../support/api-sse.ts";

/** A reply of so many deltas: prose with paragraphs, then a call whose input has as many again. */
function replyOf(deltas: number): Anthropic.RawMessageStreamEvent[] {
  const text = "A few words of a paragraph.\n\n".repeat(Math.ceil((deltas * 5) / 29)).slice(0, deltas * 5);
  const turn = { text, calls: [{ name: "Write", input: { file_path: "a.md", content: text } }], piece: 5 };
  return eventsOf(turn, "m", 1).map((e) => e.data as Anthropic.RawMessageStreamEvent);
}

function live(event: ModelEvent): SessionEvent | undefined {
  if (event.type === "text") return { type: "text.delta", text: event.text };
  return event.type === "input" ? { ...event, type: "input.delta" } : undefined;
}

/** Milliseconds of processor time from the stream's events to the view of the screen, the least of some goes. */
function cost(deltas: number): number {
  const events = replyOf(deltas);
  const goes = Array.from({ length: 5 }, () => {
    const before = process.cpuUsage();
    const collector = new Collector();
    let view = NO_VIEW;
    for (const event of events) {
      const shown = collector.take(event);
      const told = shown === undefined ? undefined : live(shown);
      if (told !== undefined) view = reduceView(view, told, 0).view;
    }
    expect(collector.reply()?.blocks).toHaveLength(2);
    expect(view.typed).toBeGreaterThan(deltas * 5);
    const { user, system } = process.cpuUsage(before);
    return (user + system) / 1000;
  });
  return Math.min(...goes);
}

it("S10: four times the deltas cost about four times the work", () => {
  cost(5000);
  const [few, many] = [cost(5000), cost(20_000)];
  expect(many / few).toBeLessThan(7);
});
