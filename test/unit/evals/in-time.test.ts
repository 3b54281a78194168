import { describe, expect, it } from "vitest";
import { inTime, mostMs } from "../../../src/evals/in-time.ts";
import { fits } from "../../../src/evals/pattern.ts";
import { systemClock as clock } from "../../../src/util/system.ts";

const never = new AbortController().signal;

describe("a trial that does not end", () => {
  it("V1: in time it is as it was, a fault too", async () => {
    const options = { ms: 60_000, signal: never, clock };
    expect(await inTime(() => Promise.resolve(7), options)).toEqual({ late: false, value: 7 });
    await expect(inTime(() => Promise.reject(new Error("broke")), options)).rejects.toThrow("broke");
  });

  it("V1: too late it is told to end, and left behind where it doesn't", async () => {
    let told = 0;
    const deaf = (signal: AbortSignal): Promise<never> =>
      new Promise(() => signal.addEventListener("abort", () => told++));
    expect(await inTime(deaf, { ms: 5, signal: never, clock, graceMs: 5 })).toEqual({ late: true });
    const heard = (signal: AbortSignal): Promise<string> =>
      new Promise((resolve) => signal.addEventListener("abort", () => resolve("ended")));
    expect(await inTime(heard, { ms: 5, signal: never, clock })).toEqual({ late: true });
    expect(told).toBe(1);
  });

  it("V1: the run's own signal reaches it", async () => {
    const stop = new AbortController();
    const run = (signal: AbortSignal): Promise<string> =>
      new Promise((resolve) => signal.addEventListener("abort", () => resolve("stopped")));
    const running = inTime(run, { ms: 60_000, signal: stop.signal, clock });
    stop.abort();
    expect(await running).toEqual({ late: false, value: "stopped" });
  });

  it("V1: what all limits of a task come to, in minutes", () => {
    const task = { limits: { minutes: 15 }, prompts: ["a", "b"], setup: "git init", graders: [] };
    const graders = [{ command: "x", timeout: 120 }, { rubric: "kind" }, { absent: ["a"] }];
    expect((mostMs({ ...task, graders }) ?? 0) / 60_000).toBe(30 + 5 + 2 + 5 + 10);
    expect(mostMs({ ...task, limits: {} })).toBeUndefined();
  });
});

describe("an expression of a suite's", () => {
  it("V1: fits as ever, line by line", () => {
    expect([fits("^b$", ["a\nb\n"]), fits("^c$", ["a\nb\n", "cc"]), fits("^b$", ["a\nb"], { flags: "u" })]).toEqual([
      true,
      false,
      false,
    ]);
  });

  it("V1: one that tries every way of a text that a model wrote ends, and is named", () => {
    expect(() => fits("^(a+)+$", [`${"a".repeat(60)}!`], { mostMs: 100 })).toThrow(
      /^the expression \/\^\(a\+\)\+\$\/ takes longer than 0\.1 s on a text of 61 characters/,
    );
  });
});
