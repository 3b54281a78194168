import type { LogEvent } from "../events/event.ts";
import { comparable, difference, type Names } from "./replay-same.ts";

/** Where a check left its record. `seq`: that of the recorded event, or of the last one where more came than was recorded. */
export interface Divergence {
  seq: number;
  expected: string;
  came: string;
}

/** Facts that stand behind all that came before them, whatever ran at the same time. */
const BARRIERS: ReadonlySet<LogEvent["type"]> = new Set([
  "prompt.submitted",
  "turn.started",
  "reply.completed",
  "reply.cut",
  "query.finished",
]);

/**
 * A record, to be matched by what comes. The facts of one call come in their order, those of calls that run together in any; facts of no
 * call come in their order.
 */
export class Recorded {
  /** Those that are compared. */
  readonly #events: readonly LogEvent[];
  readonly #streams = new Map<string, LogEvent[]>();
  readonly #open = new Set<number>();
  readonly #calls: ReadonlySet<string>;
  /** Ids of the run that plays, as the record has them. */
  readonly #ids = new Map<string, string>();
  readonly #names: Names;
  readonly #endless: boolean;
  #matched = 0;
  #last = 0;
  divergence: Divergence | undefined;

  /** `endless`: more may come than was recorded. */
  constructor(events: readonly LogEvent[], names: Names, endless: boolean) {
    this.#endless = endless;
    this.#events = events.filter((event) => comparable(event, []) !== undefined);
    this.#names = names;
    this.#calls = new Set(
      events
        .flatMap((e) => (e.type === "reply.completed" ? e.blocks : []))
        .flatMap((b) => (b.type === "tool_use" ? [b.id] : [])),
    );
    for (const event of this.#events) {
      this.#open.add(event.seq);
      const key = this.#stream(event);
      this.#streams.set(key, [...(this.#streams.get(key) ?? []), event]);
    }
  }

  /** How many facts were matched. */
  get matched(): number {
    return this.#matched;
  }

  /** All that was recorded has come. */
  get isWhole(): boolean {
    return this.#open.size === 0;
  }

  /** All before an event was matched, so that it is its turn. */
  isReached(seq: number): boolean {
    return !this.#events.some((e) => e.seq < seq && this.#open.has(e.seq));
  }

  /** Takes these recorded facts as having come; they are compared when the log is whole. */
  pass(from: number, to: number): void {
    for (const [key, events] of this.#streams)
      this.#streams.set(
        key,
        events.filter((e) => e.seq < from || e.seq >= to),
      );
    for (const seq of this.#open) if (seq >= from && seq < to) this.#open.delete(seq);
  }

  /** Matches a fact that came; sets `divergence` where it is not the one that was recorded. */
  take(event: LogEvent): void {
    if (this.divergence !== undefined) return;
    const came = comparable(event, this.#played());
    if (came === undefined) return;
    const [next] = this.#streams.get(this.#stream(event)) ?? [];
    if (next === undefined && this.#endless) return;
    if (next === undefined) {
      this.divergence = { seq: this.#last, expected: "nothing more of it", came: nameOf(event) };
      return;
    }
    const before = BARRIERS.has(event.type) ? this.#missing(next.seq) : undefined;
    if (before !== undefined || next.type !== event.type) {
      const missed = before ?? next;
      this.divergence = { seq: missed.seq, expected: nameOf(missed), came: nameOf(event) };
      return;
    }
    this.#learn(next, event);
    const found = difference(comparable(next, this.#names), comparable(event, this.#played()));
    if (found !== undefined) this.divergence = { seq: next.seq, expected: nameOf(next), came: found };
    this.#streams.get(this.#stream(event))?.shift();
    this.#open.delete(next.seq);
    this.#matched++;
    this.#last = Math.max(this.#last, next.seq);
  }

  /** The play is over: whatever was recorded and did not come is missing. */
  end(): void {
    const [first] = this.#open;
    const missed = this.#events.find((e) => e.seq === first);
    if (missed !== undefined)
      this.divergence ??= { seq: missed.seq, expected: nameOf(missed), came: "the end: it never came" };
  }

  /** What the run that plays calls a step of the record. */
  playedId(recorded: string): string | undefined {
    return [...this.#ids].find(([, id]) => id === recorded)?.[0];
  }

  #missing(seq: number): LogEvent | undefined {
    return this.#events.find((e) => e.seq < seq && this.#open.has(e.seq));
  }

  /** A review has an id of its own where a call has the model's. */
  #stream(event: LogEvent): string {
    const callId = "callId" in event ? event.callId : undefined;
    return callId !== undefined && this.#calls.has(callId) ? callId : "";
  }

  #played(): Names {
    return [...this.#names, ...this.#ids];
  }

  /** Fresh ids stand where the record has its own. */
  #learn(recorded: object, played: object): void {
    for (const [key, value] of Object.entries(recorded)) {
      const own: unknown = Reflect.get(played, key);
      if (Array.isArray(value) && Array.isArray(own) && key === "from") this.#learnAll(value, own);
      const isId = key === "operationId" || key === "questionId" || key === "groupId" || key === "callId";
      if (isId && typeof value === "string" && typeof own === "string" && own !== value) this.#ids.set(own, value);
    }
  }

  #learnAll(recorded: readonly unknown[], played: readonly unknown[]): void {
    for (const [i, value] of recorded.entries()) {
      const own = played[i];
      if (typeof value === "string" && typeof own === "string" && own !== value) this.#ids.set(own, value);
    }
  }
}

function nameOf(event: LogEvent): string {
  const of = "callId" in event && event.callId !== undefined ? ` of call ${event.callId}` : "";
  const how =
    event.type === "query.finished" ? ` (${event.reason})` : event.type === "call.finished" ? ` (${event.status})` : "";
  return `${event.type}${of}${how}`;
}
