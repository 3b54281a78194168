import { readFileSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { describe, expect, it } from "vitest";
import { listSessions } from "../../src/events/sessions.ts";
import { press } from "../support/press.ts";
import { agentEnv, scriptFile } from "../support/run-agent.ts";
import { place, type Place } from "../support/session.ts";
import { openTerminal, type Terminal } from "../support/terminal.ts";

const program = resolve(import.meta.dirname, "../../bin/agent.js");

function open(at: Place, args: readonly string[]): Terminal {
  return openTerminal(process.execPath, [program, ...args], { cols: 100, rows: 30, cwd: at.folder, env: agentEnv(at) });
}

/** A session that was killed while its question was open; its id. */
async function killedAtQuestion(at: Place): Promise<string> {
  writeFileSync(join(at.folder, "a.txt"), "one\n");
  const edit = { name: "Edit", input: { file_path: "a.txt", old_string: "one", new_string: "two" } };
  const turns = [
    { calls: [{ name: "Read", input: { file_path: "a.txt" } }] },
    { calls: [edit] },
    { text: "It is two now." },
  ];
  const terminal = open(at, ["--model", scriptFile(at, { turns }), "change it"]);
  await terminal.waitFor(/Land Edit.s changes/);
  process.kill(terminal.pid, "SIGKILL");
  await terminal.exited;
  expect(readFileSync(join(at.folder, "a.txt"), "utf8")).toBe("one\n");
  return listSessions(join(at.state, "understudy", "sessions"))[0]?.id ?? "";
}

describe("a question that was open when the program ended", () => {
  it("P7, E3: is asked again on the same changes, and lands on yes", { timeout: 120_000 }, async () => {
    const at = place("again");
    const id = await killedAtQuestion(at);
    const terminal = open(at, ["--resume", id]);
    await terminal.waitFor(/stopped in step 2/);
    terminal.type("\r");
    await press(terminal, /Land Edit.s changes/, "1", /allowed by you/);
    await terminal.waitFor("It is two now.");
    expect(readFileSync(join(at.folder, "a.txt"), "utf8")).toBe("two\n");
    terminal.type("/exit\r");
    expect(await terminal.exited).toBe(0);
  });

  it("P7: is decided anew where the rules changed meanwhile", { timeout: 120_000 }, async () => {
    const at = place("again");
    const id = await killedAtQuestion(at);
    const terminal = open(at, ["--resume", id, "--allow", "Edit(/a.txt)"]);
    await terminal.waitFor(/stopped in step 2/);
    terminal.type("\r");
    const lines = await terminal.waitFor("It is two now.");
    expect(lines.join("\n")).not.toMatch(/Land Edit.s changes/);
    expect(readFileSync(join(at.folder, "a.txt"), "utf8")).toBe("two\n");
    terminal.type("/exit\r");
    expect(await terminal.exited).toBe(0);
  });
});
