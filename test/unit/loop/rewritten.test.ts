import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { textOf } from "../../../src/events/block.ts";
import { isFact, type LogEventOf } from "../../../src/events/event.ts";
import { asEdit } from "../../../src/loop/rewritten.ts";
import type { Answer, Asker, Question } from "../../../src/permissions/asker.ts";
import { verifyCalls, verifyOperations } from "../../../src/session/verify-calls.ts";
import { verifyDecided } from "../../../src/session/verify-landed.ts";
import { collect, openAt, place, type SessionInput } from "../../support/session.ts";

type Answering = (question: Question) => Promise<Answer> | Answer;

function person(...list: Answering[]): Asker & { asked: Question[] } {
  const asked: Question[] = [];
  return {
    asked,
    together: () => true,
    async ask(question) {
      asked.push(question);
      return (await list.shift()?.(question)) ?? { kind: "no" };
    },
    askPerson: () => Promise.resolve(undefined),
  };
}
/** What the file would hold, with words in place of others. */
const rewrite =
  (from: string, to: string): Answering =>
  async ({ proposed }) => ({ kind: "rewrite", text: ((await proposed?.text()) ?? "").replace(from, to) });
const yes: Answering = () => ({ kind: "yes" });

const EDIT = { name: "Edit", input: { file_path: "a.txt", old_string: "two", new_string: "TWO" } };

async function run(
  calls: { name: string; input: Record<string, unknown> }[],
  asker: Asker,
  more: Partial<SessionInput> = {},
) {
  const at = place("rewritten");
  writeFileSync(join(at.folder, "a.txt"), "one\ntwo\nthree\n");
  writeFileSync(join(at.folder, "latin.txt"), Buffer.from("caf\xe9\ntwo\n", "latin1"));
  const read = [...new Set(calls.map(({ input }) => input["file_path"]))].filter((name) => name !== "new.txt");
  const script = {
    turns: [
      ...(read.length === 0 ? [] : [{ calls: read.map((name) => ({ name: "Read", input: { file_path: name } })) }]),
      { calls },
      { text: "ok" },
    ],
  };
  const session = await openAt(at, { asker, script, ...more, more: { defaults: { mode: "ask", model: "scripted" } } });
  const { events } = await collect(session.submit([{ type: "text", text: "go" }]));
  await session.close();
  const facts = events.filter(isFact);
  const result = facts.findLast((e): e is LogEventOf<"call.finished"> => e.type === "call.finished");
  const file = (name: string) => readFileSync(join(at.folder, name), "latin1");
  return { facts, file, words: textOf(result?.content ?? []), result };
}

describe("a file that the person changes before it lands", () => {
  it("UX-P-3: is shown again as it would be now, is asked about again, lands as theirs, and the model is told line by line", async () => {
    const asker = person(rewrite("TWO", "2"), yes);
    const { facts, file, words } = await run([EDIT], asker);
    expect(asker.asked.map((q) => q.diffs[0]?.hunks[0]?.lines)).toEqual([
      [" one", "-two", "+TWO", " three"],
      [" one", "-two", "+2", " three"],
    ]);
    expect(asker.asked[0]?.proposed?.path).toBe("a.txt");
    expect(file("a.txt")).toBe("one\n2\nthree\n");
    expect(facts.filter((e) => e.type === "call.edited")).toMatchObject([
      { input: { file_path: "a.txt", old_string: "two\n", new_string: "2\n" } },
    ]);
    expect(words).toMatch(/The person changed this file's text[^]*-TWO\n\+2\n/);
  });
  it("UX-P-3: a new file too, more than once; what the answer proves is what landed", async () => {
    const asker = person(rewrite("a", "b"), rewrite("b", "c"), yes);
    const made = { name: "Write", input: { file_path: "new.txt", content: "a\n" } };
    const { facts, file, words } = await run([made], asker);
    expect(file("new.txt")).toBe("c\n");
    expect(words).toMatch(/-a\n\+b\n[^]*-b\n\+c\n/);
    expect(facts.filter((e) => e.type === "changes.dropped")).toHaveLength(2);
    expect(facts.filter((e) => e.type === "changes.landed")).toHaveLength(1);
    expect([verifyDecided(facts), verifyOperations(facts), verifyCalls(facts)].flatMap((c) => c.breaches)).toEqual([]);
  });
  it("UX-P-3: a no after an edit leaves the file as it was", async () => {
    const { file, result } = await run(
      [EDIT],
      person(rewrite("TWO", "2"), () => ({ kind: "no" })),
    );
    expect([file("a.txt"), result?.status]).toEqual(["one\ntwo\nthree\n", "denied"]);
  });
  it("T4: a file of another encoding keeps it when the person changes the text", async () => {
    const latin = { name: "Edit", input: { file_path: "latin.txt", old_string: "two", new_string: "TWO" } };
    const { file } = await run([latin], person(rewrite("TWO", "2"), yes));
    expect(file("latin.txt")).toBe("caf\xe9\n2\n");
  });
  it("UX-P-3: what writes no file's text can't be changed", async () => {
    const asker = person(() => ({ kind: "rewrite", text: "x\n" }));
    const removed = await run([{ name: "Delete", input: { file_path: "a.txt" } }], asker);
    expect(asker.asked[0]?.proposed).toBeUndefined();
    expect(removed.file("a.txt")).toBe("one\ntwo\nthree\n");
  });
  it("UX-P-3: of several edits in one question the first one's file; the others are asked about anew", async () => {
    const asker = person(rewrite("TWO", "2"), yes);
    const other = { name: "Write", input: { file_path: "new.txt", content: "n\n" } };
    const { file } = await run([EDIT, other], asker);
    expect(asker.asked.map((q) => q.together?.length)).toEqual([2, 2]);
    expect([file("a.txt"), file("new.txt")]).toEqual(["one\n2\nthree\n", "n\n"]);
  });
});

describe("asEdit", () => {
  it("makes one unique edit of two texts", () => {
    const cases: [string, string][] = [
      ["a\nb\nc\n", "a\nx\nc\n"],
      ["a\na\na\n", "a\na\na\na\n"],
      ["a\nb\n", "a\nq\nb\n"],
      ["a\nb", "a\nb\n"],
      ["x\n}\ny\n}\n", "x\n}\ny\nz\n}\n"],
    ];
    for (const [before, after] of cases) {
      const { old_string, new_string } = asEdit(before, after);
      expect(before.split(old_string)).toHaveLength(2);
      expect(before.replace(old_string, () => new_string)).toBe(after);
    }
  });
});
