import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { text } from "../../../src/events/block.ts";
import type { SessionEvent } from "../../../src/events/event.ts";
import type { QueryResult } from "../../../src/session/session.ts";
import { openAt, place, type ScriptInput } from "../../support/session.ts";

type Turn = ScriptInput["turns"][number];
const bash = (...commands: string[]): Turn => ({
  calls: commands.map((command) => ({ name: "Bash", input: { command } })),
});
const read = (...files: string[]): Turn => ({
  calls: files.map((file_path) => ({ name: "Read", input: { file_path } })),
});
const edit = (from: string, to: string): Turn => ({
  calls: [{ name: "Edit", input: { file_path: "a.txt", old_string: from, new_string: to } }],
});
const times = (n: number, ...turns: Turn[]): Turn[] => Array.from({ length: n }, () => turns).flat();
const fails = "echo '1 failed'; exit 1";

async function run(
  turns: Turn[],
  steer?: { at: number; words: string },
): Promise<{ events: SessionEvent[]; result: QueryResult; warned: number }> {
  const at = place("round");
  for (const name of ["a", "b", "c"]) writeFileSync(join(at.folder, `${name}.txt`), `${name}\n`);
  const session = await openAt(at, { script: { turns: [...turns, { text: "Done." }] }, more: { mode: "auto" } });
  const events: SessionEvent[] = [];
  const query = session.submit([text("go")], new AbortController().signal);
  for (;;) {
    const step = await query.next();
    if (step.done === true) {
      await session.close();
      return { events, result: step.value, warned: events.filter((e) => e.type === "limit.warned").length };
    }
    events.push(step.value);
    if (step.value.type === "turn.started" && step.value.turn === steer?.at) session.steer(steer.words);
  }
}

describe("going round, in a real session", { timeout: 60_000 }, () => {
  it("S5: tests that fail the same way after an edit each time are no round", async () => {
    const turns = ["b", "c", "d", "e"].flatMap((to, n) => [
      edit(n === 0 ? "a" : (["b", "c", "d"][n - 1] ?? ""), to),
      bash(fails),
    ]);
    expect(await run([read("a.txt"), ...turns])).toMatchObject({ result: { reason: "done" }, warned: 0 });
  });

  it("S5: two edits that undo each other, with a failing test behind each, are a round", async () => {
    const there = times(5, edit("a\n", "b\n"), bash(fails), edit("b\n", "a\n"), bash(fails));
    const { result, warned } = await run([read("a.txt"), ...there]);
    expect(result.reason).toBe("going-round");
    expect(warned).toBeGreaterThan(0);
  });

  it("S5: a failing call between reads of other files is a round, by its state; where it stands then is another", async () => {
    const turns = [bash(fails), read("a.txt"), bash(fails), read("b.txt"), bash(fails), read("c.txt"), bash(fails)];
    const { result, warned } = await run(turns);
    expect([result.reason, result.turns, warned]).toEqual(["going-round", 7, 1]);
    expect(result.detail).toContain("Bash failed 4 times with the same input in the same way");
    const moved = [
      bash(fails),
      bash("mkdir x && cd x"),
      bash(fails),
      bash("cd ..; export A=1"),
      bash(fails),
      bash("cd x"),
    ];
    expect(await run(moved)).toMatchObject({ result: { reason: "done" }, warned: 0 });
  });

  it("S5: a cycle of three is warned of once, and stopped when it goes on", async () => {
    const { result, warned } = await run(times(4, read("a.txt"), read("b.txt"), read("c.txt")));
    expect([result.reason, result.turns, warned]).toEqual(["going-round", 10, 1]);
  });

  it("S5: who turns aside after the warning goes on; each round is warned of once, the fourth is a stop at once", async () => {
    const aside = (file: string) => [...times(3, read(file)), bash(`echo ${file}`)];
    expect(await run(aside("a.txt"))).toMatchObject({ result: { reason: "done" }, warned: 1 });
    const four = [...aside("a.txt"), ...aside("b.txt"), ...aside("c.txt"), ...times(3, bash("true"))];
    expect(await run(four)).toMatchObject({ result: { reason: "going-round", turns: 15 }, warned: 3 });
  });

  it("S5, L7: the same calls side by side in one reply are one, those of three replies a round", async () => {
    expect(await run([read("a.txt", "a.txt", "a.txt"), read("b.txt")])).toMatchObject({ warned: 0 });
    expect(await run(times(3, read("a.txt", "b.txt")))).toMatchObject({ result: { reason: "done" }, warned: 1 });
  });

  it("S5, S11: the person's words begin anew", async () => {
    const turns = times(4, read("a.txt"));
    expect(await run(turns, { at: 2, words: "once more" })).toMatchObject({ result: { reason: "done" }, warned: 0 });
  });

  it("S4: text between failures does not reset the count, a success of the tool does; other tools count apart", async () => {
    const missing = (n: number): Turn => ({ ...read(`missing-${n}.txt`), text: `Let me try ${n}.` });
    const between: Turn = { text: "Hm, thinking aloud.", stopReason: "pause_turn" };
    const three = await run([missing(1), between, missing(2), bash("true"), between, missing(3), read("a.txt")]);
    expect(three.result).toMatchObject({ reason: "tool-failing", turns: 6 });
    const reset = await run([missing(1), missing(2), read("a.txt"), missing(3), missing(4)]);
    expect(reset.result.reason).toBe("done");
  });
});
