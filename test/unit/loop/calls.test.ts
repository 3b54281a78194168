import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { text } from "../../../src/events/block.ts";
import type { LogEventOf, SessionEvent } from "../../../src/events/event.ts";
import { toMessages } from "../../../src/events/messages.ts";
import { builtinTools } from "../../../src/tools/builtin.ts";
import { defineTool, type Tool } from "../../../src/tools/tool.ts";
import { collect, openAt, place, type ScriptInput, type SessionInput } from "../../support/session.ts";

const never = new AbortController().signal;

async function run(script: ScriptInput, more: SessionInput = {}, at = place()) {
  const session = await openAt(at, { ...more, script });
  const { events, result } = await collect(session.submit([text("go")], never));
  const messages = toMessages(session.state());
  await session.close();
  return { events, result, messages, at };
}

function finished(events: readonly SessionEvent[]): LogEventOf<"call.finished">[] {
  return events.filter((e): e is LogEventOf<"call.finished"> => e.type === "call.finished");
}
function words(event: LogEventOf<"call.finished"> | undefined): string {
  return event?.content.map((b) => (b.type === "text" ? b.text : "")).join("\n") ?? "";
}

const echo = (
  name: string,
  gate: { open: number; most: number; release?: () => void },
  safe: boolean,
): Tool<{ n: number }> =>
  defineTool({
    name,
    description: "",
    input: z.strictObject({ n: z.number() }),
    subject: (i) => String(i.n),
    needs: () => Promise.resolve([]),
    parallel: () => safe,
    async *run(i) {
      gate.open++;
      gate.most = Math.max(gate.most, gate.open);
      await new Promise((r) => setTimeout(r, 20 * (3 - i.n)));
      gate.open--;
      yield { text: `${i.n}` };
      return { status: "ok", content: [text(`result ${i.n}`)] };
    },
  });

