import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { listSessions } from "../../../src/events/sessions.ts";
import { estimateTokens } from "../../../src/model/play.ts";
import { deleteSession } from "../../../src/session/delete.ts";
import { openStore } from "../../../src/session/store.ts";
import { systemClock } from "../../../src/util/system.ts";
import { talkingModel, taskCall } from "../../support/agents.ts";
import { deep } from "../../support/deep.ts";
import { answers, collect, openAt, place } from "../../support/session.ts";

describe("sub-agents", () => {
  it("C5: an agent works in a context of its own, and its last message comes back", async () => {
    const at = place();
    writeFileSync(join(at.folder, "a.txt"), "the needle is 42\n");
    const model = talkingModel(({ agent, turn, results }) => {
      if (agent === "")
        return turn === 0
          ? { calls: [taskCall("explore", "Find the needle in a.txt")] }
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
    expect(readFileSync(join(at.state, "sessions", `${session.id}.jsonl`), "utf8")).not.toContain("the needle is 42");
    expect(model.asked[1]?.request.tools.map((tool) => tool.name)).toEqual(["Glob", "Grep", "Read"]);
    expect(listSessions(join(at.state, "sessions")).map((s) => s.id)).toEqual([session.id]);
  });

  it("C5: four agents that read many files each add under 8,000 tokens to the conversation", async () => {
    const at = place();
    const each = deep(10, 50);
    for (let n = 0; n < 4 * each; n++)
      writeFileSync(join(at.folder, `f${n}.txt`), `file ${n}\n${"words and words\n".repeat(60)}`);
    const model = talkingModel(({ agent, task, turn }) => {
      if (agent === "")
        return turn === 0 ? { calls: [0, 1, 2, 3].map((n) => taskCall("explore", `part ${n}`)) } : { text: "ok" };
      const part = Number(task.split(" ")[1]);
      const read = (n: number) => ({ name: "Read", input: { file_path: `f${part * each + n}.txt` } });
      return turn < 5
        ? { calls: Array.from({ length: each / 5 }, (_, n) => read((turn * each) / 5 + n)) }
        : { text: `Part ${part}: ${"a finding of some length, with its path; ".repeat(800)}end of ${part}` };
    });
    const session = await openAt(at, { model, limits: { turns: 100 } });
    await collect(session.submit("read all"));
    await session.close();
    const own = model.asked.filter((a) => a.agent === "");
    const added = estimateTokens(own[1]?.request.messages ?? []) - estimateTokens(own[0]?.request.messages ?? []);
    expect(added).toBeLessThan(8000);
    expect(own[1]?.results.map((r) => /end of \d/.exec(r)?.[0])).toEqual([0, 1, 2, 3].map((n) => `end of ${n}`));
    const file = /the whole answer: (\S+)/.exec(own[1]?.results[2] ?? "")?.[1] ?? "";
    expect(readFileSync(file, "utf8")).toContain("Part 2");
    expect(session.state().agents.map((a) => a.calls)).toEqual([each, each, each, each]);
    // What they used is used of the session, and told by agent.
    const cost = session.cost();
    expect(cost.agents.map((row) => row.sessionId).toSorted()).toEqual([1, 2, 3, 4].map((n) => `${session.id}-a${n}`));
    expect(session.limits().used.message.turns).toBe(2 + 4 * 6);
  }, 60_000);

  it("C5: one that has ended is asked further and still knows what it did", async () => {
    const at = place();
    const model = talkingModel(({ agent, task, turn, request }) => {
      if (agent !== "") return { text: `${task}: after ${request.messages.length - 1} messages` };
      return [
        { calls: [taskCall("explore", "first")] },
        { calls: [taskCall("explore", "second", { resume: "a1" }), taskCall("explore", "third", { resume: "a9" })] },
        { text: "ok" },
      ][turn];
    });
    const session = await openAt(at, { model });
    await collect(session.submit("go"));
    await session.close();
    const last = model.asked.filter((a) => a.agent === "").at(-1);
    expect(last?.results[0]).toContain("second: after 2 messages");
    expect(last?.results[1]).toContain('There is no agent "a9"');
    expect(session.state().agents).toMatchObject([{ agentId: `${session.id}-a1`, turns: 2 }]);
  });

  it("C5: what it changes is asked about under its name, and an answer for the session counts for all", async () => {
    const at = place();
    mkdirSync(join(at.folder, "src"));
    const model = talkingModel(({ agent, task, turn, results }) => {
      if (agent === "")
        return turn === 0 ? { calls: ["x", "y"].map((n) => taskCall("general", n)) } : { text: results.join("\n") };
      return turn === 0
        ? { calls: [{ name: "Write", input: { file_path: `src/${task}.txt`, content: task } }] }
        : { text: `wrote ${task}` };
    });
    const asker = answers({ kind: "yes", remember: { scope: "session", rule: "Edit(src/**)" } });
    const session = await openAt(at, { model, asker, limits: { parallel: 1 } });
    const { result } = await collect(session.submit("write both"));
    expect(asker.asked.map((q) => q.agent)).toEqual(["general: x"]);
    expect(existsSync(join(at.folder, "src/x.txt")) && existsSync(join(at.folder, "src/y.txt"))).toBe(true);
    expect(result.text).toContain("It landed: create src/x.txt");
    expect(session.state().rules.map((r) => r.text)).toEqual(["Edit(src/**)"]);
    // One session to the person: its steps are undone from here.
    expect((await session.steps()).map((s) => s.text)).toEqual(["src/x.txt", "src/y.txt"]);
    expect((await session.undo()).ok).toBe(true);
    expect(existsSync(join(at.folder, "src/y.txt"))).toBe(false);
    await session.close();
    const store = openStore({ config: at.config, state: at.state });
    await deleteSession(session.id, { store, clock: systemClock, force: false });
    expect(existsSync(join(at.state, "sessions", `${session.id}-a1.jsonl`))).toBe(false);
  });

  it("C5, P1: in plan mode an agent changes nothing, and a switch to plan counts for one at work", async () => {
    const at = place();
    let session: Awaited<ReturnType<typeof openAt>> | undefined;
    const write = (path: string) => ({ calls: [{ name: "Write", input: { file_path: path, content: "x" } }] });
    const model = talkingModel(({ agent, turn, results }) => {
      if (agent === "") return turn === 0 ? { calls: [taskCall("general", "write")] } : { text: results.join("\n") };
      if (turn === 1) void session?.setMode("plan");
      return [write("a.txt"), write("b.txt"), { text: `told ${results.join()}` }][turn];
    });
    session = await openAt(at, { model, more: { mode: "auto" } });
    const { result } = await collect(session.submit("go"));
    await session.close();
    expect(existsSync(join(at.folder, "a.txt"))).toBe(true);
    expect(existsSync(join(at.folder, "b.txt"))).toBe(false);
    expect(result.text).toContain("plan mode");
  });
});
