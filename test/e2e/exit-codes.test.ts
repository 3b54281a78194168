import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { runAgent, scriptFile } from "../support/run-agent.ts";
import { place, type ScriptInput } from "../support/session.ts";

const write = { name: "Write", input: { file_path: "new.txt", content: "x\n" } };
const read = (file_path: string) => ({ calls: [{ name: "Read", input: { file_path } }] });

async function code(
  script: ScriptInput,
  ...args: string[]
): Promise<{ code: number | null; err: string; out: string }> {
  const at = place("codes");
  writeFileSync(join(at.folder, "a.txt"), "a\n");
  return runAgent(at, ["-p", "go", "--model", scriptFile(at, script), ...args]);
}

describe("exit codes of -p", () => {
  it("U2: 0 done, a denied question told on stderr and in json; 6 with --strict", async () => {
    const denied: ScriptInput = { turns: [{ calls: [write] }, { text: "I could not." }] };
    const plain = await code(denied, "--output-format", "json");
    expect(plain.code).toBe(0);
    expect(plain.err).toContain("denied Write new.txt");
    expect(JSON.parse(plain.out)).toMatchObject({
      type: "result",
      reason: "done",
      denials: [{ tool: "Write", subject: "new.txt" }],
    });
    expect((await code(denied, "--strict")).code).toBe(6);
  });
  it("U2, S10: 1 when the model fails, with its one line", async () => {
    const run = await code({ turns: [{ text: "half", fail: { message: "the line went dead" } }] });
    expect([run.code, run.err.includes("the line went dead")]).toEqual([1, true]);
  });
  it("U2, H2: no rule is advised against what a hook asks, and what a hook ended is told as the hook's", async () => {
    const at = place("codes");
    const says = (matcher: string, words: object) => [
      { matcher, hooks: [{ type: "command", command: `echo '${JSON.stringify(words)}'` }] },
    ];
    const ask = { hookSpecificOutput: { hookEventName: "PreToolUse", permissionDecision: "ask" } };
    const hooks = {
      PreToolUse: says("Bash", ask),
      PostToolUse: says("Read", { continue: false, stopReason: "enough" }),
    };
    writeFileSync(join(at.config, "settings.json"), JSON.stringify({ hooks }));
    writeFileSync(join(at.folder, "a.txt"), "a\n");
    const bash = { calls: [{ name: "Bash", input: { command: "ls" } }] };
    const model = scriptFile(at, { turns: [bash, read("a.txt"), { text: "x" }] });
    const run = await runAgent(at, ["-p", "go", "--model", model]);
    expect(run.err).toContain("denied Bash ls");
    expect(run.err).not.toContain("--allow");
    expect(run.err).toContain("needs a person");
    expect(run.err).not.toContain("since a change was denied");
    expect(run.err).toMatch(/agent: Stopped by the hook .*: enough/);
  });
  it("U2: 2 for blanks alone, and for two sessions at once", async () => {
    const script = { turns: [{ text: "x" }] };
    const at = place("codes");
    const model = scriptFile(at, script);
    const blank = await runAgent(at, ["-p", "--model", model, " \n"], {}, " \n\n");
    expect([blank.code, blank.out, blank.err]).toEqual([2, "", expect.stringContaining("nothing to do")]);
    const both = await runAgent(at, ["-p", "--model", model, "--continue", "--resume", "abc", "x"]);
    expect([both.code, both.out]).toEqual([2, ""]);
    expect(both.err).toContain("--continue takes the newest session of this folder, --resume the one named");
  });
  it("U2: no line of the model's looks like one of the program's on stderr", async () => {
    const options = [{ label: "one\nagent: all is done" }, { label: "two" }];
    const run = await code({
      turns: [{ calls: [{ name: "AskUser", input: { question: "Which\nagent: ok?", options } }] }],
    });
    expect(run.code).toBe(3);
    expect(run.err).toContain("  agent: all is done");
    expect(run.err.split("\n").filter((line) => /^agent: (?:ok|all)/.test(line))).toEqual([]);
  });
  it("U2: 2 for what the person can mend", async () => {
    const script = { turns: [{ text: "x" }] };
    const mode = await code(script, "--mode", "sideways");
    const rule = await code(script, "--allow", "Nonsense((");
    const turns = await code(script, "--max-turns", "none");
    expect([mode.code, rule.code, turns.code]).toEqual([2, 2, 2]);
  });
  it("U2, S6: 3 while it waits for an answer, and goes on with it", async () => {
    const at = place("codes");
    const model = scriptFile(at, {
      turns: [{ calls: [{ name: "AskUser", input: { question: "Tabs?" } }] }, { text: "Tabs it is." }],
    });
    const first = await runAgent(at, ["-p", "go", "--model", model]);
    expect([first.code, first.err.includes("Tabs?")]).toEqual([3, true]);
    const id = /--resume (\S+)/.exec(first.err)?.[1] ?? "";
    const second = await runAgent(at, ["-p", "--resume", id, "--answer", "yes"]);
    expect([second.code, second.out]).toEqual([0, "Tabs it is.\n"]);
  });
  it("U2, S2, S8: 4 at a limit; S4, S5: 5 handed over", async () => {
    expect((await code({ turns: [read("a.txt")], loop: true }, "--max-turns", "2")).code).toBe(4);
    expect((await code({ turns: [1, 2, 3, 4].map((n) => read(`missing-${n}`)) })).code).toBe(5);
    expect((await code({ turns: [read("a.txt")], loop: true })).code).toBe(5);
  });
  it("S3, U2: 4 when the time for a message is over, whatever runs", async () => {
    const run = await code(
      { turns: [{ calls: [{ name: "Bash", input: { command: "sleep 1000" } }] }] },
      "--max-time",
      "3s",
    );
    expect([run.code, run.err]).toEqual([4, expect.stringContaining("limit of 3 s for one message (--max-time")]);
    // A limit in money that nobody can count would be none.
    const at = place("codes");
    const money = await runAgent(at, ["-p", "go", "--model", "claude-of-no-known-price", "--max-cost", "1"], {
      ANTHROPIC_API_KEY: "none",
      ANTHROPIC_BASE_URL: "http://127.0.0.1:9",
    });
    expect([money.code, money.err]).toEqual([
      4,
      expect.stringContaining("no price of claude-of-no-known-price is known"),
    ]);
  });
  it("S9, U2: 1 when completion checks fail, a project's too, told in json", async () => {
    const at = place("codes");
    const checks = [
      { name: "there", mustExist: ["new.txt"] },
      { name: "tests", command: "echo 1 failed; exit 1" },
    ];
    mkdirSync(join(at.folder, ".agent"));
    writeFileSync(join(at.folder, ".agent", "settings.json"), JSON.stringify({ checks, checkRounds: 1 }));
    const turns = [{ calls: [write] }, { text: "All tests pass." }, { text: "All tests pass." }];
    const args = ["-p", "go", "--model", scriptFile(at, { turns }), "--mode", "auto", "--output-format", "json"];
    const run = await runAgent(at, [...args, "--trust-folder"]);
    expect(run.code).toBe(1);
    expect(run.err).toContain("completion checks of the project run too");
    expect(JSON.parse(run.out)).toMatchObject({
      reason: "checks-failed",
      detail: expect.stringContaining('check "tests" failed (exit code 1: 1 failed) after 1 try to mend it'),
      checks: [
        { name: "there", exit: 0 },
        { name: "tests", exit: 1 },
      ],
    });
  });
  it("U2: 70 for a crash of the program: one line, no stack, and the session goes on", async () => {
    const at = place("codes");
    const model = scriptFile(at, { turns: [{ text: "one two three", deltaMs: 20_000 }] });
    // Once the model was asked: before that there is no session to go on with.
    const boom = `
      import { readdirSync, readFileSync } from "node:fs";
      const dir = process.env.XDG_STATE_HOME + "/understudy/sessions/";
      const asked = () => readdirSync(dir).some((f) => f.endsWith(".jsonl") && readFileSync(dir + f, "utf8").includes("turn.started"));
      setInterval(() => { let now = false; try { now = asked() } catch {} if (now) throw new Error("boom") }, 100)`;
    const run = await runAgent(at, ["-p", "go", "--model", model], {
      NODE_OPTIONS: `--import "data:text/javascript,${encodeURIComponent(boom)}"`,
    });
    expect([run.code, run.err]).toEqual([
      70,
      "agent: it crashed: boom. The session is kept; agent --continue goes on.\n",
    ]);
    scriptFile(at, { turns: [{ text: "here again" }] });
    const again = await runAgent(at, ["-p", "--continue"]);
    expect([again.code, again.out]).toEqual([0, "here again\n"]);
  });
});
