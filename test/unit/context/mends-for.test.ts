import { describe, expect, it } from "vitest";
import { mendsFor } from "../../../src/context/mends-for.ts";
import { text } from "../../../src/events/block.ts";
import type { LogBody, LogBodyOf } from "../../../src/events/event.ts";
import { toMessages } from "../../../src/events/messages.ts";
import { events, finished, prompt, reply, stateOf, toolUse } from "../../support/event-log.ts";
import { apiBreaches } from "../../support/api-rules.ts";
import { fold } from "../../../src/events/reduce.ts";
import { documentBlock, imageBlock, png } from "../../support/media.ts";

type Content = LogBodyOf<"prompt.submitted">["content"];
const say = (...content: Content): LogBody => ({ type: "prompt.submitted", when: "start", content });
const result = (id: string, ...content: Content): LogBody => ({
  ...(finished(id) as LogBodyOf<"call.finished">),
  content,
});
const thought = { type: "thinking" as const, thinking: "T", signature: "S" };

/** What is sent once the refusal was mended, as one text; the conversation stays one that the API takes. */
function after(bodies: readonly LogBody[], words: string): string {
  const before = stateOf(...bodies);
  const mends = mendsFor(before, words);
  if (mends.length === 0) return "no mend";
  const state = fold(before, events(mends, before.seq + 1));
  expect(apiBreaches(toMessages(state), { wrapped: true, request: false })).toEqual([]);
  return JSON.stringify(toMessages(state));
}
const why = (bodies: readonly LogBody[], words: string): string[] =>
  mendsFor(stateOf(...bodies), words).map((b) => ("why" in b ? b.why : b.type));

describe("mendsFor", () => {
  const talk = [
    say(text("look"), imageBlock()),
    reply([thought, text("I look."), toolUse("t1", "Read"), toolUse("t2", "Grep")]),
    result("t1", text(" "), text("here:"), imageBlock(png(5, 5))),
    finished("t2", "found"),
  ];
  const big = png(5, 5).toString("base64");

  it("L4: a picture in a result, in a prompt, a text, a call: each by its place, and nothing else", () => {
    const inResult =
      "messages.2.content.0.tool_result.content.1.image.source.base64: image exceeds 5 MB maximum: 9 bytes";
    const sent = after(talk, inResult);
    expect(sent).not.toContain(big);
    expect(sent).toContain("here:");
    expect(sent).toContain(
      "(A picture was here and is not sent: the service refused it, image exceeds 5 MB maximum: 9 bytes.)",
    );
    expect(why(talk, inResult)).toEqual([
      "The service refused the request for a picture (image exceeds 5 MB maximum: 9 bytes). It is left out from here on; asking again.",
    ]);
    expect(after(talk, "messages.0.content.1.image.source.base64: no")).toContain("(A picture was here");
    expect(after(talk, "messages.1.content.1.text: no")).toContain("(A text was here");
    const call = after(talk, "messages.1.content.3.tool_use.input: no");
    expect(call).toContain("(A call of Grep was here");
    expect(call).not.toContain("t2");
    expect(after(talk, "messages.2.content.1: no")).not.toContain("found");
  });
  it("L4: ids without a place, and a message without any, are found as well", () => {
    const missing = "messages.1: `tool_use` ids were found without `tool_result` blocks immediately after: t2.";
    expect(after(talk, missing)).not.toContain('"t2"');
    expect(after(talk, missing)).toContain('"t1"');
    const whole = after(talk, "messages.1: all of it is wrong");
    expect(whole).not.toMatch(/"t1"|"t2"|I look/);
  });
  it("L6: refused thinking is left out, all of it so far, and what comes later stays", () => {
    const words = "messages.1.content.0: Invalid `signature` in `thinking` block";
    expect(after(talk, words)).not.toContain('"thinking"');
    const mend = mendsFor(stateOf(...talk), words);
    const later = stateOf(...talk, ...mend, prompt("and?"), reply([thought, text("so")]));
    expect(JSON.stringify(toMessages(later))).toContain('"signature":"S"');
    expect(after([say(text("x"))], words)).toBe("no mend");
  });
  it("L4: a picture that the service doesn't name is one of the newest", () => {
    expect(after(talk, "Could not process image")).not.toContain(big);
    expect(after(talk, "Could not process image")).toContain('"image"');
    const old = [...talk, reply([text("ok")]), prompt("next")];
    expect(after(old, "Could not process image")).not.toContain('"image"');
    const both = [say(documentBlock(), imageBlock())];
    expect(after(both, "Could not process PDF")).toMatch(/A document was here.*"image"/);
    expect(after([say(text("x"))], "Could not process image")).toBe("no mend");
  });
  it("L4: a block of an unknown kind goes with the others of its reply, as they belong together", () => {
    const other = (type: string) => ({ type: "other" as const, raw: { type } });
    const odd = [prompt("go"), reply([other("x_use"), other("x_result"), text("words")]), prompt("next")];
    const sent = after(odd, "messages.1.content.0: Input tag 'x_use' found using 'type' does not match");
    expect(sent).not.toContain("x_result");
    expect(sent).toContain("words");
  });
  it("L4: the same place again is the whole of the item, and a third time nothing", () => {
    const first = mendsFor(stateOf(...talk), "messages.0.content.1: no");
    const second = [...talk, ...first];
    expect(after(second, "messages.0.content.1: no")).not.toContain('"look"');
    const third = [...second, ...mendsFor(stateOf(...second), "messages.0.content.1: no")];
    expect(after(third, "messages.0.content.0: no")).toBe("no mend");
    expect(after(talk, "messages.9.content.9: no")).toBe("no mend");
    expect(after(talk, "messages.0.content.9: no")).toBe("no mend");
  });
  it("C3: too long: the oldest results are cleared in one go, at least a fifth, what was just asked for last", () => {
    const turns = Array.from({ length: 10 }, (_, i) => [
      reply([toolUse(`c${i}`)]),
      finished(`c${i}`, "x".repeat(10_000)),
    ]);
    const long = [prompt("go"), ...turns.flat()];
    const mends = mendsFor(stateOf(...long), "prompt is too long: 300000 tokens > 200000 maximum");
    const callIds = ["c0", "c1", "c2", "c3", "c4", "c5"];
    expect(mends[0]).toMatchObject({ type: "context.cleared", callIds, before: 300_000 });
    expect(why(long, "prompt is too long: 300000 tokens > 200000 maximum").at(-1)).toMatch(/results of 6 older calls/);
    expect(mendsFor(stateOf(...long), "Request exceeds the maximum size")[0]).toMatchObject({
      callIds: ["c0", "c1", "c2"],
    });
    const fresh = [prompt("go"), reply([toolUse("c")]), finished("c", "x".repeat(90_000))];
    expect(mendsFor(stateOf(...fresh), "prompt is too long")[0]).toMatchObject({ callIds: ["c"] });
    expect(mendsFor(stateOf(prompt("x".repeat(90_000))), "prompt is too long")).toEqual([]);
    expect(mendsFor(stateOf(...fresh), "prompt is too long: 900000 tokens > 1 maximum")).toEqual([]);
  });
  it("M1: what is not about the conversation changes nothing of it", () => {
    for (const words of ["Your credit balance is too low.", "max_tokens: 9 > 8", "model: unknown"])
      expect(mendsFor(stateOf(...talk), words)).toEqual([]);
  });
});
