import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { questionText, scriptedModel, type Answer, type Asker, type Question } from "../../src/index.ts";
import { played, resultsOf, tableOf } from "../support/example.ts";
import { place, type Place, type ScriptInput } from "../support/session.ts";

function asker(answer: Answer): Asker & { asked: Question[] } {
  const asked: Question[] = [];
  return {
    asked,
    ask: (question) => (asked.push(question), Promise.resolve(answer)),
    askPerson: () => Promise.resolve(undefined),
  };
}

const usage = { input: 2000, output: 50 };

describe("one reply with a low, a medium and a high risk call, in auto mode", () => {
  const script: ScriptInput = {
    turns: [
      {
        usage,
        calls: [
          { name: "Read", input: { file_path: "plan.md" } },
          { name: "Write", input: { file_path: "summary.md", content: "One line.\n" } },
          { name: "Delete", input: { file_path: "plan.md" } },
        ],
      },
      { usage, text: "The summary is written; the plan stays, as you said." },
    ],
  };
  const ready = (): Place => {
    const at = place("risk");
    writeFileSync(join(at.folder, "plan.md"), "A plan.\n");
    return at;
  };

  it("P1, P3, P7: the first two go ahead, the high one asks, and its denial is a result that the model reads", async () => {
    const at = ready();
    const who = asker({ kind: "no", note: "keep the plan" });
    const { id, result } = await played(at, { model: scriptedModel(script), mode: "auto", asker: who });
    expect(await tableOf(at, id)).toMatchInlineSnapshot(`
      "turn   context   cached  written     out     cost  the model

      > go
         1     2,000        0        0      50        0  3 calls
          Read {"file_path":"plan.md"}
            ran unasked, low risk
            ok, 9 characters
          Write {"file_path":"summary.md","content":"One line.\\n"}
            changes: allowed by policy (medium): changes 1 file: summary.md
            ok, landed 1 file, 69 characters
          Delete {"file_path":"plan.md"}
            changes: asked, no (high): the person said no (deletes 1 file: plan.md),
              "keep the plan"
            denied, nothing landed, 140 characters
         2     2,000        0        0      50        0  text
          "The summary is written; the plan stays, as you said."
      = done after 2 turns

         2     4,000        0        0     100        0  in all
      3 calls, asked 1 (0 yes, 1 no), 1 denied, landed 1 file in 1 step; ended: done"
    `);
    expect(await resultsOf(at, id)).toMatchInlineSnapshot(`
      [
        "Read ok: 1	A plan.",
        "Write ok: Made summary.md (10 bytes).
      [Landed in the folder: create summary.md.]",
        "Delete denied: [None of its changes reached the folder, which is as before: the person said no (deletes 1 file: plan.md). The person says: "keep the plan"]",
      ]
    `);
    expect([result.reason, who.asked.length]).toEqual(["done", 1]);
    expect(readdirSync(at.folder).toSorted()).toEqual(["plan.md", "summary.md"]);
  });

  it("P7: where nobody can be asked it is denied, and the rule that would have allowed it is told", async () => {
    const at = ready();
    const { id, result } = await played(at, { model: scriptedModel(script), mode: "auto" });
    expect((await resultsOf(at, id)).at(-1)).toMatchInlineSnapshot(
      `"Delete denied: [None of its changes reached the folder, which is as before: deletes 1 file: plan.md. This needs a yes, and nobody is here to answer]"`,
    );
    expect(result.denials).toMatchObject([{ tool: "Delete", by: "nobody", rules: ["Delete(/plan.md)"] }]);
    expect([result.reason, readFileSync(join(at.folder, "plan.md"), "utf8")]).toEqual(["done", "A plan.\n"]);
  });
});

describe("thirty duplicates to delete, in auto mode", () => {
  const duplicates = Array.from({ length: 30 }, (_, i) => `copy-${String(i + 1).padStart(2, "0")}.md`);
  const script: ScriptInput = {
    turns: [
      { usage, calls: [{ name: "Bash", input: { command: "rm copy-*.md" } }] },
      { usage, text: "They are gone." },
    ],
  };

  it("P3, P4, P5: one question with the whole list, the count and that it can be undone; undone they are all back", async () => {
    const at = place("duplicates");
    for (const name of ["note.md", ...duplicates]) writeFileSync(join(at.folder, name), "# Note\n");
    const who = asker({ kind: "yes" });
    let undone = "";
    const { id, result } = await played(
      at,
      { model: scriptedModel(script), mode: "auto", asker: who },
      async function* (session) {
        const end = yield* session.submit("Delete the duplicates.");
        expect(readdirSync(at.folder)).toEqual(["note.md"]);
        undone = (await session.undo()).text;
        return end;
      },
    );
    const [question, ...more] = who.asked;
    if (question === undefined || more.length > 0) throw new Error(`${who.asked.length} questions`);
    const text = questionText(question).replaceAll(at.folder, "FOLDER");
    expect(text.split("\n").filter((line) => !/^(---|@@|[-+ ]|not shown)/.test(line))).toMatchInlineSnapshot(`
      [
        "permission needed: Bash has run in a copy; nothing of it is in your folder yet",
        "in: FOLDER",
        "why: deletes 30 files: copy-01.md, copy-02.md, copy-03.md, copy-04.md, copy-05.md and 25 more; changes 30 files in one step",
        "risk: high",
        "output:",
        "changes 30 files:",
        "can be undone",
      ]
    `);
    expect(duplicates.filter((name) => !text.includes(`delete ${name} +0 -1  (delete)`))).toEqual([]);
    expect(await tableOf(at, id)).toMatchInlineSnapshot(`
      "turn   context   cached  written     out     cost  the model

      > Delete the duplicates.
         1     2,000        0        0      50        0  1 call
          Bash {"command":"rm copy-*.md"}
            changes: asked, yes (high): deletes 30 files: copy-01.md, copy-02.md,
              copy-03.md, copy-04.md, copy-05.md and 25 more; changes 30 files in one
              step
            ok, landed 30 files, 427 characters
         2     2,000        0        0      50        0  text
          "They are gone."
      = done after 2 turns
        - undone: 30 files (by person)

         2     4,000        0        0     100        0  in all
      1 call, asked 1 (1 yes, 0 no), landed 30 files in 1 step; ended: done"
    `);
    expect([result.reason, undone]).toMatchInlineSnapshot(`
      [
        "done",
        "Undone: copy-01.md, copy-02.md, copy-03.md, copy-04.md, copy-05.md, copy-06.md, copy-07.md, copy-08.md, copy-09.md, copy-10.md and 20 more (30 files).",
      ]
    `);
    expect(readdirSync(at.folder).length).toBe(31);
  });

  it("P4: a no with a reason deletes none of them, and the model goes on", async () => {
    const at = place("duplicates");
    for (const name of duplicates) writeFileSync(join(at.folder, name), "# Note\n");
    const who = asker({ kind: "no", note: "show me first" });
    const { result } = await played(at, { model: scriptedModel(script), mode: "auto", asker: who });
    expect([result.reason, duplicates.every((name) => existsSync(join(at.folder, name)))]).toEqual(["done", true]);
  });
});
