import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { listSessions } from "../../src/events/sessions.ts";
import { sanitize } from "../../src/util/visible.ts";
import { deep } from "../support/deep.ts";
import { runAgent, scriptFile } from "../support/run-agent.ts";
import { place } from "../support/session.ts";

const HOSTILE = "a\x1b[31m\x9b2J\u202e\u2028\u200bz";

it(
  "U2, SEC-G7: what is printed as JSON is shown on a terminal as it is, and reads back whole; what is printed as text is clean",
  { timeout: 300_000 },
  async () => {
    const at = place("json");
    const call = { name: "Write", input: { file_path: `${HOSTILE.replace("\x1b", "")}.txt`, content: "x\n" } };
    const model = scriptFile(at, { turns: [{ text: HOSTILE, calls: [call] }, { text: HOSTILE }] });
    mkdirSync(at.folder, { recursive: true });
    const lines = async (...args: string[]) => {
      const { code, out } = await runAgent(at, args);
      expect([args, code]).toEqual([args, 0]);
      const all = out.trimEnd().split("\n");
      for (const line of all) expect(sanitize(line)).toBe(line);
      return all.map((line): unknown => JSON.parse(line));
    };
    const said = await lines("-p", "--mode", "auto", "--output-format", "stream-json", "--model", model, HOSTILE);
    expect(said.at(-1)).toMatchObject({ text: HOSTILE });
    const id = listSessions(join(at.state, "understudy", "sessions"))[0]?.id ?? expect.fail("no session");
    expect(await lines("sessions", "--json")).toMatchObject([{ id, title: HOSTILE.split("\u2028")[0] }]);
    expect(await lines("trace", id, "--json")).toContainEqual(
      expect.objectContaining({ kind: "prompt", text: HOSTILE }),
    );
    expect(await lines("changes", "--json")).toHaveLength(1);
    for (const args of [
      ["export", id, "--format", "json"],
      ["trace", id, "--otlp", "-", "--content"],
    ])
      expect(JSON.stringify(await lines(...args))).toContain("\u202e");
    // What people read is clean too, on a pipe as on a terminal: many a pipe ends in one.
    const plain = [
      ["trace", id],
      ["why", "1", "--session", id],
      ["changes"],
      ...(deep(0, 1) === 1
        ? [
            ["sessions", HOSTILE],
            ["trace", id, "--verify"],
            ["why", "--list", "--session", id],
            ["permissions", "add", HOSTILE],
            ["export", id],
            ["cost", id],
            ["replay", id],
            ["undo", "--dry-run"],
            ["trace", HOSTILE],
            ["--resume", HOSTILE, "-p", "x"],
            ["-p", "--model", HOSTILE, "x"],
            ["doctor"],
          ]
        : []),
    ];
    for (const args of plain) {
      const { out, err } = await runAgent(at, args);
      const bad = (out + err).match(/[\x00-\x08\x0b-\x1f\x7f-\x9f\u200b\u2028\u202e]/g);
      expect([args[0], out + err === "", bad]).toEqual([args[0], false, null]);
    }
  },
);
