import { mkdirSync, readFileSync, truncateSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import { describe, expect, it } from "vitest";
import { buildRequest, toolSpecs } from "../../src/context/request.ts";
import { text } from "../../src/events/block.ts";
import type { LogBody, LogBodyOf } from "../../src/events/event.ts";
import { loadLog } from "../../src/events/load.ts";
import { LogError } from "../../src/events/log-error.ts";
import { toParams } from "../../src/model/anthropic-request.ts";
import { requestBreaches } from "../support/api-check.ts";
import { signatureOf } from "../support/api-sse.ts";
import { deep } from "../support/deep.ts";
import {
  finished,
  headFile,
  lines,
  logFile,
  NO_USAGE,
  place,
  prompt,
  proposedBody,
  reopened,
  reply,
  started,
  toolUse,
  written,
} from "../support/event-log.ts";
import { imageBlock, png } from "../support/media.ts";
import { scratch } from "../support/scratch.ts";
import { TALK_TOOLS } from "../support/talk.ts";

const thought = { type: "thinking" as const, thinking: "T", signature: signatureOf("T") };
const result = (id: string, ...content: LogBodyOf<"call.finished">["content"]): LogBody => ({
  ...(finished(id) as LogBodyOf<"call.finished">),
  content,
});
/** A bit of everything: calls, landings, pictures, long texts, odd line ends, a reply that broke off, what was mended and cleared. */
const MIXED: readonly LogBody[] = [
  { type: "note.added", text: "Folder: /p" },
  prompt("look \u2028 here \u{1F600}"),
  reply([thought, text("I look."), toolUse("a"), toolUse("b", "Put", { content: "x".repeat(3000) })]),
  started("a"),
  result("a", text("long ".repeat(20_000))),
  proposedBody("b"),
  finished("b"),
  prompt("and quick", "steer"),
  reply([toolUse("c"), toolUse("d")]),
  result("c", imageBlock(), text("seen")),
  { type: "query.finished", reason: "interrupted", turns: 2, durationMs: 1 },
  { type: "prompt.submitted", when: "start", content: [imageBlock(png(9000, 9)), text("what is it?")] },
  {
    type: "reply.cut",
    turn: 1,
    model: "m",
    blocks: [text("It is "), { ...toolUse("e"), broken: "{" }],
    usage: NO_USAGE,
    reason: "lost",
  },
  prompt("go on"),
  reply([thought, text("A picture.\n")]),
  { type: "context.mended", why: "w", parts: [{ callId: "c", at: 0, note: "(a picture)" }], thinking: true },
  { type: "context.cleared", callIds: ["a"], before: 9, after: 3 },
  reply([toolUse("f"), toolUse("a")]),
  finished("f"),
  { type: "context.compacted", summary: "We looked.", keptFrom: 9, before: 9, after: 1 },
  prompt("the end"),
];

/** What the next request would be, once the person has spoken. */
function wrongWith(state: Parameters<typeof buildRequest>[0]): string[] {
  const model = { id: "m", contextWindow: 1, maxOutput: 10, stream: () => (async function* () {})() };
  return requestBreaches(
    JSON.parse(JSON.stringify(toParams("m", buildRequest(state, model, { specs: toolSpecs(TALK_TOOLS) })))),
  );
}

describe("a log that was cut off at any byte", () => {
  it(
    "E1, E4, L4: loads, or says file and why; what was lost is told by its line; what it then sends is valid",
    { timeout: 30 * 60_000 },
    async () => {
      const dir = scratch("cuts");
      const at = place(dir);
      await written(at, MIXED);
      const [whole, head] = [readFileSync(logFile(at)), readFileSync(headFile(at))];
      const ends = lines(logFile(at)).reduce<number[]>(
        (all, line) => [...all, (all.at(-1) ?? 0) + Buffer.byteLength(line) + 1],
        [],
      );
      // Around each line end, and spread over the rest.
      const step = deep(Math.ceil(whole.length / 60), 1);
      const cuts = new Set([0, 1, ...ends.flatMap((end) => [end - 1, end, end + 1])]);
      for (let n = 0; n <= whole.length; n += step) cuts.add(n);
      for (const n of cuts) {
        if (n > whole.length) continue;
        writeFileSync(logFile(at), whole.subarray(0, n));
        const loaded = await loadLog(at).catch((error: unknown) => error);
        if (loaded instanceof LogError) {
          expect([n < (ends[0] ?? 0), loaded.message]).toEqual([true, expect.stringContaining(logFile(at))]);
          continue;
        }
        if (loaded instanceof Error) throw loaded;
        const { state, notices, torn } = loaded as Awaited<ReturnType<typeof loadLog>>;
        expect(wrongWith(state)).toEqual([]);
        const complete = ends.filter((end) => end <= n).length;
        expect(state.seq).toBe(complete);
        expect(torn).toBe(n - (ends[complete - 1] ?? 0));
        if (torn > 0)
          expect(notices.join("\n")).toContain(`${logFile(at)}, line ${complete + 1}: the last line was cut short`);
        else if (complete < ends.length)
          expect(notices.join("\n")).toContain(`${logFile(at)} ends at event ${complete}`);
        else expect(notices.filter((note) => !note.includes("new ids"))).toEqual([]);
      }
      expect(cuts.size).toBeGreaterThan(60);
      writeFileSync(headFile(at), head);
    },
  );

  it("E1, L4: opened again it records what was left out, and goes on validly", { timeout: 30 * 60_000 }, async () => {
    const dir = scratch("cuts");
    const at = place(dir);
    await written(at, MIXED);
    const [whole, head] = [readFileSync(logFile(at)), readFileSync(headFile(at))];
    const step = deep(Math.ceil(whole.length / 12), 97);
    for (let n = whole.indexOf("\n") + 1; n <= whole.length; n += step) {
      mkdirSync(dirname(logFile(at)), { recursive: true });
      writeFileSync(logFile(at), whole);
      truncateSync(logFile(at), n);
      writeFileSync(headFile(at), head);
      const log = await reopened(at);
      await log.append(prompt("again"));
      await log.close();
      expect(wrongWith(log.state)).toEqual([]);
      const after = await loadLog(at);
      expect(after.events).toEqual(log.events);
      expect([after.torn, after.foreign, after.repaired]).toEqual([0, undefined, []]);
    }
  });
});
