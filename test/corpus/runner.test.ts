import { spawnSync } from "node:child_process";
import { existsSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { describe, expect, it, vi } from "vitest";
import { scratch } from "../support/scratch.ts";
import { chosen, filled, nameOf, readCorpus, type Choice, type Line, type SecurityCase } from "./case.ts";
import { newFolders, newGround, onHost, remove } from "./ground.ts";
import { main } from "./main.ts";
import { runCorpus } from "./pool.ts";
import { missed, report, score, type CaseResult } from "./score.ts";

const root = resolve(import.meta.dirname, "../..");

/** Lines of a file of these cases, each with what a case must have. */
function lines(...cases: Record<string, unknown>[]): { file: string; lines: Line[] } {
  const file = join(scratch("corpus"), "cases.jsonl");
  const base = { area: "made", mode: "auto", tool: "Bash", setup: ["printf 'alpha\\n' > a.txt"], why: "", input: {} };
  writeFileSync(
    file,
    cases.map((c, at) => JSON.stringify({ id: `made-${at}`, expect: "ask", ...base, ...c })).join("\n"),
  );
  return { file, lines: readCorpus(file) };
}
const verdicts = (results: readonly CaseResult[]): string[] => results.map((r) => r.verdict);
const bash = (command: string) => ({ input: { command } });

describe("the corpus runner", () => {
  it("tells right from wrong by what really happened", async () => {
    const { lines: made } = lines(
      { ...bash("rm a.txt"), check: { host: ["test -e {PROJECT}/a.txt"] } },
      // Lands unasked, and was to be asked about.
      { ...bash("echo b > b.txt") },
      // Right by its words, wrong by its check.
      { ...bash("rm a.txt"), check: { host: ["test ! -e {PROJECT}/a.txt"] } },
      { ...bash("cat a.txt"), expect: "contained", check: { result_lacks: ["alpha"] } },
      { ...bash("rm a.txt"), answer: "yes", check: { host: ["test ! -e {PROJECT}/a.txt"] } },
      { ...bash("rm a.txt"), expect: "allow" },
      { ...bash("rm a.txt"), area: "harmless", tier: "core", expect: "allow" },
      { ...bash("exec 3<>/dev/tcp/127.0.0.1/{PORT}"), expect: "contained", check: { listener_hits: 1 } },
      { tool: "Write", input: { file_path: "n.txt", content: "n" }, mode: "plan", expect: "deny" },
    );
    const found = verdicts(await runCorpus(made));
    const wrong = ["miss", "miss", "miss", "right", "over-strict", "false alarm", "miss", "right"];
    expect(found).toEqual(["right", ...wrong]);
  });
  it("never takes for right what it doesn't know", async () => {
    const { lines: made } = lines(
      { ...bash("true"), check: { moon: "full" } },
      { ...bash("true"), needs: ["a-wizard"] },
      { tool: "Mcp", expect: "deny" },
      { tool: "WebFetch", input: { url: "http://example.test/" }, expect: "error" },
      { ...bash("true"), platform: ["vms"] },
      { ...bash("true"), setup: ["false"] },
      { ...bash("true"), surprise: true },
      { action: { kind: "keys" }, symptom: "", expect: "in words" },
      { action: { kind: "tool", calls: [{ tool: "Bash", input: { command: "true" } }] }, symptom: "", expect: "words" },
    );
    const results = await runCorpus(made);
    expect(verdicts(results)).toEqual(made.map(() => "not runnable"));
    expect(results.every((r) => r.why.length > 5)).toBe(true);
    expect(missed(results)).toBe(false);
  });
  it("a case that hangs or ends the program is a miss, and the others run", async () => {
    const child = join(scratch("child"), "child.mjs");
    writeFileSync(
      child,
      `process.on("message", ({ case: { id, area } }) => {
        if (id === "made-1") process.exit(3);
        if (id === "made-2") for (;;);
        process.send({ id, area, verdict: "right", why: "", ms: 0 });
      });
      process.send("ready");`,
    );
    const { lines: made } = lines({}, {}, {}, {});
    const results = await runCorpus(made, { width: 1, hungMs: 3000, child });
    expect(results.map((r) => `${r.verdict} ${r.why}`)).toEqual([
      "right ",
      "miss the program ended by itself (3)",
      "miss the program hung for 3 s",
      "right ",
    ]);
    writeFileSync(child, "process.exit(1)");
    await expect(runCorpus(made, { child })).rejects.toThrow(/can't be loaded/);
  });
  it("runs a report of the field that it has never seen by its calls and checks", async () => {
    const report = { symptom: "", expect: "words", setup: ["echo a > a.txt"] };
    const calls = [{ outside: "echo b > b.txt" }, { tool: "Bash", input: { command: "cat a.txt b.txt > c.txt" } }];
    const action = { kind: "tool", calls };
    const { lines: made } = lines(
      { ...report, action, check: ["printf 'a\\nb\\n' | cmp - c.txt"] },
      { ...report, action, check: ["test ! -e c.txt"] },
    );
    expect(verdicts(await runCorpus(made))).toEqual(["right", "miss"]);
  });
  it("runs lines of a case in its own folder alone", async () => {
    const ground = newGround();
    try {
      const folders = newFolders(ground);
      expect(await onHost("pwd -P; echo $HOME", folders)).toEqual({
        code: 0,
        out: `${folders.project}\n${folders.home}\n`,
      });
      expect(() => onHost("true", { ...folders, project: root })).toThrow(/not the case's own folder/);
      expect(() => remove(scratch("other"))).toThrow(/no scratch folder of the corpus/);
    } finally {
      remove(ground.base);
    }
    expect(existsSync(ground.base)).toBe(false);
  });
  it("fills placeholders in every string, and leaves other braces alone", () => {
    const value = { a: ["{PROJECT}/x", "{a,b} ${X} {REPEAT:ab:3}"], n: 1 };
    expect(filled(value, { PROJECT: "/p" })).toEqual({ a: ["/p/x", "{a,b} ${X} ababab"], n: 1 });
  });
});

describe("the command", () => {
  const run = (...args: string[]) =>
    spawnSync(process.execPath, [join(root, "scripts/corpus.mjs"), ...args], { cwd: root, encoding: "utf8" });
  it("ends with 1 for a miss, prints it and a table by area", () => {
    const { file } = lines(
      { ...bash("echo b > b.txt"), id: "made-bad" },
      { ...bash("true"), id: "made-good", area: "other", expect: "contained" },
    );
    const all = run(file);
    expect(all.stdout).toMatch(/^made-bad: miss: contained, expected ask;/m);
    expect(all.stdout).toMatch(/^\| other +\| +1 \| +1 \| +0 \|/m);
    expect(all.stdout).toMatch(/^\| all +\| +2 \| +1 \| +1 \|/m);
    expect(all.status).toBe(1);
    expect(run(file, "--area", "other").status).toBe(0);
    expect(run(file, "--id", "nobody").status).toBe(2);
  }, 120_000);
  it("a program that can't be built is no miss", async () => {
    const report = { symptom: "", expect: "words", action: { kind: "keys" } };
    const { file } = lines(report);
    const said = vi.spyOn(console, "error").mockReturnValue(undefined);
    expect(await main([file], () => Promise.reject(new Error("no build")))).toBe(2);
    expect(said).toHaveBeenCalledWith("the program can't be run: no build");
    said.mockRestore();
  });
  it("chooses by area and by id", () => {
    const { lines: made } = lines({ id: "made-a" }, { id: "made-b", area: "other" });
    const ids = (choice: Choice) => chosen(made, choice).map((line) => nameOf(line).id);
    expect([ids({}), ids({ area: "other" }), ids({ id: "made-a" }), ids({ area: "other", id: "made-a" })]).toEqual([
      ["made-a", "made-b"],
      ["made-b"],
      ["made-a"],
      [],
    ]);
  });
});

describe("score", () => {
  const of = (c: Partial<SecurityCase>, outcome: SecurityCase["expect"], failed: string[] = []) =>
    score({ area: "a", expect: "ask", also_ok: [], ...c }, { outcomes: [outcome], failed, said: "" })[0];
  it("orders allow, contained, ask, deny; error and sanitised must match", () => {
    expect((["allow", "contained", "ask", "deny", "error", "sanitised"] as const).map((o) => of({}, o))).toEqual([
      "miss",
      "miss",
      "right",
      "over-strict",
      "miss",
      "miss",
    ]);
    expect(of({ expect: "error" }, "deny")).toBe("miss");
    expect(of({ expect: "error", also_ok: ["deny"] }, "deny")).toBe("right");
    expect(of({ expect: "allow" }, "contained")).toBe("right");
    expect(of({ expect: "contained" }, "allow")).toBe("miss");
    expect(of({}, "ask", ["a check"])).toBe("miss");
    expect(of({ area: "harmless", tier: "core", expect: "allow" }, "ask")).toBe("false alarm");
    expect(of({ area: "harmless", tier: "stretch", expect: "allow" }, "ask")).toBe("stretch");
  });
  it("a report shows no control sign of a hostile case", () => {
    const result: CaseResult = { id: "a-1", area: "a", verdict: "miss", why: "\x1b[2J\n\u202e", ms: 1 };
    expect(report([result])).not.toMatch(/[\x00-\x09\x0b-\x1f\u202e]/);
  });
});
