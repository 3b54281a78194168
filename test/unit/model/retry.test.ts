import { span } from "../../../src/util/words.ts";
import { describe, expect, it } from "vitest";
import {
  RETRY_BUDGET,
  retryAfter,
  standbyBudget,
  tooLongWords,
  waitBefore,
  waitFor,
  type Fault,
} from "../../../src/model/retry.ts";

const fault: Fault = { kind: "server", message: "no", retryable: true };
const budget = { attempts: 10, waitMs: 300_000, askedMs: 3_600_000 };

describe("S10: waiting before a repeat", () => {
  it("doubles from half a second up to a bound", () => {
    const waits = [1, 2, 3, 4, 5, 6, 7, 8, 9].map((done) => waitBefore(fault, done, 0, budget, 0));
    expect(waits).toEqual([500, 1000, 2000, 4000, 8000, 16_000, 32_000, 32_000, 32_000]);
  });
  it("takes up to a quarter off by chance", () => {
    expect(waitBefore(fault, 3, 0, budget, 1)).toBe(1500);
    expect(waitBefore(fault, 3, 0, budget, 0.5)).toBe(1750);
  });
  it("ends with the attempts, and with the time", () => {
    expect(waitBefore(fault, 10, 0, budget, 0)).toBeUndefined();
    expect(waitBefore(fault, 9, 0, budget, 0)).toBe(32_000);
    expect(waitBefore(fault, 5, 292_000, budget, 0)).toBe(8000);
    expect(waitBefore(fault, 5, 292_001, budget, 0)).toBeUndefined();
  });
  it("never repeats what no repeat can mend", () => {
    expect(waitBefore({ ...fault, retryable: false }, 1, 0, budget, 0)).toBeUndefined();
    expect(waitBefore({ ...fault, retryable: false, retryAfterMs: 5 }, 1, 0, budget, 0)).toBeUndefined();
  });
  it("obeys what the service asks for, within what is waited", () => {
    expect(waitBefore({ ...fault, retryAfterMs: 90_000 }, 1, 0, budget, 0)).toBe(90_000);
    expect(waitBefore({ ...fault, retryAfterMs: 0 }, 1, 0, budget, 0)).toBe(0);
    expect(waitBefore({ ...fault, retryAfterMs: 3_600_001 }, 1, 0, budget, 0)).toBeUndefined();
    expect(waitBefore({ ...fault, retryAfterMs: 10 }, 10, 0, budget, 0)).toBeUndefined();
  });
  it("a wait that nobody sits out is named", () => {
    const words = (retryAfterMs: number) => tooLongWords({ ...fault, retryAfterMs }, budget);
    expect(words(7_200_000)).toBe("It asks to wait for 2 hours, more than is waited here.");
    expect(words(60_000)).toBeUndefined();
    expect(tooLongWords(fault, budget)).toBeUndefined();
    expect([span(1), span(59_001), span(600_000), span(86_400_000)]).toEqual(["1 s", "60 s", "10 minutes", "24 hours"]);
  });
  it("while another model stands by, little is tried", () => {
    expect(standbyBudget(budget)).toEqual({ attempts: 3, waitMs: 300_000, askedMs: 15_000 });
    expect(standbyBudget({ ...budget, attempts: 1, askedMs: 5 })).toMatchObject({ attempts: 1, askedMs: 5 });
  });
  it("a long wait ends by the clock on the wall, whatever the timers say, and at once when it is stopped", async () => {
    let now = 0;
    const slept: number[] = [];
    const abort = new AbortController();
    const clock = (jump: number) => ({
      now: () => now,
      sleep: (ms: number) => {
        slept.push(ms);
        now += ms * jump;
        return Promise.resolve();
      },
    });
    await waitFor(600_000, clock(1), abort.signal);
    expect([slept.length, now]).toEqual([9, 600_000]);
    slept.length = 0;
    // The machine slept for hours in the first minute.
    await waitFor(600_000, clock(500), abort.signal);
    expect(slept).toEqual([60_000]);
    abort.abort();
    await waitFor(600_000, clock(1), abort.signal);
    expect(slept).toHaveLength(1);
  });
  it("has a budget of minutes by default, and ends within two of them", () => {
    const waits = Array.from({ length: RETRY_BUDGET.attempts - 1 }, (_, i) =>
      waitBefore(fault, i + 1, 0, RETRY_BUDGET, 0),
    );
    const sum = waits.reduce<number>((all, ms) => all + (ms ?? 0), 0);
    expect(sum).toBeGreaterThan(60_000);
    expect(sum).toBeLessThan(110_000);
  });
});

describe("S10: retry-after", () => {
  const now = Date.parse("2026-11-30T12:00:00Z");
  const read = (headers: Record<string, string>) => retryAfter(new Headers(headers), now);
  it.each([
    [{}, undefined],
    [{ "retry-after": "3" }, 3000],
    [{ "retry-after": "0" }, 0],
    [{ "retry-after": "1.5" }, 1500],
    [{ "retry-after-ms": "250" }, 250],
    [{ "retry-after-ms": "250", "retry-after": "9" }, 250],
    [{ "retry-after-ms": "soon", "retry-after": "9" }, 9000],
    [{ "retry-after": "Mon, 30 Nov 2026 12:00:10 GMT" }, 10_000],
    [{ "retry-after": "Mon, 30 Nov 2026 11:00:00 GMT" }, 0],
    [{ "retry-after": "soon" }, undefined],
    [{ "retry-after": "" }, undefined],
    [{ "retry-after": "-5" }, undefined],
  ])("%j is %j ms", (headers, ms) => {
    expect(read(headers)).toBe(ms);
  });
});
