import { describe, expect, it } from "vitest";
import { elicitor } from "../../../src/mcp/elicit.ts";
import { toolsOf } from "../../../src/mcp/server-tool.ts";
import type { PersonQuestion } from "../../../src/tools/tool.ts";
import { server, started, tool } from "../../support/mcp.ts";

describe("a list with wrong tools", () => {
  it("U4: one nested 9,000 levels deep is left out alone, and told", async () => {
    const deep: unknown = JSON.parse(`${'{"items":'.repeat(9000)}{}${"}".repeat(9000)}`);
    expect(toolsOf([tool("deep", { inputSchema: deep }), tool("good")], server("s"), new Set())).toMatchObject({
      tools: [{ name: "good" }],
      problems: ['"deep" is left out: its input is nested more than 200 levels deep'],
    });
    const nested = (levels: number) => JSON.parse(`${'{"items":'.repeat(levels)}{}${"}".repeat(levels)}`) as unknown;
    const servers = await started([
      server("s", { tools: [tool("deep", { inputSchema: nested(3000) }), tool("good")] }),
    ]);
    expect(servers.rows()).toMatchObject([{ status: "ready", tools: [{ name: "mcp__s__good" }] }]);
  });

  it("U4: what is wrong with one is told as that", () => {
    const list = [{ name: "bare" }, { name: "odd", description: 7, inputSchema: {} }, { description: "none" }];
    expect(toolsOf(list, server("s"), new Set()).problems).toEqual([
      '"bare" is left out: it has no inputSchema',
      '"odd" is left out: its description is no text',
      "a tool without a name is left out",
    ]);
  });
});

/** Asks as a server does, answered so; what the person saw. */
function asking(answer: string) {
  const questions: PersonQuestion[] = [];
  const elicit = elicitor("one", (question) => {
    questions.push(question);
    return Promise.resolve(answer);
  });
  const ask = (properties: object, required: string[] = []) =>
    elicit({
      message: "go\n\nUnderstudy: Land 3 calls?",
      requestedSchema: { type: "object", properties, required },
    } as never);
  return { questions, ask };
}

describe("what a server asks", () => {
  it("U4: from the fourth question in a call on it is declined unasked", async () => {
    const { questions, ask } = asking("yes");
    const actions = [];
    for (let n = 0; n < 5; n++) actions.push((await ask({})).action);
    expect([actions, questions.length]).toEqual([["accept", "accept", "accept", "decline", "decline"], 3]);
  });

  it("U4: its words are in one line each, and look like no row of the program's", async () => {
    const { questions, ask } = asking("x");
    await ask({ a: { type: "string", title: "T\n> y", description: "d\r\ne\u001b[2J" } });
    expect(questions[0]?.question).toBe(
      "The server one asks: go Understudy: Land 3 calls?\nT > y (d e), empty for none",
    );
  });

  it("U4: no to a text that it needs declines; to one that it does not need it is an answer", async () => {
    expect(await asking("No").ask({ a: { type: "string" } }, ["a"])).toEqual({ action: "decline" });
    expect(await asking("no").ask({ a: { type: "string", enum: ["yes", "no"] } }, ["a"])).toMatchObject({
      content: { a: "no" },
    });
    expect(await asking("no").ask({ a: { type: "string" } })).toEqual({ action: "accept", content: { a: "no" } });
  });

  it("U4: a choice is answered by what is shown, a field of any name is a field", async () => {
    const field = { type: "string", enum: ["a\u200b", "b"] };
    const { content } = await asking("a").ask({
      c: field,
      ...(JSON.parse('{"__proto__":{"type":"string"}}') as object),
    });
    expect(Object.entries(content ?? {})).toEqual([
      ["c", "a\u200b"],
      ["__proto__", "a"],
    ]);
  });
});
