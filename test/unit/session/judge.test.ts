import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import type { LogEventOf, SessionEvent } from "../../../src/events/event.ts";
import { asJudge } from "../../../src/session/judge.ts";
import { EVALUATOR } from "../../../src/session/agents-book.ts";
import { talkingModel, type Said } from "../../support/agents.ts";
import { collect, openAt, place } from "../../support/session.ts";

const write = (file_path: string, content: string): Said => ({
  calls: [{ name: "Write", input: { file_path, content } }],
});
const verdicts = (events: readonly SessionEvent[]) =>
  events
    .filter((e): e is LogEventOf<"verdict.given"> => e.type === "verdict.given")
    .map(({ about, ok, round }) => [about, ok, round]);

/** The working agent says these in turn, the judging one those. */
function two(works: readonly Said[], judges: readonly Said[]) {
  const left = { works: [...works], judges: [...judges] };
  return talkingModel(({ agent }) => (agent === "" ? left.works : left.judges).shift());
}

describe("a second agent judges", { timeout: 60_000 }, () => {
  it("C9: a contract is agreed first, nothing lands before; the work is judged by it, and a no goes back", async () => {
    const at = place("judge");
    const model = two(
      [
        write("a.txt", "too early"),
        { text: "I'll write a.txt." },
        { text: "I'll write a.txt with the word good; checked by grep." },
        write("a.txt", "bad"),
        { text: "Done." },
        write("a.txt", "good"),
        { text: "Done now." },
      ],
      [
        { text: "How is it checked?\nVERDICT: no" },
        { text: "VERDICT: yes" },
        write("a.txt", "by the judge"),
        { calls: [{ name: "Bash", input: { command: "cat a.txt; echo judged > b.txt" } }] },
        { text: "a.txt:1 says bad.\nVERDICT: no" },
        { text: "It is good.\nVERDICT: yes" },
      ],
    );
    const session = await openAt(at, { model, more: { mode: "auto", judge: "evaluator" } });
    const { events, result } = await collect(session.submit("write something good into a.txt"));
    await session.close();
    expect(result).toMatchObject({ reason: "done", text: "Done now." });
    expect(verdicts(events)).toEqual([
      ["contract", false, 1],
      ["contract", true, 2],
      ["work", false, 1],
      ["work", true, 2],
    ]);
    const [early] = events.filter((e) => e.type === "call.finished");
    expect(JSON.stringify(early)).toContain("no contract is agreed for this message yet");
    expect(session.state().judge?.contract).toBe("I'll write a.txt with the word good; checked by grep.");
    expect(readFileSync(join(at.folder, "a.txt"), "utf8")).toBe("good");
    expect(existsSync(join(at.folder, "b.txt"))).toBe(false);
    // Each judgement has a context of its own: what was asked, the contract, what it is to be judged by.
    const asked = model.asked.filter((a) => a.agent === "evaluator" && a.turn === 0).map((a) => a.task);
    expect(asked).toHaveLength(4);
    expect(asked[2]).toContain("write something good into a.txt");
    expect(asked[2]).toContain("with the word good; checked by grep.");
    expect(model.asked.find((a) => a.agent === "evaluator")?.request.tools.map((t) => t.name)).toEqual([
      "Bash",
      "Glob",
      "Grep",
      "Read",
    ]);
    expect(session.state().agents).toHaveLength(4);
    // The other agent is told in words what is wrong.
    expect(JSON.stringify(model.asked.at(-2)?.request.messages)).toContain("a.txt:1 says bad.");
  });

  it("C9: its rubric is the person's own; a no too many ends the message, and is told", async () => {
    const at = place("judge");
    mkdirSync(join(at.config, "agents"));
    writeFileSync(
      join(at.config, "agents/strict.md"),
      "---\nname: strict\ndescription: judges\ntools: Read, Write\nmode: auto\n---\nNothing pleases you.\n",
    );
    const model = talkingModel(({ agent, turn }) =>
      agent === "" ? { text: `contract ${turn}` } : { text: "Not enough.\nVERDICT: no" },
    );
    const session = await openAt(at, { model, more: { mode: "auto", judge: "strict" } });
    const { events, result } = await collect(session.submit("go"));
    await session.close();
    expect(verdicts(events).map(([, , round]) => round)).toEqual([1, 2, 3, 4]);
    expect(result).toMatchObject({
      reason: "checks-failed",
      detail: expect.stringContaining("Not begun: no contract") as string,
    });
    const judge = model.asked.find((a) => a.agent === "strict");
    expect(judge?.request.system.map((s) => s.text).join()).toContain("Nothing pleases you.");
    expect(judge?.request.tools.map((t) => t.name)).toEqual(["Read"]);
    expect(asJudge({ ...EVALUATOR, mode: "auto", isolation: "layer" })).toEqual(EVALUATOR);
  });

  it("C9: an unknown name is told before anything begins", async () => {
    await expect(openAt(place("judge"), { more: { judge: "nobody" } })).rejects.toThrow(
      '--judge "nobody": there is no such agent',
    );
  });
});
