import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import type { Answer, Question } from "../../../src/permissions/asker.ts";
import { collect, openAt, place } from "../../support/session.ts";

/** Three reads outside in one turn, whose questions are open together; `say` answers the one at that place. */
async function three(say: (n: number, open: readonly Question[]) => Answer | Promise<Answer>) {
  const at = place();
  const outside = join(at.home, "notes");
  mkdirSync(outside);
  for (const name of ["a", "b", "c"]) writeFileSync(join(outside, name), `words of ${name}\n`);
  const calls = ["a", "b", "c"].map((name) => ({ name: "Read", input: { file_path: join(outside, name) } }));
  const asked: Question[] = [];
  const interrupted: number[] = [];
  const ask = async (question: Question, signal: AbortSignal): Promise<Answer> => {
    const n = asked.push(question) - 1;
    const gone = new Promise<Answer>((resolve) =>
      signal.addEventListener("abort", () => {
        if (n > 0) interrupted.push(n);
        resolve({ kind: "no" });
      }),
    );
    // All three are open before the first is answered.
    while (asked.length < 3) await new Promise((resolve) => setTimeout(resolve, 5));
    return Promise.race([say(n, asked), gone]);
  };
  const script = { turns: [{ calls }, { text: "I see." }] };
  const session = await openAt(at, { script, asker: { ask, askPerson: () => Promise.resolve(undefined) } });
  const { events, result } = await collect(session.submit("go"));
  await session.close();
  const results = events.flatMap((e) => (e.type === "call.finished" ? [e.status] : []));
  const by = events.flatMap((e) => (e.type === "permission.decided" && e.outcome === "deny" ? [e.by] : []));
  return { results, result, interrupted, by, text: JSON.stringify(events.filter((e) => e.type === "call.finished")) };
}

describe("several questions of a turn", () => {
  it("UX-P-7: each has an answer of its own; a no with a note goes on", async () => {
    const { results, result, text } = await three((n) => (n === 1 ? { kind: "no", note: "not b" } : { kind: "yes" }));
    expect(results.toSorted()).toEqual(["denied", "ok", "ok"]);
    expect(text).toContain("words of a");
    expect(text).not.toContain("words of b");
    expect(result.reason).toBe("done");
  });
  it("UX-P-7: a bare no ends the query, and interrupts the turn's other calls with their open questions", async () => {
    const { results, result, interrupted, by } = await three((n) =>
      n === 0 ? { kind: "no" } : new Promise(() => undefined),
    );
    expect(results.toSorted()).toEqual(["denied", "interrupted", "interrupted"]);
    expect(interrupted.toSorted((a, b) => a - b)).toEqual([1, 2]);
    expect(result.reason).toBe("denied");
    // Nobody said no to the other two.
    expect(by).toEqual(["person", "policy", "policy"]);
  });
});
