import { readdirSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import { agentEnv } from "../support/run-agent.ts";
import { scratch } from "../support/scratch.ts";
import { place, type Place } from "../support/session.ts";
import { openTerminal, RESTORED, type Terminal } from "../support/terminal.ts";

const program = resolve(import.meta.dirname, "../../bin/agent.js");

function open(at: Place, TMPDIR: string, args: readonly string[]): Terminal {
  const env = agentEnv(at, { TMPDIR });
  return openTerminal(process.execPath, [program, ...args], { cols: 100, rows: 40, cwd: at.folder, env });
}

/** Presses until the question is gone: it takes no key in its first moments. */
async function press(terminal: Terminal, key: string, gone: string | RegExp): Promise<void> {
  for (let tries = 0; tries < 20; tries++) {
    await sleep(600);
    terminal.type(key);
    const left = await terminal.waitFor(gone, 2000).catch(() => undefined);
    if (left !== undefined) return;
  }
  throw new Error(`the question stayed: ${(await terminal.screen()).join("\n")}`);
}

/** What the tour made there; node's own cache of compiled files is none of it. */
const made = (TMPDIR: string): string[] => readdirSync(TMPDIR).filter((name) => name !== "node-compile-cache");

describe("M3: the tour on a terminal", () => {
  it("plays on a temporary copy, says in each frame that it is a demo, lands its file on yes, leaves nothing behind", async () => {
    const at = place("demo");
    const TMPDIR = scratch("demo-tmp");
    const terminal = open(at, TMPDIR, ["demo"]);
    for (const step of ["step 1 of 5", "step 2 of 5", "step 3 of 5", "step 4 of 5"]) {
      const screen = await terminal.waitFor(step);
      expect(screen.findLast((row) => row.trim() !== "")).toMatch(/\bdemo\b/);
    }
    await terminal.waitFor("# TODO overview");
    await press(terminal, "1", "step 5 of 5");
    await terminal.waitFor("That was the tour");
    const [copy, ...others] = made(TMPDIR);
    expect(others).toEqual([]);
    expect(readFileSync(join(TMPDIR, copy ?? "", "notes/TODO-overview.md"), "utf8")).toContain("10 TODOs in 6 files.");
    await terminal.waitFor((screen) => !screen.join("\n").includes("esc to stop"));
    terminal.type("what now?\r");
    await terminal.waitFor("only the demo");
    terminal.type("/exit\r");
    expect(await terminal.exited).toBe(0);
    expect(terminal.modes()).toEqual(RESTORED);
    expect(made(TMPDIR)).toEqual([]);
    for (const dir of [at.folder, at.config, at.state]) expect(readdirSync(dir)).toEqual([]);
  });

  it("is offered where there is no key; stopped by Ctrl-C twice, it leaves nothing behind", async () => {
    const at = place("demo");
    const TMPDIR = scratch("demo-tmp");
    const terminal = open(at, TMPDIR, []);
    await terminal.waitFor(/1\s+a tour/);
    terminal.type("1\r");
    await terminal.waitFor("step 1 of 5");
    for (let tries = 0; tries < 10; tries++) {
      terminal.type("\x03");
      const code = await Promise.race([terminal.exited, sleep(700)]);
      if (code !== undefined) break;
    }
    expect(await terminal.exited).not.toBe(70);
    expect(terminal.modes()).toEqual(RESTORED);
    expect(made(TMPDIR)).toEqual([]);
    expect(readdirSync(at.folder)).toEqual([]);
  });
});
