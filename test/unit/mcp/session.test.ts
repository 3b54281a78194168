import { describe, expect, it } from "vitest";
import { answers, collect, openAt, place, type SessionInput } from "../../support/session.ts";
import { isFact } from "../../../src/events/event.ts";
import { textOf } from "../../../src/events/block.ts";
import { named, server, tool } from "../../support/mcp.ts";
import type { Model, ModelRequest } from "../../../src/model/model.ts";

/** A model that makes these calls, a reply each, and remembers what it was sent. */
function calling(...calls: { name: string; input?: object }[]) {
  const requests: ModelRequest[] = [];
  let n = 0;
  const model: Model = {
    id: "scripted",
    contextWindow: 1_000_000,
    maxOutput: 32_000,
    async *stream(request) {
      requests.push(structuredClone(request));
      const usage = { input: 1, output: 1, cacheRead: 0, cacheWrite: 0 };
      const next = calls[n++];
      await Promise.resolve();
      yield {
        type: "reply",
        blocks:
          next === undefined
            ? [{ type: "text", text: "ok" }]
            : [{ type: "tool_use", id: `toolu_${n}`, name: next.name, input: { ...next.input } }],
        stopReason: next === undefined ? "end_turn" : "tool_use",
        usage,
        model: "scripted",
        attempts: 1,
      };
    },
  };
  return { model, requests };
}

const mcp = (name: string, input: object = {}) => ({ name: "CallTool", input: { name, input } });

async function ran(input: SessionInput) {
  const session = await openAt(place("mcp"), input);
  try {
    await session.servers.settled(15_000, new AbortController().signal);
    const { events, result } = await collect(session.submit("go"));
    const facts = events.filter(isFact);
    const results = facts.flatMap((f) =>
      f.type === "call.finished" ? [{ status: f.status, text: textOf(f.content) }] : [],
    );
    return { session, facts, events, result, results };
  } finally {
    await session.close();
  }
}

