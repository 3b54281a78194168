import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { runAgent, scriptFile } from "../support/run-agent.ts";
import { place } from "../support/session.ts";

describe("E6: agent trace, as a program", () => {
  it("E6: shows the table, a line of JSON a step, and proves the log; a changed log fails with exit code 1", async () => {
    const at = place("trace");
    writeFileSync(join(at.folder, "a.txt"), "a\n");
    const script = { turns: [{ calls: [{ name: "Bash", input: { command: "echo b >> a.txt" } }] }, { text: "Done." }] };
    const ran = await runAgent(at, ["-p", "go", "--mode", "auto", "--model", scriptFile(at, script)]);
    expect([ran.code, ran.out]).toEqual([0, "Done.\n"]);
    const sessions = join(at.state, "understudy", "sessions");
    const log = readdirSync(sessions).find((name) => name.endsWith(".jsonl")) ?? "";
    const id = log.replace(".jsonl", "");

    const table = await runAgent(at, ["trace", id, "--stable"]);
    expect(table.code).toBe(0);
    expect(table.out.split("\n")).toEqual(
      expect.arrayContaining([
        "> go",
        '    Bash {"command":"echo b >> a.txt"}',
        "      changes: allowed by policy (medium): changes 1 file: a.txt",
        "1 call, asked nothing, landed 1 file in 1 step; ended: done",
      ]),
    );
    const json = await runAgent(at, ["trace", id, "--json"]);
    const rows = json.out
      .trimEnd()
      .split("\n")
      .map((line) => JSON.parse(line) as { kind: string });
    expect(rows.map((row) => row.kind)).toEqual(["session", "fact", "prompt", "turn", "call", "turn", "end", "total"]);

    const proof = await runAgent(at, ["trace", id, "--verify"]);
    expect([proof.code, proof.out.match(/^holds /gm)?.length]).toEqual([0, 8]);
    expect(proof.out).toContain("holds  journal: 1 landing as the journal has it\n");
    const file = join(sessions, log);
    writeFileSync(file, readFileSync(file, "utf8").replace('"by":"policy"', '"by":"person"'));
    const broken = await runAgent(at, ["trace", id, "--verify"]);
    expect(broken.code).toBe(1);
    expect(broken.out).toMatch(/FAILS {2}chain: in 1 place\n {9}event \d+: .*was changed since\n/);
  });
});