describe("calls", () => {
  it("L10: an unknown name gets a result that lists what exists and the nearest", async () => {
    const { events, result } = await run({ turns: [{ calls: [{ name: "read_file", input: {} }] }, { text: "ok" }] });
    expect(words(finished(events)[0])).toContain("Did you mean Read? The tools are: AskUser");
    const multi = await run({ turns: [{ calls: [{ name: "MultiEdit", input: {} }] }, { text: "ok" }] });
    expect(words(finished(multi.events)[0])).toContain("Did you mean Edit?");
    expect(result.reason).toBe("done");
  });

  it("L8: invalid input names the field and runs nothing", async () => {
    const { events } = await run({ turns: [{ calls: [{ name: "Read", input: { file_path: 7 } }] }, { text: "ok" }] });
    expect(finished(events)[0]?.status).toBe("error");
    expect(words(finished(events)[0])).toMatch(/Invalid input for Read; nothing ran.\n- file_path: /);
    expect(events.some((e) => e.type === "call.started")).toBe(false);
  });

  it("L8: of many wrong entries only the first are told", async () => {
    const todos = Array.from({ length: 9 }, () => ({ content: "x", status: "in_progress" }));
    const { events } = await run({ turns: [{ calls: [{ name: "TodoWrite", input: { todos } }] }, { text: "ok" }] });
    expect(words(finished(events)[0]).split("\n")).toHaveLength(8);
    expect(words(finished(events)[0])).toMatch(/- todos\.0\.text: .*\n[^]*- and 21 more$/);
  });

  it("L8: an unknown field is told with those that exist", async () => {
    const input = { file_path: "a", old_string: "a", new_string: "b", all: true };
    const { events } = await run({ turns: [{ calls: [{ name: "Edit", input }] }, { text: "ok" }] });
    expect(words(finished(events)[0])).toMatch(
      /Unrecognized key: "all"\nThe fields are: file_path, old_string, new_string, replace_all, edits\.$/,
    );
  });

  it("L9: a long file is read in pages that end before the middle would be cut out", async () => {
    const at = place();
    const lines = Array.from({ length: 3000 }, (_, n) => `line ${n + 1} of a long file`);
    writeFileSync(join(at.folder, "long.txt"), lines.join("\n"));
    const { events } = await run(
      { turns: [{ calls: [{ name: "Read", input: { file_path: "long.txt" } }] }, { text: "ok" }] },
      {},
      at,
    );
    const shown = words(finished(events)[0]);
    expect(shown).not.toContain("left out");
    const [, last, next] = /\nLines 1-(\d+) of 3,000\. Next: offset (\d+)\.$/.exec(shown) ?? [];
    expect(Number(next)).toBe(Number(last) + 1);
    expect(shown).toContain(`\n${last}\tline ${last} of`);
    expect(shown.split("\n")).toHaveLength(Number(last) + 2);
  });

  it("L4, L5: a call cut off at max_tokens gets an error result and the loop goes on", async () => {
    const { events, result } = await run({
      turns: [
        { calls: [{ name: "Write", broken: '{"file_path":"a","content":"xx' }], stopReason: "max_tokens" },
        { text: "ok" },
      ],
    });
    expect(words(finished(events)[0])).toContain("cut off");
    expect(result.reason).toBe("done");
  });

  it("L8: a tool that throws is a short result without a stack, and the loop goes on", async () => {
    const broken: Tool = {
      ...echo("Broken", { open: 0, most: 0 }, false),
      input: z.unknown(),
      subject: () => "",
      parallel: () => false,
      needs: () => Promise.resolve([]),
      async *run() {
        yield { text: "begins" };
        await Promise.reject(new Error("kaputt\n    at secret stack"));
        return { status: "ok", content: [] };
      },
    };
    const { events, result } = await run(
      { turns: [{ calls: [{ name: "Broken" }] }, { text: "ok" }] },
      { more: { tools: [...builtinTools, broken] } },
    );
    expect([finished(events)[0]?.status, words(finished(events)[0])]).toEqual(["error", "The tool failed: kaputt"]);
    expect(result.reason).toBe("done");
  });

  it("L7: parallel-safe calls run together, results keep the order of the calls; others run alone", async () => {
    const together = { open: 0, most: 0 };
    const alone = { open: 0, most: 0 };
    const tools = [...builtinTools, echo("Safe", together, true), echo("Alone", alone, false)] as Tool[];
    const calls = [0, 1, 2].flatMap((n) => [{ name: "Safe", input: { n } }]);
    const { messages } = await run(
      { turns: [{ calls }, { calls: [0, 1, 2].map((n) => ({ name: "Alone", input: { n } })) }, { text: "ok" }] },
      { more: { tools } },
    );
    expect([together.most, alone.most]).toEqual([3, 1]);
    const results = messages[2]?.content.map((b) =>
      b.type === "tool_result" && b.content[0]?.type === "text" ? b.content[0].text : "",
    );
    expect(results).toEqual(["result 0", "result 1", "result 2"]);
  });

  it("L9: a result too long is cut to head and tail, the whole is in a file that Read can read", async () => {
    const at = place();
    const long = Array.from({ length: 1200 }, (_, i) => `line ${i} of it`).join("\n");
    writeFileSync(join(at.folder, "long.txt"), long);
    const script = { turns: [{ calls: [{ name: "Bash", input: { command: "cat long.txt" } }] }, { text: "ok" }] };
    const { events } = await run(script, { limits: { resultChars: 2000 } }, at);
    const said = words(finished(events)[0]);
    expect(said.length).toBeLessThan(2500);
    const file = /(\/\S+\.txt)/.exec(said)?.[1] ?? "";
    expect(existsSync(file)).toBe(true);
    expect(readFileSync(file, "utf8")).toContain("line 600 of it");
  });

  it("L3: the reply is recorded before any of its calls starts", async () => {
    const { events } = await run({ turns: [{ calls: [{ name: "Glob", input: { pattern: "*" } }] }, { text: "ok" }] });
    const order = events.map((e) => e.type).filter((t) => t === "reply.completed" || t === "call.started");
    expect(order).toEqual(["reply.completed", "call.started", "reply.completed"]);
  });

  it("L6: text beside a call and thinking are kept and go back as they came", async () => {
    const { messages } = await run({
      turns: [{ thinking: "hm", text: "Looking.", calls: [{ name: "Glob", input: { pattern: "*" } }] }, { text: "ok" }],
    });
    expect(messages[1]?.content.slice(0, 2)).toEqual([
      { type: "thinking", thinking: "hm", signature: "scripted" },
      { type: "text", text: "Looking." },
    ]);
  });
});
