import { describe, expect, it } from "vitest";
import type { SessionEvent } from "../../../src/events/event.ts";
import { answering, type AnsweredResult, readAnswerSchema } from "../../../src/session/answer-schema.ts";
import { openAt, place } from "../../support/session.ts";

const SCHEMA = JSON.stringify({
  type: "object",
  properties: { n: { type: "integer", minimum: 1 } },
  required: ["n"],
  additionalProperties: false,
});

async function answered(...turns: object[]): Promise<{ result: AnsweredResult; prompts: string[] }> {
  const session = await openAt(place("schema"), { script: { turns } });
  const { signal } = new AbortController();
  const schema = await readAnswerSchema(SCHEMA, "s.json");
  const run = answering(session.submit("go", signal), session, schema, signal);
  const prompts: string[] = [];
  try {
    for (;;) {
      const step: IteratorResult<SessionEvent, AnsweredResult> = await run.next();
      if (step.done === true) return { result: step.value, prompts };
      if (step.value.type === "prompt.submitted") prompts.push(JSON.stringify(step.value.content));
    }
  } finally {
    await session.close();
  }
}

describe("U2: an answer that has to fit a JSON Schema", () => {
  it("is the value, as it is or in one fence", async () => {
    expect((await answered({ text: '{"n":2}' })).result.answer).toEqual({ value: { n: 2 } });
    expect((await answered({ text: '```json\n{"n":3}\n```' })).result.answer).toEqual({ value: { n: 3 } });
  });

  it("that does not fit goes back with what is wrong, and the sums are of all tries", async () => {
    const { result, prompts } = await answered({ text: "here: 2" }, { text: '{"n":0,"m":1}' }, { text: '{"n":1}' });
    expect([result.answer, result.turns]).toEqual([{ value: { n: 1 } }, 3]);
    expect(prompts).toHaveLength(3);
    expect(prompts[1]).toContain("no JSON");
    expect(prompts[2]).toMatch(/must be >= 1.*additional properties|additional properties.*must be >= 1/);
  });

  it("is tried four times, then told as unfit", async () => {
    const { result, prompts } = await answered(...Array.from({ length: 9 }, () => ({ text: "no" })));
    expect(prompts).toHaveLength(4);
    expect(result.answer).toBeUndefined();
    expect(result.unfit).toMatchObject({ tries: 4, problem: expect.stringContaining("no JSON") as string });
  });

  it("is not asked for where the message did not come to its end", async () => {
    const { result, prompts } = await answered({ fail: { message: "gone" } });
    expect([result.reason, result.answer, result.unfit, prompts.length]).toEqual([
      "api-error",
      undefined,
      undefined,
      1,
    ]);
  });

  it.each([
    ["{", /s\.json: no JSON/],
    ["[]", /an object in \{ \}/],
    ['{"type":"foo"}', /no JSON Schema.*foo/],
    ['{"$ref":"http://127.0.0.1:9/x"}', /no JSON Schema.*reference/],
  ])("%s is no schema", async (text, why) => {
    await expect(readAnswerSchema(text, "s.json")).rejects.toThrow(why);
  });
});
