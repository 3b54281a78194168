import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, it } from "vitest";
import { personSettingsFile } from "../../src/session/rules-files.ts";
import { runAgent, scriptFile } from "../support/run-agent.ts";
import { place } from "../support/session.ts";

const WRITE = {
  turns: [
    {
      calls: [
        { name: "Read", input: { file_path: "no\nsuch" } },
        { name: "Write", input: { file_path: "src/a.ts", content: "x\n" } },
      ],
    },
    { text: "done" },
  ],
};

describe("agent permissions, agent why, agent policy test", () => {
  it("P6: a rule is saved, decides, is explained, and tried away; all from outside of a session", async () => {
    const at = place("permissions-cli");
    const model = ["--model", scriptFile(at, WRITE)];
    const saved = await runAgent(at, ["permissions", "allow", "Edit(src/**)"]);
    expect([saved.code, saved.out]).toEqual([0, "allow Edit(src/**): saved; sessions that open from now on read it\n"]);
    const typed = [
      "--permission-mode",
      "acceptEdits",
      "--ask",
      "Bash(a)",
      "--disallowedTools",
      "Bash(rm *),Read(//etc/**)",
    ];
    expect((await runAgent(at, ["-p", "go", ...model, ...typed])).code).toBe(0);
    const [name = ""] = readdirSync(join(at.state, "understudy/sessions")).filter((n) => n.endsWith(".jsonl"));
    const [opened = ""] = readFileSync(join(at.state, "understudy/sessions", name), "utf8").split("\n");
    const { mode, rules } = JSON.parse(opened) as {
      mode: string;
      rules: { source: string; action: string; text: string }[];
    };
    expect(mode).toBe("ask");
    expect(rules.filter((r) => r.source === "cli").map((r) => `${r.action} ${r.text}`)).toEqual([
      "allow Edit",
      "ask Bash(a)",
      "deny Bash(rm *)",
      "deny Read(//etc/**)",
      "deny Outside(/etc/**)",
    ]);
    expect(readFileSync(join(at.folder, "src/a.ts"), "utf8")).toBe("x\n");
    const why = await runAgent(at, ["why"]);
    const file = personSettingsFile(at.config, at.folder);
    expect(why.out.replaceAll(/\s+/g, " ")).toContain(
      `decided by allow Edit(src/**) (your own for this project, ${file}:5)`,
    );
    const list = await runAgent(at, ["why", "--list"]);
    expect(list.out).toMatch(/1 {2}Read no⏎such {2}.*\n +2 {2}Write src\/a\.ts/);
    const none = await runAgent(at, ["policy", "test", "--fail-on-change"]);
    expect([none.code, none.out]).toEqual([0, expect.stringContaining("none would be another") as string]);
    await runAgent(at, ["permissions", "remove", "Edit(src/**)"]);
    const gone = await runAgent(at, ["policy", "test", "--fail-on-change", "--json"]);
    expect([gone.code, gone.err]).toEqual([1, ""]);
    expect(JSON.parse(gone.out.split("\n")[0] ?? "")).toMatchObject({ then: "allow", now: "ask", tool: "Write" });
  });

  it("set-jsonc-kept: settings with a mistake stop the start with file and line, and no byte of them changes", async () => {
    const at = place("settings-mistake");
    const file = personSettingsFile(at.config, at.folder);
    mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
    const whole = `{\n  // mine\n  "permissions": { "allow": ["Bash(ls *)",], "deny": ["Bash(curl *)"] },\n  "unknownKey": { "a": 1 },\n}\n`;
    const refused = async (text: string, words: string, ...args: string[]) => {
      writeFileSync(file, text, { mode: 0o600 });
      const run = await runAgent(at, args);
      expect([run.code, run.err]).toEqual([2, expect.stringContaining(words) as string]);
      expect(readFileSync(file, "utf8")).toBe(text);
    };
    await refused(whole, `${file}:4:3: unknownKey`, "-p", "go", "--model", scriptFile(at, WRITE));
    await refused(whole.slice(0, 40), `${file}:3:`, "permissions", "allow", "Bash(npm test)");
    // Without the key it is understood, comment and comma and all.
    writeFileSync(file, whole.replace(/.*unknownKey.*\n/, ""), { mode: 0o600 });
    expect((await runAgent(at, ["permissions", "allow", "Bash(npm test)"])).code).toBe(0);
    expect(readFileSync(file, "utf8")).toBe(
      `{\n  // mine\n  "permissions": { "allow": ["Bash(ls *)", "Bash(npm test)",], "deny": ["Bash(curl *)"] },\n}\n`,
    );
  });
});
