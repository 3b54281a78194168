import { expect, it } from "vitest";
import { text } from "../../../../src/events/block.ts";
import { personWords } from "../../../../src/loop/by-person.ts";
import { deniedText } from "../../../../src/loop/say.ts";
import { cardOf } from "../../../../src/ui/render/transcript.ts";
import type { SessionState } from "../../../../src/events/state.ts";

it("UX-T-1: what the row above a denied call says is not said again below it", () => {
  const result = { status: "denied", content: deniedText("plan mode", undefined), durationMs: 0, touched: [] };
  const call = { tool: "Write", input: { file_path: "a" }, result };
  const state = { calls: new Map([["c", call]]), steps: [], folder: "/p" } as unknown as SessionState;
  expect(cardOf(state, "c")).toMatchObject({ status: "denied", text: "" });
});

it("UX-T-1: what the person changed and said themselves is told to the model, and not to them again", () => {
  const input = { command: "echo two" };
  const content = [text("two"), ...personWords({ edited: true, said: ["go on"], input })];
  const call = { tool: "Bash", input, result: { status: "ok", content, durationMs: 0, touched: [] } };
  const state = { calls: new Map([["c", call]]), steps: [], folder: "/p" } as unknown as SessionState;
  expect(content).toHaveLength(3);
  expect(cardOf(state, "c")).toMatchObject({ text: "two" });
});
