import { resolve } from "node:path";
import { describe, expect, it } from "vitest";
import { listSessions } from "../../src/events/sessions.ts";
import { press } from "../support/press.ts";
import { agentEnv, runAgent, scriptFile } from "../support/run-agent.ts";
import { place, type Place } from "../support/session.ts";
import { openTerminal, type Terminal } from "../support/terminal.ts";

const program = resolve(import.meta.dirname, "../../bin/agent.js");
const indent = {
  question: "Tabs or blanks?",
  options: [{ label: "Tabs" }, { label: "Blanks", description: "two of them" }],
};
const ask = (input: object) => ({ calls: [{ name: "AskUser", input: { ...input } }] });

function open(at: Place, args: readonly string[]): Terminal {
  return openTerminal(process.execPath, [program, ...args], { cols: 100, rows: 30, cwd: at.folder, env: agentEnv(at) });
}
const idOf = (err: string) => /--resume (\S+)/.exec(err)?.[1] ?? "";

describe("a question of the model's", { timeout: 180_000 }, () => {
  it("S6, U2: -p ends with 3 and numbered options, text and json; --answer N goes on, once", async () => {
    const at = place("ask");
    const model = scriptFile(at, { turns: [ask(indent), { text: "Blanks it is." }] });
    const first = await runAgent(at, ["-p", "go", "--model", model, "--output-format", "json"]);
    expect(first.code).toBe(3);
    const id = idOf(first.err);
    expect(JSON.parse(first.out)).toMatchObject({
      reason: "waiting",
      questions: [
        {
          question: "Tabs or blanks?",
          multiple: false,
          options: [
            { number: 1, label: "Tabs" },
            { number: 2, label: "Blanks", description: "two of them" },
          ],
        },
      ],
      answer: `agent -p --resume ${id} --answer "…"`,
    });
    // Asked again without an answer it waits again, and a wrong one changes nothing.
    const wrong = await runAgent(at, ["-p", "--resume", id, "--answer", "3"]);
    expect([wrong.code, wrong.err]).toEqual([2, expect.stringContaining("there is no option 3")]);
    const again = await runAgent(at, ["-p", "--resume", id]);
    expect(again.code).toBe(3);
    expect(again.err).toContain(
      "agent: the model asks: Tabs or blanks?\nagent:   1 Tabs\nagent:   2 Blanks · two of them\n",
    );
    const right = await runAgent(at, ["-p", "--resume", id, "--answer", "2", "and be quick"]);
    expect([right.code, right.out]).toEqual([0, "Blanks it is.\n"]);
    const twice = await runAgent(at, ["-p", "--resume", id, "--answer", "2"]);
    expect([twice.code, twice.err]).toEqual([2, expect.stringContaining(`session ${id} waits for no answer`)]);
  });

  it("S6, U1: on screen several are ticked; killed while it is open, it is asked again, and the next one follows", async () => {
    const at = place("ask");
    const both = { ...indent, multiple: true, also: [{ question: "How wide?" }] };
    const args = ["--model", scriptFile(at, { turns: [ask(both), { text: "As you like." }] })];
    const first = open(at, [...args, "go"]);
    await first.waitFor(/1 of 2: Tabs or blanks\?/);
    process.kill(first.pid, "SIGKILL");
    await first.exited;
    const id = listSessions(resolve(at.state, "understudy", "sessions"))[0]?.id ?? "";
    const terminal = open(at, ["--resume", id]);
    await terminal.waitFor(/stopped in step 1/);
    terminal.type("\r");
    await terminal.waitFor(/1 of 2: Tabs or blanks\?/);
    await press(terminal, /1 of 2/, "1", /\[x\] 1 Tabs/);
    await press(terminal, /1 of 2/, "2", /\[x\] 2 Blanks/);
    await press(terminal, /1 of 2/, "\r", /2 of 2: How wide\?/);
    await press(terminal, /2 of 2/, "4", /own words: 4/);
    terminal.type("\r");
    await terminal.waitFor("As you like.");
    terminal.type("/exit\r");
    expect(await terminal.exited).toBe(0);
  });
});
