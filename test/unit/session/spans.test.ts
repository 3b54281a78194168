import { describe, expect, it } from "vitest";
import { otlpBody } from "../../../src/session/otlp.ts";
import { spansOf } from "../../../src/session/spans.ts";
import { anyHistory } from "../../support/event-arbitrary.ts";
import { events, OPENED, prompt, reply } from "../../support/event-log.ts";
import { attribute, spansIn } from "../../support/otlp.ts";
import { recorded } from "../../support/recorded.ts";
import fc from "fast-check";

describe("E6: OpenTelemetry spans of a session", () => {
  it("E6: invoke_agent, chat and execute_tool, one in the other, with the GenAI names", async () => {
    const { events: log } = await recorded("auto-high-risk");
    const spans = spansIn(otlpBody(spansOf(log, { content: false }), "1.2.3"));
    const tree = spans.map((s) => `${spans.find((p) => p.spanId === s.parentSpanId)?.name ?? "-"} > ${s.name}`);
    expect(tree.filter((row) => row.startsWith("-"))).toEqual(["- > invoke_agent understudy"]);
    expect(tree.filter((row) => row.endsWith("chat scripted")).every((row) => row.startsWith("invoke_agent"))).toBe(
      true,
    );
    expect(tree).toEqual(
      expect.arrayContaining(["chat scripted > execute_tool Edit", "chat scripted > execute_tool Bash"]),
    );
    expect(new Set(spans.map((s) => s.traceId)).size).toBe(1);
    expect(new Set(spans.map((s) => s.spanId)).size).toBe(spans.length);
    const [agent] = spans;
    expect(attribute(agent, "gen_ai.operation.name")).toBe("invoke_agent");
    expect(attribute(agent, "understudy.end.reason")).toBe("done");
    const bash = spans.filter((s) => s.name === "execute_tool Bash");
    expect(bash.map((s) => attribute(s, "understudy.permission.by"))).toEqual(["person", "rule"]);
    expect(attribute(bash[0], "understudy.permission.risk")).toBe("high");
    expect(attribute(bash[0], "understudy.changes.files")).toBe(1);
    expect(bash.map((s) => s.status)).toEqual([{ code: 1 }, { code: 1 }]);
    for (const span of spans)
      expect(BigInt(span.endTimeUnixNano)).toBeGreaterThanOrEqual(BigInt(span.startTimeUnixNano));
  });

  it("E6: tokens as the conventions count them, failures by kind; a second export names the same spans", async () => {
    const usage = { input: 10, output: 5, cacheRead: 100, cacheWrite: 20 };
    const log = events([
      OPENED,
      prompt("go"),
      reply([{ type: "text", text: "hi" }], { usage, messageId: "msg_1", model: "claude-x" }),
    ]);
    const chat = spansIn(otlpBody(spansOf(log, { content: false }), "1")).find((s) => s.name === "chat claude-x");
    expect(chat?.kind).toBe(3);
    for (const [key, value] of [
      ["gen_ai.provider.name", "anthropic"],
      ["gen_ai.response.id", "msg_1"],
      ["gen_ai.response.finish_reasons", ["end_turn"]],
      ["gen_ai.usage.input_tokens", 130],
      ["gen_ai.usage.output_tokens", 5],
      ["gen_ai.usage.cache_read.input_tokens", 100],
      ["gen_ai.usage.cache_creation.input_tokens", 20],
    ] as const)
      expect([key, attribute(chat, key)]).toEqual([key, value]);
    const failing = await recorded("failing-tool");
    const spans = spansIn(otlpBody(spansOf(failing.events, { content: false }), "1"));
    expect(spans[0]?.status).toEqual({ code: 2, message: "tool-failing" });
    expect(spans.filter((s) => attribute(s, "error.type") === "error").length).toBeGreaterThan(2);
    expect(spansIn(otlpBody(spansOf(failing.events, { content: false }), "1"))).toEqual(spans);
  });

  it("E6: no text of person, model, tool or file is in them unless content is asked for", async () => {
    const { events: log } = await recorded("edit-bash-denial");
    const without = JSON.stringify(otlpBody(spansOf(log, { content: false }), "1"));
    const having = JSON.stringify(otlpBody(spansOf(log, { content: true }), "1"));
    for (const word of ["butter", "todo.txt", "rm -r old", "I'll look", "I still need", "milk", "/tmp/"]) {
      expect([word, without.includes(word)]).toEqual([word, false]);
    }
    for (const word of ["Put butter", "todo.txt", "rm -r old", "I'll look", "milk", "gen_ai.tool.call.result"]) {
      expect([word, having.includes(word)]).toEqual([word, true]);
    }
    spansIn(JSON.parse(having));
  });

  it("E6: whatever a log holds, its spans are as the protocol wants them", () => {
    fc.assert(
      fc.property(anyHistory, (bodies) => {
        const body: unknown = JSON.parse(
          JSON.stringify(otlpBody(spansOf(events([OPENED, ...bodies]), { content: true }), "1")),
        );
        expect(() => spansIn(body)).not.toThrow();
      }),
      { numRuns: 60 },
    );
  });
});
