import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { RECORDINGS } from "../support/recorded.ts";
import { AGENT, agentEnv, runAgent } from "../support/run-agent.ts";
import { place } from "../support/session.ts";
import { modesOf, openTerminal, RESTORED } from "../support/terminal.ts";

function watch(name: string, ...args: string[]) {
  const at = place("replay");
  const all = [AGENT, "replay", join(RECORDINGS, name), ...args];
  return openTerminal(process.execPath, all, { cols: 90, rows: 24, cwd: at.folder, env: agentEnv(at) });
}

describe("E5: agent replay, on a terminal", () => {
  it("E5: step by step: a key for each, messages forth and back, the terminal as it was at the end", async () => {
    const t = watch("plan-mode", "--step");
    await t.waitFor(/replay, paused · event 1 of \d+/);
    const press = async (key: string, shows: RegExp | string) => {
      t.type(key);
      await t.waitFor(shows);
    };
    await press("n", /event 1 of/);
    await press("n", /event 2 of/);
    await press("\r", "› Plan a plan.");
    await press("]", /event 18 of/);
    expect((await t.lines()).join("\n")).toContain("Plan: write PLAN.md with one line.");
    await press("\x1b[C", "› Go on and write it.");
    await press("[", /event 2 of/);
    expect((await t.screen()).join("\n")).not.toContain("Go on and write it.");
    for (const event of [3, 4, 5, 6]) await press("n", new RegExp(`event ${event} of`));
    expect((await t.screen()).join("\n")).toContain("runs Read");
    t.type("q");
    expect(await t.exited).toBe(0);
    expect(modesOf(t.raw())).toEqual(RESTORED);
  });

  it("E5: plays by itself, faster on a key, shows open questions, and ends with the session", async () => {
    const t = watch("edit-bash-denial", "--speed", "0.5");
    await t.waitFor("replay 0.5×");
    t.type("+++");
    await t.waitFor("replay 4×");
    await t.waitFor("asks: ");
    t.type("++++");
    expect(await t.exited).toBe(0);
    const lines = (await t.lines()).join("\n");
    for (const shown of [
      "› Put butter on the list",
      "● Read todo.txt",
      "+ butter",
      "⊘ denied by you Bash rm -r old",
      "I added butter",
    ])
      expect(lines).toContain(shown);
    expect(lines).not.toContain("replay 4×");
  });

  it("E5: --speed max shows all at once; without a terminal the same rows come as plain lines, and nothing is written anywhere", async () => {
    const at = place("plain");
    const file = join(RECORDINGS, "undo", "log.jsonl");
    const before = readFileSync(file);
    const plain = await runAgent(at, ["replay", join(RECORDINGS, "undo")]);
    expect([plain.code, plain.err]).toEqual([0, ""]);
    expect(plain.out).not.toMatch(/\x1b/);
    expect(readFileSync(file)).toEqual(before);
    const t = watch("undo", "--speed", "max");
    expect(await t.exited).toBe(0);
    const lines = (await t.lines()).map((line) => line.trimEnd());
    for (const row of plain.out.split("\n").filter((line) => line !== "")) expect(lines).toContain(row.trimEnd());
    expect(lines.join("\n")).toContain("↶ undone: 1 file");
  });
});
