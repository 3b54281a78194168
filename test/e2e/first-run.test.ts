import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { describe, expect, it } from "vitest";
import { agentEnv, runAgent, scriptFile } from "../support/run-agent.ts";
import { place } from "../support/session.ts";
import { openTerminal, RESTORED } from "../support/terminal.ts";

const program = resolve(import.meta.dirname, "../../bin/agent.js");
const open = (at: ReturnType<typeof place>, args: readonly string[], cols = 90) =>
  openTerminal(process.execPath, [program, ...args], { cols, rows: 30, cwd: at.folder, env: agentEnv(at) });

describe("without a key", () => {
  it("M3: asks again until it is 1, 2 or 3; 2 tells how to set a key", async () => {
    const t = open(place(), []);
    await t.waitFor("1, 2 or 3:");
    t.type("7\r");
    await t.waitFor((rows) => rows.filter((row) => row.startsWith("1, 2 or 3:")).length === 2);
    t.type("2\r");
    expect(await t.exited).toBe(0);
    expect((await t.lines()).join("\n")).toMatch(/No key is set for \S+\.[\s\S]*export ANTHROPIC_API_KEY=/);
  });
  it("M3: a model that can't be read is told as that, without a menu", async () => {
    const t = open(place(), ["--model", "scripted:/no/such/file"]);
    expect(await t.exited).toBe(2);
    expect((await t.lines()).join("\n")).toMatch(/^agent: Can't read the script/);
    expect((await t.lines()).join("\n")).not.toContain("1, 2 or 3");
  });
  it("M3: the tour says no word of going on with it, since its folder goes", { timeout: 60_000 }, async () => {
    const t = open(place(), ["demo"]);
    await t.waitFor(/Land Write.s changes/, 40_000);
    // A key that comes before the question counts is pressed again.
    const pressing = setInterval(() => t.type("3"), 1500);
    await t.waitFor(/Stopped: you said no/, 40_000).finally(() => clearInterval(pressing));
    t.type("\x15");
    t.type("/exit\r");
    expect(await t.exited).toBe(0);
    const last = (await t.lines()).join("\n");
    expect(last).toContain("The tour's folder is removed. Next: set ANTHROPIC_API_KEY");
    expect(last).not.toContain("--resume");
    expect(t.modes()).toEqual(RESTORED);
  });
});

describe("what the person can mend", () => {
  it("U2 P3: without a terminal a denied deletion tells the rule that would allow it", async () => {
    const at = place();
    writeFileSync(join(at.folder, "h1"), "mine\n");
    const remove = scriptFile(at, {
      turns: [{ calls: [{ name: "Delete", input: { file_path: "h1" } }] }, { text: "done" }],
    });
    const kept = await runAgent(at, ["-p", "go", "--mode", "auto", "--model", remove]);
    expect(kept.err).toContain("agent: to allow it next time: --allow 'Delete(/h1)'\n");
    expect(kept.err).not.toContain("needs a person");
    expect((await runAgent(at, ["-p", "go", "--mode", "auto", "--model", remove, "--allow", "Delete(/h1)"])).err).toBe(
      "",
    );
    expect(existsSync(join(at.folder, "h1"))).toBe(false);
  });
  it("U2 P5: without a terminal a denial tells the rule that would allow it; a limit tells how to go on", async () => {
    const at = place();
    const write = { name: "Write", input: { file_path: "it's.txt", content: "x" } };
    const model = scriptFile(at, { turns: [{ calls: [write] }, { text: "done" }] });
    const denied = await runAgent(at, ["-p", "go", "--model", model]);
    expect(denied.err).toContain(String.raw`agent: to allow it next time: --allow 'Edit(/it'\''s.txt)'` + "\n");
    const allowed = await runAgent(at, ["-p", "go", "--model", model, "--allow", "Edit(/it's.txt)"]);
    expect([allowed.err, readFileSync(join(at.folder, "it's.txt"), "utf8")]).toEqual(["", "x"]);
    const limit = await runAgent(at, ["-p", "go", "--model", model, "--max-turns", "1"]);
    expect(limit.code).toBe(4);
    expect(limit.err).toMatch(/To go on: agent -p --resume \S+ "…"\n$/);
  });
  it("U2: a folder to add that is not there, own folders that can't be made: one line, exit code 2", async () => {
    const at = place();
    const model = scriptFile(at, { turns: [{ text: "hi" }] });
    const added = await runAgent(at, ["-p", "hi", "--model", model, "--add-dir", "/no/such"]);
    expect([added.code, added.err]).toEqual([2, "agent: --add-dir /no/such: there is no such folder\n"]);
    const state = await runAgent(at, ["-p", "hi", "--model", model], { XDG_STATE_HOME: "/dev/null/x" });
    expect(state.code).toBe(2);
    expect(state.err).toMatch(
      /^agent: Can't use \/dev\/null\/x\/understudy for the program's own files: .*XDG_STATE_HOME[^\n]*\n$/,
    );
  });
});
