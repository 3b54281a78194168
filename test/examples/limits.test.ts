import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { scriptedModel } from "../../src/index.ts";
import { exitCode } from "../../src/session/exit-code.ts";
import { startApi } from "../support/api-server.ts";
import { logOf, played, tableOf } from "../support/example.ts";
import { agentEnv, runAgent, scriptFile } from "../support/run-agent.ts";
import { place, type ScriptInput } from "../support/session.ts";

const usage = { input: 2000, output: 50 };

describe("text at the step limit", () => {
  const looking: ScriptInput = {
    turns: ["a.md", "b.md", "c.md", "d.md"].map((file_path) => ({
      usage,
      text: `It may be in ${file_path}.`,
      calls: [{ name: "Read", input: { file_path } }],
    })),
  };

  it("S2, S8: is no answer: the query ends for its limit, and says how to go on", async () => {
    const at = place("limit");
    for (const name of ["a.md", "b.md", "c.md", "d.md"]) writeFileSync(join(at.folder, name), `${name}\n`);
    const { id, result } = await played(at, { model: scriptedModel(looking), maxTurns: 3 });
    expect(await tableOf(at, id)).toMatchInlineSnapshot(`
      "turn   context   cached  written     out     cost  the model

      > go
         1     2,000        0        0      50        0  text, 1 call
          "It may be in a.md."
          Read {"file_path":"a.md"}
            ran unasked, low risk
            ok, 6 characters
         2     2,000        0        0      50        0  text, 1 call
          "It may be in b.md."
          Read {"file_path":"b.md"}
            ran unasked, low risk
            ok, 6 characters
         3     2,000        0        0      50        0  text, 1 call
          "It may be in c.md."
          Read {"file_path":"c.md"}
            ran unasked, low risk
            ok, 6 characters
      = turn-limit after 3 turns: Stopped at the limit of 3 turns for one message
        (--max-turns, /limits turns). The work is not done; a new message goes on.

         3     6,000        0        0     150        0  in all
      3 calls, asked nothing, nothing landed; ended: turn-limit"
    `);
    expect([result.reason, exitCode(result.reason)]).toEqual(["turn-limit", 4]);
    expect((await logOf(at, id)).state.query?.ended).toBe("turn-limit");
  });

  it("S8, U2: -p prints it on stderr, not where the answer stands, and exits with 4", async () => {
    const at = place("limit");
    for (const name of ["a.md", "b.md", "c.md", "d.md"]) writeFileSync(join(at.folder, name), `${name}\n`);
    const run = await runAgent(at, ["-p", "go", "--max-turns", "3", "--model", scriptFile(at, looking)]);
    expect([run.code, run.out]).toEqual([4, ""]);
    expect(run.err).toContain("It may be in c.md.");
    expect(run.err).toContain("Stopped at the limit of 3 turns for one message");
  });
});

describe("a reply with text and a call", () => {
  it("L6: both are kept, shown and sent back as they came", async () => {
    const at = place("both");
    writeFileSync(join(at.folder, "a.md"), "It is here.\n");
    const api = await startApi([
      { turn: { usage, text: "I look into the note first.", calls: [{ name: "Read", input: { file_path: "a.md" } }] } },
      { turn: { usage, text: "It is in a.md." } },
    ]);
    const env = { ...agentEnv(at), ANTHROPIC_BASE_URL: api.url, ANTHROPIC_API_KEY: "sk-test" };
    const { id, events } = await played(at, { env });
    expect(await tableOf(at, id)).toMatchInlineSnapshot(`
      "turn   context   cached  written     out     cost  the model

      > go
         1     2,000        0        0      50  $0.0045  text, 1 call
          "I look into the note first."
          Read {"file_path":"a.md"}
            ran unasked, low risk
            ok, 13 characters
         2     2,000        0        0      50  $0.0045  text
          "It is in a.md."
      = done after 2 turns

         2     4,000        0        0     100  $0.0090  in all
      1 call, asked nothing, nothing landed; ended: done"
    `);
    const shown = events.flatMap((e) => (e.type === "text.delta" ? [e.text] : [])).join("");
    expect(shown).toBe("I look into the note first.It is in a.md.");
    type Sent = { content: { type: string; text?: string; name?: string }[] }[];
    const [, reply] = (api.requests[1]?.body["messages"] ?? []) as Sent;
    expect(reply?.content.map(({ type, text, name }) => [type, text ?? name])).toEqual([
      ["text", "I look into the note first."],
      ["tool_use", "Read"],
    ]);
    expect(api.breaches).toEqual([]);
  });
});
