import { describe, expect, it } from "vitest";
import { text } from "../../../../src/events/block.ts";
import type { LogEventOf } from "../../../../src/events/event.ts";
import { entryLines } from "../../../../src/ui/render/entry.ts";
import { factLines } from "../../../../src/ui/render/transcript.ts";
import { cardLines } from "../../../../src/ui/render/tool.ts";
import { reduceView } from "../../../../src/ui/store/view-state.ts";
import { NO_VIEW } from "../../../../src/ui/store/view.ts";
import type { Line } from "../../../../src/ui/render/spans.ts";

const words = (lines: readonly Line[] | undefined): string =>
  (lines ?? []).map((row) => row.map((span) => span.text).join("")).join("\n");
const envelope = { v: 1, seq: 2, at: "", mac: "" } as const;

describe("the screen says when a key was replaced", () => {
  it("U1: once for a call, with the number", () => {
    const card = {
      tool: "Read",
      input: { file_path: ".env" },
      status: "ok",
      text: "a\nb",
      durationMs: 5,
      folder: "/p",
    } as const;
    expect(words(cardLines({ ...card, keys: 2 }, 80))).toBe("● Read .env · 2 lines · 2 keys hidden · 0.0 s");
    expect(words(cardLines(card, 80))).not.toContain("hidden");
  });

  it("U1: below words of the person's that held one, and beside a command of theirs", () => {
    const prompt: LogEventOf<"prompt.submitted"> = {
      ...envelope,
      type: "prompt.submitted",
      when: "start",
      content: [text("x")],
      keys: 1,
    };
    expect(words(factLines(prompt, 80))).toBe("── 1 key in it hidden from the model");
    expect(reduceView(NO_VIEW, prompt, 0).entries.map((entry) => entry.kind)).toEqual(["person", "fact"]);
    const plain: LogEventOf<"prompt.submitted"> = {
      ...envelope,
      type: "prompt.submitted",
      when: "steer",
      content: [text("x")],
    };
    expect(reduceView(NO_VIEW, plain, 0).entries.map((entry) => entry.kind)).toEqual(["person"]);
    const ran = {
      ...envelope,
      type: "shell.ran",
      operationId: "o",
      command: "env",
      outside: false,
      exit: 0,
      output: "a",
      keys: 3,
    } as const;
    const facts = { state: () => ({ folder: "/p" }), diffs: () => undefined } as unknown as Parameters<
      typeof entryLines
    >[1];
    expect(words(entryLines({ kind: "shell", event: ran }, facts, 80))).toContain("! env · 3 keys hidden");
  });
});
