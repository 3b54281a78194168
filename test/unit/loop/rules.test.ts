import { execFileSync } from "node:child_process";
import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { text } from "../../../src/events/block.ts";
import type { Rule } from "../../../src/events/effect.ts";
import { answers, collect, openAt, place } from "../../support/session.ts";

const go = [text("go")];
const signal = new AbortController().signal;

async function read(file_path: string, rules: readonly Rule[], answer: "yes" | "no" = "no") {
  const at = place();
  mkdirSync(join(at.folder, "secret"));
  writeFileSync(join(at.folder, "secret/key.txt"), "k\n");
  symlinkSync("secret/key.txt", join(at.folder, "innocent.txt"));
  const asker = answers(answer, answer);
  const script = { turns: [{ calls: [{ name: "Read", input: { file_path } }] }, { text: "ok" }] };
  const session = await openAt(at, { asker, rules, script });
  const { events, result } = await collect(session.submit(go, signal));
  await session.close();
  const done = events.find((e) => e.type === "call.finished");
  return { status: done?.status, asked: asker.asked.length, result };
}

describe("rules of reads", () => {
  it("P6: a deny matches where a link leads, and the loop goes on", async () => {
    const rules: Rule[] = [{ action: "deny", text: "Read(secret/**)", source: "cli" }];
    expect(await read("secret/key.txt", rules)).toMatchObject({
      status: "denied",
      asked: 0,
      result: { reason: "done" },
    });
    expect(await read("innocent.txt", rules)).toMatchObject({ status: "denied", asked: 0 });
  });
  it("P6: an ask asks", async () => {
    const rules: Rule[] = [{ action: "ask", text: "Read(secret/**)", source: "cli" }];
    expect(await read("innocent.txt", rules, "yes")).toMatchObject({ status: "ok", asked: 1 });
  });
  it("P7: outside of the roots asks, and a denial by nobody is a result that says so", async () => {
    const at = place();
    const session = await openAt(at, {
      script: { turns: [{ calls: [{ name: "Read", input: { file_path: "/etc/passwd" } }] }, { text: "ok" }] },
    });
    const { result } = await collect(session.submit(go, signal));
    await session.close();
    expect(result).toMatchObject({ reason: "done", denials: [{ tool: "Read", subject: "/etc/passwd" }] });
  });
});

describe("rules that a person adds", () => {
  it("P3: an always that can't be saved counts for the session, and the log says why", async () => {
    const at = place();
    const write = (n: number) => ({ calls: [{ name: "Write", input: { file_path: `a${n}.txt`, content: "x\n" } }] });
    const remember = { scope: "always" as const, rule: "Edit(*.txt)" };
    const asker = answers({ kind: "yes", remember });
    const session = await openAt(at, {
      asker,
      script: { turns: [write(1), write(2), { text: "ok" }] },
      more: { saveRule: () => Promise.reject(new Error("the disk is full")) },
    });
    const { events, result } = await collect(session.submit(go, signal));
    await session.close();
    expect(result.reason).toBe("done");
    expect(asker.asked).toHaveLength(1);
    expect(events.find((e) => e.type === "rule.added")).toMatchObject({
      rule: { text: "Edit(*.txt)", source: "session" },
      unsaved: "the disk is full",
    });
  });
});

describe("what an answer takes along", () => {
  it("P9: a yes with the regenerable output is in the log, so that a landing after a kill brings it too", async () => {
    const at = place();
    execFileSync("git", ["init", "-q"], { cwd: at.folder });
    writeFileSync(join(at.folder, ".gitignore"), "dist\n");
    const command = "mkdir dist; echo 1 > dist/o; echo 2 > new.txt";
    const session = await openAt(at, {
      asker: answers({ kind: "yes", withRegenerable: true }),
      script: { turns: [{ calls: [{ name: "Bash", input: { command } }] }, { text: "ok" }] },
    });
    const { events } = await collect(session.submit(go, signal));
    await session.close();
    expect(events.filter((e) => e.type === "permission.decided")).toMatchObject([{ withRegenerable: true }]);
    expect(readFileSync(join(at.folder, "dist/o"), "utf8")).toBe("1\n");
  });
});

describe("rules with absolute paths", () => {
  it("P6: what lies in the folder is denied by its absolute path too, to read and to change", async () => {
    const at = place();
    mkdirSync(join(at.folder, "secret"));
    writeFileSync(join(at.folder, "secret/key.txt"), "k\n");
    const rules: Rule[] = [
      { action: "deny", text: `Read(/${at.folder}/secret/**)`, source: "user" },
      { action: "deny", text: `Edit(/${at.folder}/*.lock)`, source: "user" },
    ];
    const calls = [
      { name: "Read", input: { file_path: "secret/key.txt" } },
      { name: "Grep", input: { pattern: "k" } },
      { name: "Write", input: { file_path: "a.lock", content: "x\n" } },
    ];
    const asker = answers("yes", "yes");
    const session = await openAt(at, { asker, rules, script: { turns: [{ calls }, { text: "ok" }] } });
    const { events } = await collect(session.submit(go, signal));
    await session.close();
    const done = events.flatMap((e) => (e.type === "call.finished" ? [e] : []));
    expect(done.map((e) => e.status)).toEqual(["denied", "ok", "denied"]);
    expect(JSON.stringify(done[1]?.content)).not.toContain("key.txt");
    expect(asker.asked).toEqual([]);
  });
});
