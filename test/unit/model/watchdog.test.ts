import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { Watchdog } from "../../../src/model/watchdog.ts";

const PATIENCE = { firstMs: 1000, stallMs: 500, pingsMs: 3000 };
const NOBODY = new AbortController().signal;

describe("S10: the watchdog", () => {
  beforeEach(() => void vi.useFakeTimers());
  afterEach(() => void vi.useRealTimers());

  it("ends a request without a first byte, a stream without a next one, and one without a word", () => {
    const first = new Watchdog(PATIENCE, NOBODY);
    vi.advanceTimersByTime(1000);
    expect(first.bit).toBe(false);
    vi.advanceTimersByTime(200);
    expect([first.bit, first.signal.aborted, first.words]).toEqual([
      true,
      true,
      "No answer from the model within 1 s.",
    ]);

    const next = new Watchdog(PATIENCE, NOBODY);
    next.alive();
    vi.advanceTimersByTime(701);
    expect([next.bit, next.words]).toEqual([true, "No word from the model for 0.5 s."]);

    const pings = new Watchdog(PATIENCE, NOBODY);
    for (let i = 0; i < 32; i++) {
      pings.alive();
      vi.advanceTimersByTime(100);
    }
    expect([pings.bit, pings.words]).toEqual([true, "Signs of life, but no word from the model for 3 s."]);
  });

  it("lets a stream live whose words come slowly, for as long as they come", () => {
    const dog = new Watchdog(PATIENCE, NOBODY);
    for (let i = 0; i < 100; i++) {
      dog.alive();
      if (i % 20 === 0) dog.progress();
      vi.advanceTimersByTime(100);
    }
    expect(dog.bit).toBe(false);
    dog.soon();
    vi.advanceTimersByTime(701);
    expect(dog.bit).toBe(true);
  });

  it("is at its end with the request, and passes on the person's stop", () => {
    const person = new AbortController();
    const dog = new Watchdog(PATIENCE, person.signal);
    person.abort();
    expect([dog.signal.aborted, dog.bit]).toEqual([true, false]);
    dog.end();
    expect(vi.getTimerCount()).toBe(0);
  });
});
