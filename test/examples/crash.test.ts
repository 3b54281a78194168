import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { describe, expect, it } from "vitest";
import { listSessions } from "../../src/events/sessions.ts";
import { systemClock } from "../../src/util/system.ts";
import { logOf, played, resultsOf, tableOf } from "../support/example.ts";
import { runAgent, scriptFile } from "../support/run-agent.ts";
import { place, type Place } from "../support/session.ts";

const program = resolve(import.meta.dirname, "../support/library-child.ts");
const usage = { input: 2000, output: 50 };

/** Runs the program; which signal ended it, and what it said. */
async function child(input: { at: Place; tool: string; resume?: string }): Promise<[NodeJS.Signals | null, string]> {
  const running = spawn(process.execPath, [program, JSON.stringify(input)], { stdio: ["ignore", "pipe", "inherit"] });
  let out = "";
  running.stdout.setEncoding("utf8").on("data", (s: string) => (out += s));
  const [, signal] = (await once(running, "close")) as [number | null, NodeJS.Signals | null];
  return [signal, out];
}

function idOf(at: Place): string {
  return listSessions(join(at.state, "understudy", "sessions"))[0]?.id ?? "";
}

describe("kill -9 between what a tool did and its record", () => {
  it("E3: an effect outside happened once; told as unknown, never run again", async () => {
    const at = place("crash");
    expect(await child({ at, tool: "charge" })).toEqual(["SIGKILL", ""]);
    const id = idOf(at);
    const before = await logOf(at, id);
    const saved = [...before.state.calls.values()].map((c) => [c.tool, c.operationId, c.result]);
    expect(await child({ at, tool: "charge", resume: id })).toEqual([null, "I have seen what came of it.\n"]);
    const done = readFileSync(join(at.home, "done.txt"), "utf8").trimEnd().split(" ");
    // Its id was in the log before it ran, and the tool was told of it.
    expect(saved).toEqual([[done[0], done[1], undefined]]);
    expect(await tableOf(at, id)).toMatchInlineSnapshot(`
      "turn   context   cached  written     out     cost  the model

      > go
         1     2,000        0        0      50        0  1 call
          charge {}
            before: asked, yes (high): uses the tool charge of shop, whose effects
              can't be seen beforehand
            unknown, it may have had effects; never run again, 145 characters
        - resumed
         2     2,000        0        0      50        0  text
          "I have seen what came of it."
      = done after 2 turns

         2     4,000        0        0     100        0  in all
      1 call, asked 1 (1 yes, 0 no), 1 of unknown effect, nothing landed; ended:
        done"
    `);
    expect(await resultsOf(at, id)).toMatchInlineSnapshot(`
      [
        "charge unknown: Unknown: the program ended while this ran outside the copy. It may have had its effect or not, and was not run again. Check before you repeat it.",
      ]
    `);
  });

  it("E3: what only looks is run again under its first id", async () => {
    const at = place("crash");
    expect(await child({ at, tool: "look" })).toEqual(["SIGKILL", ""]);
    const id = idOf(at);
    expect(await child({ at, tool: "look", resume: id })).toEqual([null, "I have seen what came of it.\n"]);
    const lines = readFileSync(join(at.home, "done.txt"), "utf8").trimEnd().split("\n");
    expect([lines.length, new Set(lines).size]).toEqual([2, 1]);
    expect(await tableOf(at, id)).toMatchInlineSnapshot(`
      "turn   context   cached  written     out     cost  the model

      > go
         1     2,000        0        0      50        0  1 call
          look {}
            ran unasked, low risk
            begun 2 times
            ok, 5 characters
        - resumed
         2     2,000        0        0      50        0  text
          "I have seen what came of it."
      = done after 2 turns

         2     4,000        0        0     100        0  in all
      1 call, asked nothing, nothing landed; ended: done"
    `);
  });
});

describe("a question that waits for its answer without a process", () => {
  it("S6, U2: exit 3 today, answered tomorrow, it goes on at the next turn and knows what day it is", async () => {
    const at = place("tomorrow");
    // Time at work: a night of waiting is none.
    writeFileSync(join(at.config, "settings.json"), '{"limits":{"minutes":5}}');
    const model = scriptFile(at, {
      turns: [
        { usage, calls: [{ name: "AskUser", input: { question: "Tabs or spaces?", options: [{ label: "Tabs" }] } }] },
        { usage, calls: [{ name: "Write", input: { file_path: ".editorconfig", content: "indent_style = tab\n" } }] },
        { usage, text: "Tabs it is." },
      ],
    });
    const first = await runAgent(at, ["-p", "go", "--model", model, "--mode", "auto"]);
    expect([first.code, first.out]).toEqual([3, ""]);
    expect(first.err).toContain("Tabs or spaces?");
    const id = idOf(at);
    const day = 24 * 3600 * 1000;
    const clock = { ...systemClock, now: () => Date.now() + day };
    const { result } = await played(at, { resume: id, clock }, (session) => session.goOn(undefined, "Tabs"));
    expect(result).toMatchObject({ reason: "done", text: "Tabs it is.", turns: 3 });
    expect(await tableOf(at, id)).toMatchInlineSnapshot(`
      "turn   context   cached  written     out     cost  the model

      > go
         1     2,000        0        0      50        0  1 call
          AskUser {"question":"Tabs or spaces?","options":[{"label":"Tabs"}]}
            ran unasked, low risk
            begun 2 times
            ok, 4 characters
      = waiting after 1 turn: Tabs or spaces?
        - resumed
         2     2,000        0        0      50        0  1 call
          Write {"file_path":".editorconfig","content":"indent_style = tab\\n"}
            changes: allowed by policy (medium): changes 1 file: .editorconfig
            ok, landed 1 file, 75 characters
         3     2,000        0        0      50        0  text
          "Tabs it is."
      = done after 3 turns

         3     6,000        0        0     150        0  in all
      2 calls, asked nothing, landed 1 file in 1 step; ended: done"
    `);
    const { events, state } = await logOf(at, id);
    const days = events.filter((e) => e.type === "turn.started").map((e) => e.at.slice(0, 10));
    const tomorrow = new Date(clock.now()).toISOString().slice(0, 10);
    expect(days.map((d) => d === tomorrow)).toEqual([false, true, true]);
    const notes = state.items.flatMap((item) => (item.kind === "note" ? [item.text] : []));
    expect(notes.at(-1)).toContain(`Today: ${tomorrow}`);
  });
});
