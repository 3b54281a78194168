import { describe, expect, it } from "vitest";
import { z } from "zod";
import type { Outcome } from "../../../src/tools/tool.ts";
import { ToolError } from "../../../src/tools/program-error.ts";
import { programTool, toolOf, type ProgramAnswer, type ProgramTool } from "../../../src/tools/program-tool.ts";
import { toolBench } from "../../support/tool-context.ts";

const input = z.object({ n: z.number() });

function tool(more: Partial<ProgramTool<{ n: number }>> = {}): ProgramTool<{ n: number }> {
  return { name: "double", description: "Doubles.", input, run: ({ n }) => n * 2, ...more };
}

/** What a call of it comes to. */
async function outcome(
  run: ProgramTool<{ n: number }>["run"],
  signal = new AbortController().signal,
): Promise<Outcome> {
  const { ctx } = toolBench();
  const running = toolOf(tool({ run }), "program").run({ n: 2 }, { ...ctx, signal });
  const step = await running.next();
  if (step.done !== true) throw new Error("it showed something");
  return step.value;
}

const needs = async (effects: ProgramTool<{ n: number }>["effects"], n = 1) =>
  toolOf(tool(effects === undefined ? {} : { effects }), "shop").needs({ n }, toolBench().ctx);

describe("a tool of a program's", () => {
  it("P3: asks unless it is declared to have no effects, by a slip too", async () => {
    const outside = [{ kind: "mcp", server: "shop", tool: "double" }];
    expect(await needs(undefined)).toEqual(outside);
    expect(await needs("outside")).toEqual(outside);
    expect(await needs("none")).toEqual([]);
    expect(await needs("changes")).toEqual([{ kind: "change", paths: [] }]);
    const slip = { effects: "nothing" };
    expect(await needs(slip.effects as "none")).toEqual(outside);
    const large = ({ n }: { n: number }) => (n > 9 ? "outside" : "none");
    expect([await needs(large, 9), await needs(large, 10)]).toEqual([[], outside]);
    const lost = () => {
      throw new Error("no idea");
    };
    await expect(needs(lost)).rejects.toThrow("no idea");
  });
  it("P5: a question shows the whole input, on one line", () => {
    const long = tool({ input: z.object({ n: z.number(), text: z.string() }) });
    expect(toolOf(long, "shop").subject({ n: 1, text: "a\nb" })).toBe('{"n":1,"text":"a\\nb"}');
  });
  it("L7: runs alone unless it says otherwise", () => {
    const parallel = [{}, { parallel: true }].map((more) => toolOf(tool(more), "shop").parallel({ n: 1 }));
    expect(parallel).toEqual([false, true]);
  });

  it.each<[ProgramAnswer, string]>([
    ["words", "words"],
    [4, "4"],
    [false, "false"],
    [null, "null"],
    [undefined, ""],
    [{ n: 1 }, '{"n":1}'],
    [[1, 2], "[1,2]"],
    [[], "[]"],
  ])("what it answers is what the model reads: %j", async (answer, text) => {
    expect(await outcome(() => answer)).toEqual({ status: "ok", content: [{ type: "text", text }] });
  });
  it("blocks are taken as they are, an image for one", async () => {
    const image = { type: "image", source: { type: "base64", media_type: "image/png", data: "AA==" } };
    expect(await outcome(() => [image])).toEqual({ status: "ok", content: [image] });
  });
  it("L8: a ToolError is told whole; anything else is for the loop to tell", async () => {
    const told = await outcome(() => {
      throw new ToolError("No such city.\nTry Bergen.");
    });
    expect(told).toEqual({ status: "error", content: [{ type: "text", text: "No such city.\nTry Bergen." }] });
    await expect(outcome(() => Promise.reject(new Error("socket")))).rejects.toThrow("socket");
  });
  it("S7: one that ignores the stop is left behind, and said so", async () => {
    const stop = new AbortController();
    const running = outcome(() => new Promise(() => setTimeout(() => stop.abort(), 5)), stop.signal);
    expect(await running).toMatchObject({
      status: "interrupted",
      content: [{ text: expect.stringContaining("may still") }],
    });
    expect(await outcome(() => "ran", AbortSignal.abort())).toMatchObject({ status: "interrupted" });
  });
  it("is told its operation id and the signal", async () => {
    const { ctx } = toolBench();
    const seen: unknown[] = [];
    const running = toolOf(tool({ run: (_, call) => void seen.push(call) }), "shop").run({ n: 1 }, ctx);
    await running.next();
    expect(seen).toMatchObject([{ operationId: ctx.operationId, callId: ctx.callId, signal: expect.any(AbortSignal) }]);
  });

  it.each<[string, Partial<ProgramTool<{ n: number }>>]>([
    ["a name has 1 to 64", { name: "two words" }],
    ["a name has 1 to 64", { name: "" }],
    ["begin with mcp__", { name: "mcp__a__b" }],
    ["the description is empty", { description: " " }],
    ["timeoutMs is a whole number", { timeoutMs: 0 }],
    ["is no object (number)", { input: z.number() as never }],
    ["has no JSON Schema", { input: z.object({ at: z.date() }) as never }],
  ])("what is wrong with one is told when it is defined: %s", (words, wrong) => {
    expect(() => programTool(tool(wrong))).toThrow(words);
  });
});
