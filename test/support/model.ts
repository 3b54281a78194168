import type { Model, ModelEvent, ModelRequest } from "../../src/model/model.ts";
import type { Clock } from "../../src/util/deps.ts";

export const NOBODY_STOPS = new AbortController().signal;

/** A request with one message of the person's. */
export function ask(more: Partial<ModelRequest> = {}): ModelRequest {
  return {
    system: [{ text: "You help." }],
    tools: ["Glob", "Grep", "Read", "Write"].map((name) => ({
      name,
      description: `${name} things`,
      input_schema: { type: "object", properties: {} },
    })),
    messages: [{ role: "user", content: [{ type: "text", text: "go" }] }],
    maxTokens: 1000,
    ...more,
  };
}

/** All events of one reply. `at`: called with each as it comes. */
export async function eventsFrom(
  model: Model,
  request: ModelRequest = ask(),
  signal: AbortSignal = NOBODY_STOPS,
  at: (event: ModelEvent, n: number) => void = () => undefined,
): Promise<ModelEvent[]> {
  const events: ModelEvent[] = [];
  for await (const event of model.stream(request, signal)) {
    events.push(event);
    at(event, events.length);
  }
  return events;
}

export function textIn(events: readonly ModelEvent[]): string {
  return events.flatMap((e) => (e.type === "text" ? [e.text] : [])).join("");
}

/** The one end of a reply; throws when it is another kind. */
export function endOf<T extends "reply" | "failed">(
  events: readonly ModelEvent[],
  type: T,
): Extract<ModelEvent, { type: T }> {
  const last = events.at(-1);
  if (last?.type !== type) throw new Error(`ended with ${JSON.stringify(last)}`);
  return last as Extract<ModelEvent, { type: T }>;
}

export function retriesIn(events: readonly ModelEvent[]): Extract<ModelEvent, { type: "retrying" }>[] {
  return events.flatMap((e) => (e.type === "retrying" ? [e] : []));
}

/** Never waits; remembers for how long it should have. */
export function quickClock(): Clock & { waits: number[] } {
  const waits: number[] = [];
  return {
    waits,
    now: () => Date.parse("2026-11-30T00:00:00Z"),
    sleep(ms) {
      waits.push(ms);
      return Promise.resolve();
    },
  };
}
