import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { text, textOf } from "../../src/events/block.ts";
import { isFact, type LogEvent } from "../../src/events/event.ts";
import { toMessages } from "../../src/events/messages.ts";
import { oldResults } from "../../src/context/rules.ts";
import { COMPACT } from "../../src/loop/compact-settings.ts";
import { query } from "../../src/loop/query.ts";
import { apiBreaches } from "../support/api-rules.ts";
import { deep, deepRuns } from "../support/deep.ts";
import { longModel, type LongModel, wordsOf } from "../support/long-talk.ts";
import { type MemoryLog, opened, talkDeps } from "../support/talk.ts";

const WINDOW = 6000;
const PIN = "Pinned: the door is blue.";
/** Results that a fact is planted in; `Look` brings back what it is asked for. */
const look = (n: number, filler: number) => ({
  name: "Look",
  input: { what: `fact ${n} is ${n * n + 7}. ${"z".repeat(filler)}` },
});

interface Run {
  log: MemoryLog;
  model: LongModel;
  files: Map<string, string>;
}

/** A session in a small window: prompts of so many turns, each turn with results of this size. */
async function session(prompts: readonly (readonly number[])[], summary?: string): Promise<Run> {
  const files = new Map<string, string>();
  const log = await opened();
  await log.append({ type: "context.pinned", id: "p1", text: PIN });
  let plan: readonly number[] = [];
  let done = 0;
  let n = 0;
  const model = longModel({
    window: WINDOW,
    strict: false,
    reply: () => {
      const size = plan[done++];
      return size === undefined ? { text: `That is all of ${n}.` } : { calls: [look(++n, size)] };
    },
    ...(summary === undefined ? {} : { summary: () => ({ blocks: [text(summary)] }) }),
  });
  const depsOf = () => ({
    ...talkDeps(log, model),
    limits: { turns: 40, parallel: 3, resultChars: 30_000, compact: COMPACT },
    spill: (id: string, words: string) => {
      files.set(`/results/${id}.txt`, words);
      return Promise.resolve(`/results/${id}.txt`);
    },
  });
  for (const [i, sizes] of prompts.entries()) {
    [plan, done] = [sizes, 0];
    for await (const event of query(
      [text(`prompt ${i}: remember ${i * 31}`)],
      depsOf(),
      new AbortController().signal,
    )) {
      if (!isFact(event)) continue;
      if (event.type.startsWith("context.")) model.changed();
    }
  }
  return { log, model, files };
}

const anySizes = fc.array(fc.array(fc.integer({ min: 0, max: 5000 }), { maxLength: 7 }), {
  minLength: 1,
  maxLength: 5,
});

describe("a long conversation", () => {
  it(
    "C1, L4: whatever is cleared and summed up, each request extends the one before between two context facts, and the API takes it",
    { timeout: 30 * 60_000 },
    async () => {
      let made = 0;
      await fc.assert(
        fc.asyncProperty(anySizes, async (prompts) => {
          const { log, model } = await session(prompts);
          made += log.events.filter((e) => e.type === "context.compacted" || e.type === "context.cleared").length;
          expect(model.wrong).toEqual([]);
          expect(apiBreaches(toMessages(log.state), { request: false, wrapped: true })).toEqual([]);
        }),
        deepRuns(12, 2000),
      );
      expect(made).toBeGreaterThan(10);
    },
  );

  it(
    "C3: whatever is cleared wins a fifth of the window in one go, and nothing of the last three turns goes",
    { timeout: 30 * 60_000 },
    async () => {
      await fc.assert(
        fc.asyncProperty(anySizes, async (prompts) => {
          const { log } = await session(prompts);
          let won = 0;
          for (const [i, event] of log.events.entries()) {
            if (event.type !== "context.cleared" || event.rule === "budget") continue;
            won += event.before - event.after;
            const last = new Set(callsBefore(log.events, i).slice(-3));
            expect(event.callIds.filter((id) => last.has(id))).toEqual([]);
            const next = log.events[i + 1];
            if (next?.type === "context.cleared") continue;
            expect(won).toBeGreaterThanOrEqual(WINDOW * 0.2 - 1);
            won = 0;
          }
        }),
        deepRuns(8, 1000),
      );
    },
  );
});

/** One call a turn. */
function callsBefore(events: readonly LogEvent[], at: number): string[] {
  return events.slice(0, at).flatMap((e) => (e.type === "call.finished" ? [e.callId] : []));
}

describe("what was planted", () => {
  const seeds = Array.from({ length: deep(5, 50) }, (_, i) => i + 1);
  const planOf = (seed: number) =>
    fc.sample(
      fc.array(fc.array(fc.integer({ min: 300, max: 4000 }), { minLength: 3, maxLength: 8 }), {
        minLength: 3,
        maxLength: 5,
      }),
      {
        seed,
        numRuns: 1,
      },
    )[0] ?? [];

  it.each(seeds)(
    "C3: history %i: receipts find what a summary that loses everything has lost, the person's words and pins are there whole",
    async (seed) => {
      const { log, files } = await session(planOf(seed), "Something was done.");
      const compacted = log.events.filter((e) => e.type === "context.compacted");
      expect(compacted.length).toBeGreaterThan(0);
      const now = wordsOf({ system: [], tools: [], maxTokens: 1, messages: toMessages(log.state) });
      expect(now).toContain(PIN);
      expect(compacted.every((e) => e.summary.includes(PIN))).toBe(true);
      const everything = [now, ...files.values()].join("\n");
      const planted = [...log.state.calls.values()].map(
        (call) => /^fact \d+ is \d+/.exec(textOf(call.result?.content ?? []))?.[0] ?? "",
      );
      expect(planted.length).toBeGreaterThan(5);
      for (const fact of planted) expect(everything).toContain(fact);
      // Each receipt is named where the model reads it, from the newest on back.
      for (const { dropped } of compacted.slice(-1)) expect(now).toContain(dropped?.file);
      for (const { dropped } of compacted) expect([...files.keys()]).toContain(dropped?.file);
      expect(now).toContain("prompt 0: remember 0");
      expect(oldResults(log.state).every((taken) => taken.won > 0)).toBe(true);
    },
  );

  it.each(seeds)("C3: history %i: what a summary keeps is in front of the model", async (seed) => {
    const { log } = await session(planOf(seed), "## Facts\nfact 1 is 8.");
    expect(log.events.filter((e) => e.type === "context.compacted").length).toBeGreaterThan(0);
    expect(wordsOf({ system: [], tools: [], maxTokens: 1, messages: toMessages(log.state) })).toContain("fact 1 is 8.");
  });
});
