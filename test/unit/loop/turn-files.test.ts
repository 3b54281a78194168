import { readdirSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { text } from "../../../src/events/block.ts";
import type { Rule } from "../../../src/events/effect.ts";
import { answers, collect, openAt, place } from "../../support/session.ts";

const go = [text("go")];
const signal = new AbortController().signal;
const write = (name: string) => ({ name: "Write", input: { file_path: name, content: `${name}\n` } });
const files = (from: number, to: number) => Array.from({ length: to - from + 1 }, (_, i) => write(`f${from + i}.txt`));

/** Runs turns of calls in auto mode; what was asked, by the place of its call, and what lies in the folder. */
async function run(
  turns: readonly (readonly { name: string; input: Record<string, string> }[])[],
  asker = answers(...Array.from({ length: 9 }, () => "yes" as const)),
  rules: readonly Rule[] = [],
) {
  const at = place();
  const script = { turns: [...turns.map((calls) => ({ calls: [...calls] })), { text: "ok" }] };
  const session = await openAt(at, { asker, rules, script, more: { defaults: { mode: "auto", model: "scripted" } } });
  const { events } = await collect(session.submit(go, signal));
  await session.close();
  const started = events.flatMap((e) => (e.type === "call.started" ? [e.callId] : []));
  return {
    at: asker.asked.map((q) => started.indexOf(q.callId) + 1),
    why: asker.asked.map((q) => q.decision.reason),
    offers: asker.asked.map((q) => q.offer),
    folder: readdirSync(at.folder).filter((name) => name !== ".git"),
  };
}

describe("P4: files that one tool changes in one turn are counted together", () => {
  it("asks at the 11th with the sum and the names; a yes covers all so far, and the count starts anew", async () => {
    const { at, why, offers, folder } = await run([files(1, 23)]);
    expect(at).toEqual([11, 22]);
    expect(why[0]).toBe(
      "changes 11 files in one turn with Write: f11.txt now, before that f1.txt, f2.txt, f3.txt, f4.txt, f5.txt and 5 more",
    );
    expect(why[1]).toContain("changes 11 files in one turn with Write: f22.txt now, before that f12.txt");
    expect(offers).toEqual([undefined, undefined]);
    expect(folder).toHaveLength(23);
  });
  it("a no leaves the count where it is: the next file is asked about again", async () => {
    const no = { kind: "no", note: "not this one" } as const;
    const { at, folder } = await run([files(1, 12)], answers(no, no));
    expect(at).toEqual([11, 12]);
    expect(folder).toHaveLength(10);
  });
  it("another turn, another tool and the same file again don't add", async () => {
    expect((await run([files(1, 10), files(11, 20)])).at).toEqual([]);
    const again = Array.from({ length: 12 }, () => write("f1.txt"));
    expect((await run([again])).at).toEqual([]);
    const bash = { name: "Bash", input: { command: "echo x > g.txt" } };
    expect((await run([[...files(1, 10), bash]])).at).toEqual([]);
  });
  it("a step of several files adds all of them, and no allow lifts the sum", async () => {
    const six = (letter: string) => ({
      name: "Bash",
      input: { command: `for i in 1 2 3 4 5 6; do echo > ${letter}$i; done` },
    });
    const rules: Rule[] = [
      { action: "allow", text: "Bash", source: "cli" },
      { action: "allow", text: "Edit", source: "cli" },
    ];
    const { at, why } = await run([[six("a"), six("b"), six("c")]], undefined, rules);
    expect(at).toEqual([2]);
    expect(why[0]).toContain(
      "changes 12 files in one turn with Bash: b1, b2, b3, b4, b5 and 1 more now, before that a1",
    );
  });
});
