import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { talkingModel } from "../../support/agents.ts";
import { collect, openAt, place } from "../../support/session.ts";

const task = (agent: string, prompt: string, more: Record<string, unknown> = {}) => ({
  name: "Task",
  input: { agent, description: prompt.slice(0, 40), prompt, ...more },
});

describe("sub-agents", () => {
  it("C5: an agent works in a context of its own, and its last message comes back", async () => {
    const at = place();
    writeFileSync(join(at.folder, "a.txt"), "the needle is 42\n");
    const model = talkingModel(({ agent, turn, results }) => {
      if (agent === "")
        return turn === 0
          ? { calls: [task("explore", "Find the needle in a.txt")] }
          : { text: `told: ${results[0] ?? ""}` };
      return turn === 0
        ? { calls: [{ name: "Read", input: { file_path: "a.txt" } }] }
        : { text: "The needle is 42 (a.txt:1)." };
    });
    const session = await openAt(at, { model });
    const { events, result } = await collect(session.submit("where is it?"));
    await session.close();
    expect(result.text).toContain("The needle is 42 (a.txt:1).");
    expect(result.text).toContain('Task with resume: "a1"');
    expect(events.filter((e) => e.type === "agent.started")).toHaveLength(1);
    expect(session.state().agents).toMatchObject([{ agent: "explore", ended: "done", turns: 2, calls: 1 }]);
    expect(existsSync(join(at.state, "sessions", `${session.id}-a1.jsonl`))).toBe(true);
    expect(readFileSync(join(at.state, "sessions", `${session.id}.jsonl`), "utf8")).not.toContain("the needle is 42");
      JSON.stringify(
        model.asked[1]?.request.system.map((s) => s.text),
        null,
        1,
      ),
    );
      JSON.stringify(model.asked[1]?.request.messages, null, 1),
      model.asked[1]?.request.tools.map((t) => t.name),
    );
  });
});
