import { describe, expect, it } from "vitest";
import { text } from "../../../src/events/block.ts";
import { toMessages } from "../../../src/events/messages.ts";
import { openAt, place } from "../../support/session.ts";

describe("news for the model", () => {
  it("P8, C1: a mode switch in the middle of a query is told behind the next results, once", async () => {
    const glob = { calls: [{ name: "Glob", input: { pattern: "*" } }] };
    const session = await openAt(place(), { script: { turns: [glob, glob, { text: "ok" }] } });
    let switched = false;
    for await (const event of session.submit([text("go")], new AbortController().signal)) {
      if (event.type !== "call.started" || switched) continue;
      switched = true;
      await session.setMode("plan");
    }
    const messages = toMessages(session.state());
    await session.close();
    expect(messages[2]?.content.map((b) => b.type)).toEqual(["tool_result", "text"]);
    expect(messages[2]?.content[1]).toMatchObject({ text: expect.stringMatching(/^<note>\nMode: plan\./) as string });
    expect(JSON.stringify(messages).match(/Mode: plan/g)).toHaveLength(1);
  });
});
