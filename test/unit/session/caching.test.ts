import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { text } from "../../../src/events/block.ts";
import { anthropicModel } from "../../../src/model/anthropic.ts";
import type { Session } from "../../../src/session/session.ts";
import { systemClock } from "../../../src/util/system.ts";
import { ApiCache, blocksOf, type CacheBlock } from "../../support/api-cache.ts";
import { startApi, type Answer, type ApiRequest } from "../../support/api-server.ts";
import type { ApiTurn } from "../../support/api-sse.ts";
import { answers, collect, openAt, place } from "../../support/session.ts";

const NEVER = new AbortController().signal;
const read = (i: number) => ({ name: "Read", input: { file_path: `f${i % 8}.txt`, offset: (i % 5) + 1 } });

/** What the model says in request `n`, counted from 1: ten messages of five turns each, with everything that happens in a session. */
function turnOf(n: number): ApiTurn {
  if (n % 5 === 0) return { text: `Done with part ${n / 5}.` };
  if (n === 7) return { calls: [{ name: "Write", input: { file_path: "new.txt", content: "new\n" } }] };
  // More blocks than the cache looks back.
  if (n === 12) return { text: "All at once.", calls: Array.from({ length: 15 }, (_, i) => read(i)) };
  if (n === 18) return { thinking: "Let me think.", text: "Hm.", calls: [read(n)] };
  return { text: `Step ${n}.`, calls: [read(n), { name: "Grep", input: { pattern: `word${n}` } }] };
}

async function fiftyTurns(): Promise<{ requests: readonly ApiRequest[]; cache: ApiCache; session: Session }> {
  const cache = new ApiCache();
  const api = await startApi((request, n): Answer => ({
    turn: { ...turnOf(n), usage: { ...cache.take(request.body), output: 40 } },
  }));
  const model = anthropicModel("claude-sonnet-5-5", {
    access: { baseUrl: api.url },
    clock: systemClock,
    random: () => 0,
  });
  const at = place("caching");
  for (let i = 0; i < 8; i++)
    writeFileSync(
      join(at.folder, `f${i}.txt`),
      Array.from({ length: 30 }, (_, k) => `word${k} of file ${i}\n`).join(""),
    );
  mkdirSync(join(at.folder, "sub"));
  const open = (resume?: string) =>
    openAt(at, {
      model,
      asker: answers(...Array.from({ length: 9 }, () => "yes" as const)),
      more: { defaults: { mode: "auto", model: "claude-sonnet-5-5" }, ...(resume === undefined ? {} : { resume }) },
    });
  let session = await open();
  for (let message = 1; message <= 10; message++) {
    if (message === 3) await session.undo();
    if (message === 4) await session.setMode("plan");
    if (message === 5) {
      await session.close();
      session = await open(session.id);
    }
    const run = session.submit([text(`Part ${message}, please.`)], NEVER);
    if (message === 2) session.steer("And mind the headings.");
    const { result } = await collect(run);
    expect(result.reason).toBe("done");
  }
  expect(api.breaches).toEqual([]);
  return { requests: api.requests, cache, session };
}

const sum = (list: readonly number[]): number => list.reduce((all, one) => all + one, 0);
const lengthOf = (blocks: readonly CacheBlock[]): number => sum(blocks.map(({ text: bytes }) => bytes.length));

describe("C1, M2: what the service has cached is used", () => {
  it("each request begins byte for byte as the one before, over undo, modes, steering and resume; at most four breakpoints; 95 % of each of fifty are an unchanged prefix", async () => {
    const { requests, cache, session } = await fiftyTurns();
    try {
      expect(requests).toHaveLength(50);
      let before: readonly CacheBlock[] = [];
      const [sizes, kept] = [[] as number[], [] as number[]];
      for (const { body } of requests) {
        const all = blocksOf(body);
        expect(all.slice(0, before.length).map((b) => b.text)).toEqual(before.map((b) => b.text));
        // Behind the tools, the system prompt, and the two newest messages of the person's side.
        const marked = all.flatMap((b, at) => (b.marked ? [at] : []));
        expect(marked.map((at) => all[at]?.where)).toEqual([
          "tool",
          "system",
          ...(before.length > 0 ? ["user"] : []),
          "user",
        ]);
        for (const where of ["tool", "system"]) expect(marked).toContain(all.findLastIndex((b) => b.where === where));
        expect(marked.at(-1)).toBe(all.length - 1);
        if (before.length > 0) expect(marked).toContain(before.length - 1);
        sizes.push(lengthOf(all));
        kept.push(lengthOf(before));
        before = all;
      }
      // Of all bytes that were sent; and of each request, once the conversation is longer than prompt and tools, but the one behind fifteen
      // results at once.
      const share = kept.map((bytes, i) => bytes / (sizes[i] ?? 0));
      expect(sum(kept.slice(1)) / sum(sizes.slice(1))).toBeGreaterThan(0.97);
      expect(share.flatMap((part, i) => (i >= 7 && part < 0.95 ? [i + 1] : []))).toEqual([13]);
      expect(Math.min(...share.slice(1))).toBeGreaterThan(0.7);
      expect(cache.marks).toBe(4);
      const report = session.cost();
      expect(report.turns).toHaveLength(50);
      expect(report.hitRate).toBeGreaterThan(0.9);
      // No request pays again for what the one before had sent.
      let sent = 0;
      for (const { usage } of report.turns) {
        expect(usage.cacheRead).toBeGreaterThanOrEqual(sent);
        sent = usage.cacheRead + usage.cacheWrite;
      }
    } finally {
      await session.close();
    }
  });

  it("the cache of the test is as strict as the service's: another byte ahead, or 20 blocks between, and nothing is found", () => {
    const message = (words: string, mark: boolean) => ({
      role: "user",
      content: [{ type: "text", text: words.padEnd(5000), ...(mark ? { cache_control: { type: "ephemeral" } } : {}) }],
    });
    const many = Array.from({ length: 20 }, (_, i) => message(`m${i}`, false));
    const cache = new ApiCache();
    const first = cache.take({ messages: [message("a", true)] });
    expect(first).toMatchObject({ cacheRead: 0, input: 0 });
    expect(cache.take({ messages: [message("a", false), message("b", true)] }).cacheRead).toBe(first.cacheWrite);
    expect(cache.take({ messages: [message("a ".repeat(2), false), message("b", true)] }).cacheRead).toBe(0);
    const far = new ApiCache();
    far.take({ messages: [message("a", true)] });
    expect(far.take({ messages: [message("a", false), ...many, message("b", true)] }).cacheRead).toBe(0);
    expect(
      far.take({ messages: [message("a", false), ...many.slice(0, 18), message("c", true)] }).cacheRead,
    ).toBeGreaterThan(0);
    // Asked to think in another way, what was said is read anew.
    expect(cache.take({ messages: [message("a", true)], output_config: { effort: "low" } }).cacheRead).toBe(0);
  });
});
