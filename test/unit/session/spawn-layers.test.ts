import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { talkingModel, taskCall } from "../../support/agents.ts";
import { answers, collect, openAt, place } from "../../support/session.ts";

const write = (path: string, content: string) => ({ calls: [{ name: "Write", input: { file_path: path, content } }] });

describe("what sub-agents change", () => {
  it("W6: in a rehearsal waits with the session's for one review, and later agents see it", async () => {
    const at = place();
    const model = talkingModel(({ agent, task, turn, results }) => {
      if (agent === "")
        return turn === 0 ? { calls: ["a", "b"].map((n) => taskCall("general", n)) } : { text: results.join("\n") };
      if (task === "a") return turn === 0 ? write("a.txt", "from a\n") : { text: "a wrote" };
      return turn === 0
        ? { calls: [{ name: "Read", input: { file_path: "a.txt" } }] }
        : { text: `b saw ${results.join()}` };
    });
    const session = await openAt(at, { model, more: { rehearse: true, mode: "auto" } });
    const { result } = await collect(session.submit("go"));
    expect(result.text).toContain("Pending, not in the folder yet: create a.txt");
    expect(result.text).toMatch(/b saw .*from a/s);
    expect(existsSync(join(at.folder, "a.txt"))).toBe(false);
    expect((await session.land({ yes: true })).ok).toBe(true);
    await session.close();
    expect(readFileSync(join(at.folder, "a.txt"), "utf8")).toBe("from a\n");
  });

  it("P9: regenerable output of an agent's is the session's", async () => {
    const at = place();
    writeFileSync(join(at.folder, ".gitignore"), "node_modules/\n");
    const bash = (command: string) => ({ calls: [{ name: "Bash", input: { command } }] });
    const model = talkingModel(({ agent, turn, results }) => {
      if (agent !== "")
        return turn === 0 ? bash("mkdir node_modules && echo made > node_modules/m.txt") : { text: "installed" };
      return [{ calls: [taskCall("general", "install")] }, bash("cat node_modules/m.txt"), { text: results.join() }][
        turn
      ];
    });
    const session = await openAt(at, { model });
    const { result } = await collect(session.submit("go"));
    await session.close();
    expect(result.text).toContain("made");
    expect(existsSync(join(at.folder, "node_modules"))).toBe(false);
  });

  it("C5: an isolated agent's changes land as one sum when it ends, and what the folder changed meanwhile is told", async () => {
    const at = place();
    mkdirSync(join(at.folder, ".agent/agents"), { recursive: true });
    const head = "---\nname: alone\ndescription: works in a layer\nisolation: layer\n---\nYou work alone.\n";
    writeFileSync(join(at.folder, ".agent/agents/alone.md"), head);
    writeFileSync(join(at.folder, "c.txt"), "as it was\n");
    const model = talkingModel(({ agent, task, turn, results }) => {
      if (agent === "")
        return turn === 0 ? { calls: ["ok", "clash"].map((n) => taskCall("alone", n)) } : { text: results.join("\n") };
      if (task === "ok") return [write("a.txt", "1\n"), write("b.txt", "2\n"), { text: "both" }][turn];
      if (turn === 0) return { calls: [{ name: "Read", input: { file_path: "c.txt" } }] };
      if (turn === 1) return write("c.txt", "the agent's\n");
      writeFileSync(join(at.folder, "c.txt"), "the person's\n");
      return { text: "changed c" };
    });
    const asker = answers();
    const session = await openAt(at, {
      model,
      asker,
      more: { trusted: "flag", mode: "auto" },
      limits: { parallel: 1 },
    });
    const { result } = await collect(session.submit("go"));
    const steps = await session.steps();
    await session.close();
    expect(readFileSync(join(at.folder, "b.txt"), "utf8")).toBe("2\n");
    expect(steps.map((s) => s.text)).toEqual(["a.txt and b.txt"]);
    expect(readFileSync(join(at.folder, "c.txt"), "utf8")).toBe("the person's\n");
    expect(result.text).toContain("In its own layer wait: 1 file");
    expect(session.state().steps.some((s) => s.status === "pended")).toBe(false);
  });
});
