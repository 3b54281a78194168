import { describe, expect, it } from "vitest";
import { canonicalBody } from "../../../src/events/canonical.ts";
import { text } from "../../../src/events/block.ts";

describe("canonicalBody", () => {
  it("api-half-emoji: no fact holds half a surrogate pair, in texts, deep values and keys", () => {
    const body = canonicalBody({
      type: "call.finished",
      callId: "a",
      status: "ok",
      content: [text("\u{1F600}\u{1F600}".slice(1))],
      details: { ["k\ud83d"]: ["\ude00x", { deep: "\u{1F600}" }] },
      touched: [],
      durationMs: 1,
    });
    expect(body).toMatchObject({ content: [text("\u{1F600}")], details: { k: ["x", { deep: "\u{1F600}" }] } });
    expect(JSON.stringify(body)).not.toContain("\ufffd");
  });
});
