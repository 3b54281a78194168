import { mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { builtinTools } from "../../src/tools/builtin.ts";
import type { ToolContext } from "../../src/tools/tool.ts";
import { toolBench } from "../support/tool-context.ts";
import { treeHash } from "../support/tree.ts";

const odd = fc.oneof(
  fc.constantFrom(
    "a.txt",
    "src",
    "src/b.ts",
    "link",
    "loop",
    ".",
    "..",
    "",
    "nope/x",
    "a.txt/x",
    "src/",
    "\0",
    "~",
    "[id]",
    "*",
    "(",
    "é",
  ),
  fc.string({ maxLength: 12, unit: "binary" }),
);
const number = fc.integer({ min: 0, max: 5 });
/** Any input that the schemas take, sensible or not. */
const inputs: Readonly<Record<string, fc.Arbitrary<Record<string, unknown>>>> = {
  Read: fc.record({ file_path: odd, offset: number }),
  Write: fc.record({ file_path: odd, content: odd }),
  Edit: fc.oneof(
    fc.record({ file_path: odd, old_string: odd, new_string: odd, replace_all: fc.boolean() }),
    fc.record({
      file_path: odd,
      edits: fc.array(fc.record({ old_string: odd, new_string: odd }), { minLength: 1, maxLength: 3 }),
    }),
  ),
  Delete: fc.record({ file_path: odd, recursive: fc.boolean() }),
  Glob: fc.record({ pattern: odd.filter((p) => p !== "" && !p.startsWith("..") && !p.startsWith("/")) }),
  Grep: fc.record({ pattern: odd.filter((p) => p !== ""), glob: odd, multiline: fc.boolean(), "-C": number }),
  AskUser: fc.record({ question: odd }),
  TodoWrite: fc.record({
    todos: fc.array(fc.record({ text: odd, status: fc.constantFrom("pending", "active", "done") })),
  }),
};
const tools = builtinTools.filter((tool) => inputs[tool.name] !== undefined);

describe.each(tools.map((tool) => [tool.name, tool] as const))("tool contract: %s", (name, tool) => {
  it("L8: whatever the input: no exception, an answer in words without a stack, the folder as it was", async () => {
    const bench = toolBench();
    mkdirSync(join(bench.folder, "src"));
    writeFileSync(join(bench.folder, "a.txt"), "a\r\nb (\r\n");
    writeFileSync(join(bench.folder, "src/b.ts"), "é *\n");
    symlinkSync("a.txt", join(bench.folder, "link"));
    symlinkSync("loop", join(bench.folder, "loop"));
    for (const file of ["a.txt", "src/b.ts"]) await bench.call("Read", { file_path: file });
    const before = treeHash(bench.folder);
    await fc.assert(
      fc.asyncProperty(inputs[name] ?? fc.constant({}), async (input) => {
        const { outcome, text, needs } = await bench.call(tool, input, false);
        expect(outcome.content.length).toBeGreaterThan(0);
        expect(text).not.toMatch(/^\s+at .*\.[jt]s:\d+/m);
        expect(JSON.parse(JSON.stringify(outcome.details ?? null))).toEqual(outcome.details ?? null);
        if (outcome.changes !== undefined) expect(needs.some((need) => need.kind === "change")).toBe(true);
        expect(typeof tool.subject(tool.input.parse(input))).toBe("string");
      }),
      { numRuns: 60 },
    );
    expect(treeHash(bench.folder)).toEqual(before);
  });
  it("S7: an aborted signal ends it without a change", async () => {
    const bench = toolBench({ signal: AbortSignal.abort() });
    writeFileSync(join(bench.folder, "a.txt"), "a\n");
    const [input] = fc.sample(inputs[name] ?? fc.constant({}), { numRuns: 1, seed: 7 });
    const called = await bench.call(tool, input ?? {}, false);
    expect(["ok", "error", "interrupted", "waiting"]).toContain(called.outcome.status);
  });
  it("P2: its needs are the same whatever mode it is", async () => {
    const bench = toolBench();
    const [input] = fc.sample(inputs[name] ?? fc.constant({}), { numRuns: 1, seed: 11 });
    const parsed = tool.input.parse(input);
    const inMode = (mode: "plan" | "auto"): ToolContext => ({ ...bench.ctx, mode: () => mode });
    expect(await tool.needs(parsed, inMode("plan"))).toEqual(await tool.needs(parsed, inMode("auto")));
  });
});
