import { describe, expect, it } from "vitest";
import { text } from "../../../src/events/block.ts";
import type { LogBody } from "../../../src/events/event.ts";
import { query } from "../../../src/loop/query.ts";
import type { FailureKind, Model, ModelEvent, ModelRequest } from "../../../src/model/model.ts";
import { finished, NO_USAGE, prompt, reply, toolUse } from "../../support/event-log.ts";
import { opened, talkDeps } from "../../support/talk.ts";

/** A model that refuses each request of which this says why. */
function picky(refuses: (request: string) => string | undefined, kind: FailureKind): Model & { asked: string[] } {
  const asked: string[] = [];
  async function* stream(request: ModelRequest): AsyncGenerator<ModelEvent> {
    await Promise.resolve();
    const sent = JSON.stringify(request.messages);
    asked.push(sent);
    const message = refuses(sent);
    if (message !== undefined)
      return yield { type: "failed", kind, message, retryable: false, partial: [], usage: NO_USAGE };
    const end = { usage: NO_USAGE, stopReason: "end_turn", model: "m", attempts: 1 };
    yield { type: "reply", blocks: [text("fine")], ...end };
  }
  return { id: "m", contextWindow: 200_000, maxOutput: 1000, stream, asked };
}

async function run(model: Model, before: readonly LogBody[]): Promise<string[]> {
  const log = await opened();
  for (const body of before) await log.append(body);
  const from = log.events.length;
  for await (const _ of query([text("and?")], talkDeps(log, model), new AbortController().signal)) continue;
  return log.events.slice(from).map((e) => ("detail" in e ? `${e.type}: ${e.detail ?? ""}` : e.type));
}

describe("mending", () => {
  it("C3, L5: a conversation that is too long loses its oldest results in one go, and is answered", async () => {
    const talk = [0, 1, 2, 3, 4].flatMap((i) => [reply([toolUse(`c${i}`)]), finished(`c${i}`, "x".repeat(9000))]);
    const model = picky(
      (r) => (r.length > 40_000 ? "prompt is too long: 250000 tokens > 200000 maximum" : undefined),
      "too-long",
    );
    expect(await run(model, [prompt("go"), ...talk])).toEqual([
      "prompt.submitted",
      "turn.started",
      "context.cleared",
      "context.mended",
      "reply.completed",
      "query.finished",
    ]);
    expect(model.asked).toHaveLength(2);
  });
  it("L4: a service that refuses whatever is sent is asked five times at most, then says so once", async () => {
    let n = 0;
    const model = picky(() => `messages.${n++ % 2 === 0 ? 0 : 2}.content.0: no`, "bad-request");
    const facts = await run(model, [prompt("one"), reply([text("a")]), prompt("two"), reply([text("b")])]);
    expect(model.asked.length).toBeLessThanOrEqual(5);
    expect(facts.at(-1)).toMatch(/^query\.finished: messages.*\/rewind.*\/clear/);
  });
  it("L4: what is wrong with the request and not with the conversation changes nothing of it", async () => {
    const model = picky(() => "max_tokens: 100000 > 64000", "bad-request");
    const facts = await run(model, [prompt("one"), reply([text("a")])]);
    expect(facts.slice(0, -1)).toEqual(["prompt.submitted", "turn.started"]);
    expect(model.asked).toHaveLength(1);
  });
});
