import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { anthropicModel } from "../../src/model/anthropic.ts";
import type { Session } from "../../src/session/session.ts";
import { systemClock } from "../../src/util/system.ts";
import { type Answer, type ApiRequest, type ApiServer, startApi } from "../support/api-server.ts";
import { deep } from "../support/deep.ts";
import { collect, openAt, place, type Place } from "../support/session.ts";

const WINDOW = 20_000;
const PROMPT = "This is from the program. The conversation is getting too long";

function isSummary({ raw }: ApiRequest): boolean {
  return raw.includes(PROMPT);
}

function open(at: Place, api: ApiServer, resume?: string): Promise<Session> {
  const known = { contextWindow: WINDOW, maxOutput: 1000, thinking: "none" as const };
  const model = anthropicModel("claude-x", {
    access: { baseUrl: api.url },
    clock: systemClock,
    random: () => 0,
    known,
  });
  return openAt(at, { model, ...(resume === undefined ? {} : { more: { resume } }) });
}

describe("compaction, as others have reported it", { timeout: 120_000 }, () => {
  it.each(["end", "esc"])(
    "cmp-floor-loop: what must be kept is larger than the window: at most 3 summaries, then a word that they don't help (%s)",
    async (how) => {
      const usage = { input: Math.round(WINDOW * 1.05), output: 5 };
      const abort = new AbortController();
      let summaries = 0;
      const api = await startApi((request, n): Answer => {
        if (!isSummary(request))
          return request.raw.includes('"go"')
            ? { turn: { calls: [{ name: "Bash", input: { command: `echo ${n}` } }], usage } }
            : { turn: { text: `Well, ${n}. ${"x".repeat(3000)}`, usage: { input: 100 } } };
        summaries++;
        if (how === "esc") abort.abort();
        return { turn: { text: "summary", usage } };
      });
      const session = await open(place("floor-loop"), api);
      onTestFinished(() => session.close());
      for (const words of ["one", "two", "three", "four"]) await collect(session.submit(`${words}, just a word`));
      summaries = 0;
      const { result } = await collect(session.submit("go", abort.signal));
      expect(api.breaches).toEqual([]);
      expect(summaries).toBeGreaterThan(0);
      expect(summaries).toBeLessThanOrEqual(3);
      expect(result.reason).toBe(how === "esc" ? "interrupted" : "context-limit");
      expect(result.detail ?? "Summing up does not help").toContain("Summing up does not help");
    },
  );

  it("cmp-twice-pairs: after compactions in a row, by itself and by hand, every result stands behind its call; after quit and resume too", async () => {
    const at = place("twice-pairs");
    writeFileSync(join(at.folder, "a.txt"), "hi\n");
    let replies = 0;
    const [full, byHand, end] = deep(0, 1) === 1 ? [[10, 14, 20], 22, 30] : [[4, 6, 9], 10, 13];
    const api = await startApi((request): Answer => {
      if (isSummary(request)) return { turn: { text: "## Task\nGo on.", usage: { input: 900, output: 20 } } };
      replies++;
      const usage = { input: full.includes(replies) ? WINDOW * 0.8 : 1000, output: 20 };
      if (replies === byHand || replies >= end) return { turn: { text: `Stop ${replies}.`, usage } };
      const calls = [
        { name: "Read", input: { file_path: "a.txt" } },
        { name: "Bash", input: { command: `echo x${replies}` } },
      ];
      return { turn: { calls, usage } };
    });
    let session = await open(at, api);
    onTestFinished(() => session.close());
    expect((await collect(session.submit("go"))).result).toMatchObject({ reason: "done", turns: byHand });
    const facts = () => session.looks.facts().filter((e) => e.type === "context.compacted");
    expect(facts()).toHaveLength(3);
    expect(await session.context.compact()).toMatchObject({ ok: true });
    await session.context.compact();
    await collect(session.submit("and on"));
    await session.close();
    session = await open(at, api, session.id);
    expect((await collect(session.submit("once more"))).result.reason).toBe("done");
    expect(api.breaches).toEqual([]);
    expect(facts().length).toBeGreaterThanOrEqual(4);
  });
});
