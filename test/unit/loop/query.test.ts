import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { text } from "../../../src/events/block.ts";
import { answers, collect, openAt, place } from "../../support/session.ts";

const go = [text("go")];

describe("query", () => {
  it("L1, L2, S1: yields facts and live events in order and ends when the model asks for nothing more", async () => {
    const at = place();
    writeFileSync(join(at.folder, "a.txt"), "hello\n");
    const session = await openAt(at, {
      script: {
        turns: [
          { text: "Looking.", calls: [{ name: "Read", input: { file_path: "a.txt" } }] },
          { text: "It says hello." },
        ],
      },
    });
    const { events, result } = await collect(session.submit(go, new AbortController().signal));
    await session.close();
    expect(events.map((e) => e.type)).toEqual([
      "note.added",
      "prompt.submitted",
      "turn.started",
      "reply.started",
      "text.delta",
      "input.delta",
      "reply.completed",
      "call.started",
      "call.finished",
      "turn.started",
      "reply.started",
      "text.delta",
      "text.delta",
      "text.delta",
      "reply.completed",
      "query.finished",
    ]);
    expect(result).toMatchObject({ reason: "done", text: "It says hello.", turns: 2, denials: [] });
  });

  it("P1, P5: an edit in ask mode asks with its diff and lands on yes", async () => {
    const at = place();
    const file = join(at.folder, "a.txt");
    writeFileSync(file, "hello\n");
    const asker = answers("yes");
    const session = await openAt(at, {
      asker,
      script: {
        turns: [
          { calls: [{ name: "Read", input: { file_path: "a.txt" } }] },
          { calls: [{ name: "Edit", input: { file_path: "a.txt", old_string: "hello", new_string: "goodbye" } }] },
          { text: "Done." },
        ],
      },
    });
    const { result } = await collect(session.submit(go, new AbortController().signal));
    expect(readFileSync(file, "utf8")).toBe("goodbye\n");
    expect(asker.asked).toHaveLength(1);
    expect(asker.asked[0]?.diffs[0]?.hunks[0]?.lines).toEqual(["-hello", "+goodbye"]);
    expect(result.reason).toBe("done");
    const undone = await session.undo();
    expect([undone.ok, readFileSync(file, "utf8")]).toEqual([true, "hello\n"]);
    await session.close();
  });

  it("P9: a command without effects never asks; one that deletes asks, and a bare no ends the query", async () => {
    const at = place();
    const file = join(at.folder, "a.txt");
    writeFileSync(file, "hello\n");
    const asker = answers("no");
    const session = await openAt(at, {
      asker,
      script: {
        turns: [
          { calls: [{ name: "Bash", input: { command: "cat a.txt" } }] },
          { calls: [{ name: "Bash", input: { command: "rm a.txt" } }] },
          { text: "x" },
        ],
      },
    });
    const { result } = await collect(session.submit(go, new AbortController().signal));
    await session.close();
    expect(asker.asked.map((q) => q.effect.changes?.entries.map((e) => `${e.op} ${e.path}`))).toEqual([
      ["delete a.txt"],
    ]);
    expect([result.reason, readFileSync(file, "utf8")]).toEqual(["denied", "hello\n"]);
  });
});
