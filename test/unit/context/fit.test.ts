import { describe, expect, it } from "vitest";
import { overfull } from "../../../src/context/fit.ts";
import { text, type ContentBlock } from "../../../src/events/block.ts";
import type { LogBody } from "../../../src/events/event.ts";
import { fold } from "../../../src/events/reduce.ts";
import { placedMessages, toMessages } from "../../../src/events/messages.ts";
import type { SessionState } from "../../../src/events/state.ts";
import { apiBreaches } from "../../support/api-rules.ts";
import { events, prompt, reply, stateOf } from "../../support/event-log.ts";
import { documentBlock, imageBlock, pdf, png } from "../../support/media.ts";

const say = (...content: ContentBlock[]): LogBody => ({ type: "prompt.submitted", when: "start", content });
const pictures = (n: number, side = 3) => Array.from({ length: n }, (_, i) => imageBlock(png(side, 1 + i)));

/** The state once what is too much is noted, and what was said of it. */
function fitted(state: SessionState): { state: SessionState; why: string; media: string[] } {
  const full = overfull(placedMessages(state));
  const then = full === undefined ? state : fold(state, events([full], state.seq + 1));
  expect(apiBreaches(toMessages(then))).toEqual([]);
  expect(Buffer.byteLength(JSON.stringify(toMessages(then)))).toBeLessThan(32_000_000);
  // Once noted, all fits: it is not noted again.
  expect(overfull(placedMessages(then))).toBeUndefined();
  const media = toMessages(then).flatMap((m) =>
    m.content.flatMap((b) => (b.type === "image" || b.type === "document" ? [b.type] : [])),
  );
  return { state: then, why: full?.why ?? "", media };
}

describe("overfull", () => {
  it("T5: what fits is left alone", () => {
    for (const content of [[text("x")], pictures(100), pictures(20, 3000), [documentBlock(pdf(99)), ...pictures(1)]])
      expect(overfull(placedMessages(stateOf(say(...content))))).toBeUndefined();
  });
  it("T5: what the API refuses alone is noted as a fact, in the words that stand there already", () => {
    const state = stateOf(say(imageBlock(png(9000, 1)), text("?")));
    const { why, state: then } = fitted(state);
    expect(toMessages(then)).toEqual(toMessages(state));
    expect(why).toBe(
      "The model is not sent a picture (it has 9000 x 1 pixels, and 8000 a side can be sent); a note stands there instead.",
    );
  });
  it("C1: of more than 100 pictures the newest ten stay, so that it is long before the next time", () => {
    const { media, why } = fitted(stateOf(say(...pictures(95)), reply([text("ok")]), say(...pictures(6))));
    expect(media).toHaveLength(10);
    expect(why).toMatch(/91 older pictures and documents/);
  });
  it("T5: with many pictures the large ones go, and if the newest are large, the older ones", () => {
    const old = fitted(stateOf(say(...pictures(3, 2500), ...pictures(20))));
    expect(old.media).toHaveLength(20);
    const fresh = fitted(stateOf(say(...pictures(20), ...pictures(3, 2500))));
    expect(fresh.media).toHaveLength(10);
  });
  it("T5: documents of more than 100 pages in all: the newest stay", () => {
    const { media } = fitted(stateOf(say(documentBlock(pdf(60)), documentBlock(pdf(60)), documentBlock(pdf(30)))));
    expect(media).toEqual(["document", "document"]);
  });
  it("C1: more than 30 MB: the oldest pictures go until it is far less, then the largest texts", () => {
    const large = Array.from({ length: 8 }, () => imageBlock(png(3, 3, 3_900_000)));
    const { media, why } = fitted(stateOf(say(...large.slice(0, 4)), reply([text("ok")]), say(...large.slice(4))));
    expect(media).toHaveLength(2);
    expect(why).toMatch(/6 older parts/);
    const words = fitted(
      stateOf(prompt("a".repeat(20_000_000)), reply([text("ok")]), prompt("\u{1F600}".repeat(9_000_000))),
    );
    expect(JSON.stringify(toMessages(words.state))).toMatch(/A text of 18,000,000 characters was here/);
  });
});