describe("tools of servers in a session", () => {
  it("U4: a tool of a server is called through CallTool, asked about, and its result is the server's", async () => {
    const { model, requests } = calling(mcp("mcp__one__ping", { q: "x" }));
    const asker = answers("yes");
    const { results, facts } = await ran({
      model,
      asker,
      more: named(server("one", { tag: "n", tools: [tool("ping")] })),
    });
    expect(results).toEqual([{ status: "ok", text: 'n:ping:{"q":"x"}' }]);
    expect(asker.asked.map((q) => q.effect.needs)).toEqual([
      [{ kind: "mcp", server: "one", tool: "ping", pin: expect.stringMatching(/^[0-9a-f]{64}$/), about: "Does ping." }],
    ]);
    expect(asker.asked[0]?.offer?.session).toMatch(/^mcp__one__ping@[0-9a-f]{64}$/);
    const started = facts.find((f) => f.type === "call.started");
    expect(started).toMatchObject({ tool: "mcp__one__ping", input: { q: "x" } });
    expect(requests.map((r) => r.tools.map((t) => t.name).filter((n) => /Call|Search|mcp/.test(n)))).toEqual([
      ["CallTool", "ToolSearch"],
      ["CallTool", "ToolSearch"],
    ]);
    expect(JSON.stringify(requests[0]?.messages)).toContain("Server one: mcp__one__ping");
  });

  it("C1: the list of tools is the same bytes before and after a server comes, changes and goes", async () => {
    const become = [tool("other"), tool("become")];
    const { model, requests } = calling(
      mcp("mcp__a__become"),
      { name: "ToolSearch", input: { query: "other" } },
      mcp("mcp__a__other"),
    );
    const asker = answers("yes", "yes");
    const { results } = await ran({ model, asker, more: named(server("a", { tools: [tool("become")], become })) });
    expect(new Set(requests.map((r) => JSON.stringify(r.tools))).size).toBe(1);
    expect(results.map((r) => r.status)).toHaveLength(3);
  });

  it("T8: without servers nothing of them is sent", async () => {
    const { model, requests } = calling();
    await ran({ model });
    expect(requests[0]?.tools.map((t) => t.name)).not.toContain("ToolSearch");
    expect(JSON.stringify(requests[0]?.messages)).not.toContain("Server");
  });

  it("P3: in auto mode a tool of a server asks too, and nobody's no is a result", async () => {
    const { model } = calling(mcp("mcp__one__ping"));
    const { results } = await ran({ model, more: { ...named(server("one")), mode: "auto" } });
    expect(results[0]?.status).toBe("denied");
  });

  it("P6: rules name the inner tool, never CallTool", async () => {
    const { model } = calling(mcp("mcp__one__ping"), mcp("mcp__one__pong"));
    const tools = [tool("ping"), tool("pong")];
    const rules = [
      { action: "allow", text: "mcp__one__ping", source: "user" },
      { action: "deny", text: "mcp__one__pong", source: "user" },
    ] as const;
    const asker = answers();
    const { results } = await ran({ model, asker, rules, more: named(server("one", { tools })) });
    expect(results.map((r) => r.status)).toEqual(["ok", "denied"]);
    expect(asker.asked).toEqual([]);
  });

  it("L8: what a tool's schema refuses is told with the field's name, and nobody is asked", async () => {
    const strict = tool("add", {
      inputSchema: {
        type: "object",
        properties: { n: { type: "integer" } },
        required: ["n"],
        additionalProperties: false,
      },
    });
    const { model } = calling(mcp("mcp__one__add", { n: "x" }), mcp("mcp__one__add", { m: 1 }));
    const asker = answers();
    const { results } = await ran({ model, asker, more: named(server("one", { tools: [strict] })) });
    expect(results.map((r) => r.text)).toEqual([
      "Invalid input for mcp__one__add; nothing ran.\n- n: expected integer, received string",
      "Invalid input for mcp__one__add; nothing ran.\n- n: missing\n- m: no such field; the fields are n",
    ]);
    expect(asker.asked).toEqual([]);
  });

  it("L10: a tool that no server has is told apart from a mistyped built-in one", async () => {
    const { model } = calling(mcp("mcp__one__nothing"), {
      name: "CallTool",
      input: { name: "Bash", input: { command: "ls" } },
    });
    const { results } = await ran({ model, more: named(server("one")) });
    expect(results[0]?.text).toContain("ToolSearch");
    expect(results[1]?.text).toContain("is no tool of a server");
  });

  it("mcp-huge-result: a result of 4,000,000 characters is cut, says so, and the rest can be read", async () => {
    const { model, requests } = calling(mcp("mcp__one__ping"));
    const { results } = await ran({ model, asker: answers("yes"), more: named(server("one", { big: 4_000_000 })) });
    expect(results[0]?.text.length).toBeLessThan(120_000);
    expect(results[0]?.text).toMatch(/the whole result: \S+\.txt \(Read it by offset, or Grep it\)/);
    expect(JSON.stringify(requests[1]?.messages).length).toBeLessThan(150_000);
  });

  it("mcp-stdout-noise: stray lines on a server's standard output break nothing and are nowhere in the conversation", async () => {
    const { model, requests } = calling(mcp("mcp__n__ping"));
    const { results } = await ran({
      model,
      asker: answers("yes"),
      more: named(server("n", { noise: true, tag: "n" })),
    });
    expect(results).toEqual([{ status: "ok", text: "n:ping:{}" }]);
    expect(JSON.stringify(requests)).not.toContain("warming up");
  });

  it("mcp-dies-in-call: each call of a server that ends in it is an error that names it and its exit code; the session goes on", async () => {
    const { model } = calling(mcp("mcp__one__ping"), mcp("mcp__one__ping"));
    const one = server("one", { die: 3 }, { callMs: 600_000 });
    const { results, result } = await ran({ model, asker: answers("yes", "yes"), more: named(one) });
    expect(results.map((r) => r.status)).toEqual(["error", "error"]);
    for (const { text } of results)
      expect(text).toContain("The server one went away in the middle of this: it ended with exit code 3.");
    expect(result.reason).toBe("done");
  });

  it("mcp-hangs-at-start: servers that hang, are missing or never answer are named with a reason; the good one works", async () => {
    const { model, requests } = calling(mcp("mcp__good__ping"));
    const sleeps = { kind: "stdio", command: "sleep", args: ["100"], env: {} } as const;
    const absent = { kind: "stdio", command: "no-such-program-anywhere", args: [], env: {} } as const;
    const more = named(
      server("good"),
      server("hangs", { hang: true }, { startMs: 400 }),
      server("absent", {}, { run: absent }),
      server("sleeps", {}, { run: sleeps, startMs: 400 }),
    );
    const { results } = await ran({ model, asker: answers("yes"), more });
    expect(results[0]?.status).toBe("ok");
    const told = JSON.stringify(requests[0]?.messages);
    expect(told).toContain("Server hangs: not there: it did not answer within 0.4 s.");
    expect(told).toContain("Server sleeps: not there: it did not answer within 0.4 s.");
    expect(told).toMatch(/Server absent: not there: its program .{0,8}no-such-program-anywhere.{0,8} is not there/);
  });
});
