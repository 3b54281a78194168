import { describe, expect, it } from "vitest";
import { talkingModel, taskCall } from "../../support/agents.ts";
import { named, server, tool } from "../../support/mcp.ts";
import { answers, collect, openAt, place } from "../../support/session.ts";

const call = { name: "CallTool", input: { name: "mcp__one__ping", input: { q: "x" } } };

describe("U4, C5: tools of servers for sub-agents", () => {
  it("U4, C5: an agent that names no tools finds and calls them as the session does, asked about under its name; one that names its tools has none", async () => {
    const model = talkingModel(({ agent, turn, results }) => {
      if (agent === "general" && turn === 0) return { calls: [{ name: "ToolSearch", input: { query: "ping" } }] };
      if (agent === "general" && turn === 1) return { calls: [call] };
      if (agent === "explore" && turn === 0) return { calls: [call] };
      if (agent !== "") return { text: `got ${results.join(" ")}` };
      if (turn < 2) return { calls: [taskCall(["general", "explore"][turn] ?? "", "look")] };
      return { text: "done" };
    });
    const asker = answers("yes");
    const more = named(server("one", { tag: "n", tools: [tool("ping")] }));
    const session = await openAt(place("mcp-agents"), { model, asker, more });
    await session.servers.settled(15_000, new AbortController().signal);
    const { result } = await collect(session.submit("go"));
    await session.close();
    expect(result).toMatchObject({ reason: "done" });
    const general = model.asked.filter(({ agent }) => agent === "general");
    expect(JSON.stringify(general[0]?.request.messages)).toContain("Server one: mcp__one__ping");
    expect(general.at(-1)?.results).toEqual(['n:ping:{"q":"x"}']);
    expect(asker.asked.map(({ effect }) => effect.tool)).toEqual(["mcp__one__ping"]);
    const explore = model.asked.filter(({ agent }) => agent === "explore");
    expect(explore[0]?.request.tools.map(({ name }) => name)).not.toContain("CallTool");
    expect(JSON.stringify(explore[0]?.request.messages)).not.toContain("mcp__one__ping");
    expect(explore.at(-1)?.results.join("")).not.toContain("n:ping");
  });
});
