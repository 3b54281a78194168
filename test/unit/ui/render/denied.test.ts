import { expect, it } from "vitest";
import { deniedText } from "../../../../src/loop/say.ts";
import { cardOf } from "../../../../src/ui/render/transcript.ts";
import type { SessionState } from "../../../../src/events/state.ts";

it("UX-T-1: what the row above a denied call says is not said again below it", () => {
  const result = { status: "denied", content: deniedText("plan mode", undefined), durationMs: 0, touched: [] };
  const call = { tool: "Write", input: { file_path: "a" }, result };
  const state = { calls: new Map([["c", call]]), steps: [], folder: "/p" } as unknown as SessionState;
  expect(cardOf(state, "c")).toMatchObject({ status: "denied", text: "" });
});
