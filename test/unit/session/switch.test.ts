import { describe, expect, it } from "vitest";
import { text } from "../../../src/events/block.ts";
import { openModel } from "../../../src/model/open.ts";
import type { OpenOptions } from "../../../src/session/options.ts";
import { systemClock } from "../../../src/util/system.ts";
import { startApi, type Answer } from "../../support/api-server.ts";
import { collect, openAt, place } from "../../support/session.ts";

const NEVER = new AbortController().signal;

/** A session over a server that thinks before each answer. */
async function thinking() {
  const api = await startApi((_, n): Answer => ({
    turn: { thinking: `thought ${n}`, text: `answer ${n}`, usage: { input: 50_000 } },
  }));
  const at = place("switch");
  const open = (more: Partial<OpenOptions> = {}) =>
    openAt(at, {
      more: {
        defaults: { mode: "ask", model: "claude-sonnet-5-5" },
        openModel: (id) => openModel(id, { clock: systemClock, access: { baseUrl: api.url }, random: () => 0 }),
        ...more,
      },
    });
  const ask = async (session: Awaited<ReturnType<typeof open>>) => {
    const { result } = await collect(session.submit([text("go on")], NEVER));
    expect(result.reason).toBe("done");
    return api.requests.at(-1)?.body ?? {};
  };
  return { api, open, ask };
}
const thoughtsIn = (body: Record<string, unknown>) =>
  [...JSON.stringify(body["messages"]).matchAll(/thought \d/g)].map(String);

describe("M2: another model in the session", () => {
  it("gets no thoughts of the one before, which finds its own again; all of it is in the log and survives resume", async () => {
    const { api, open, ask } = await thinking();
    let session = await open();
    await ask(session);
    expect(thoughtsIn(await ask(session))).toEqual(["thought 1"]);
    const words = await session.setModel("anthropic:claude-opus-5-5");
    expect(words).toMatch(
      /^claude-opus-5-5 answers from now on\. The next request sends about 50,020 tokens that are not in its cache, about \$0\.25\. Only claude-sonnet-5-5 can read its own thoughts/,
    );
    const body = await ask(session);
    expect(body["model"]).toBe("claude-opus-5-5");
    expect(thoughtsIn(body)).toEqual([]);
    expect(JSON.stringify(body["messages"])).toContain("answer 2");
    await session.close();
    session = await open({ resume: session.id });
    expect(session.state().model).toBe("claude-opus-5-5");
    expect(thoughtsIn(await ask(session))).toEqual(["thought 3"]);
    await session.setModel("claude-sonnet-5-5");
    expect(thoughtsIn(await ask(session))).toEqual(["thought 1", "thought 2"]);
    expect(api.breaches).toEqual([]);
    expect(session.cost().models.map(({ model, replies }) => [model, replies])).toEqual([
      ["claude-sonnet-5-5", 3],
      ["claude-opus-5-5", 2],
    ]);
    await session.close();
  });
  it("is refused where its window is smaller than what was said, and told of where nobody knows its limits", async () => {
    const { open, ask } = await thinking();
    const session = await open();
    await ask(session);
    const small = { "tiny-model": { contextWindow: 8000 } };
    const models = (id: string) =>
      openModel(id, { clock: systemClock, access: { baseUrl: "http://localhost:1" }, random: () => 0, models: small });
    const other = await open({ openModel: models, resume: session.id }).catch((error: unknown) => String(error));
    expect(other).toMatch(/session/);
    await session.close();
    const again = await open({ openModel: models, resume: session.id });
    await expect(again.setModel("tiny-model")).rejects.toThrow(
      /tiny-model holds 8,000 tokens, and this conversation has about 50,020/,
    );
    expect(again.state().model).toBe("claude-sonnet-5-5");
    expect(await again.setModel("some-local-model")).toContain("a window of 128,000 tokens is taken for it");
    await again.close();
  });
});

describe("M2: effort", () => {
  it("is asked for as it was chosen, in the session above settings, typed anew above both; it survives resume", async () => {
    const { api, open, ask } = await thinking();
    let session = await open();
    expect(await ask(session)).not.toHaveProperty("output_config");
    expect(await session.setEffort("low")).toBe(
      "Effort is low from now on. Nothing of the next request is in its cache.",
    );
    expect((await ask(session))["output_config"]).toEqual({ effort: "low" });
    await session.close();
    session = await open({ resume: session.id });
    expect(session.effort()).toBe("low");
    expect((await ask(session))["output_config"]).toEqual({ effort: "low" });
    await session.setEffort(undefined);
    expect(await ask(session)).not.toHaveProperty("output_config");
    await session.setEffort("medium");
    await session.close();
    session = await open({ resume: session.id, effort: "high" });
    expect((await ask(session))["output_config"]).toEqual({ effort: "high" });
    // A model that knows no effort thinks within a budget instead.
    await session.setModel("claude-haiku-4-5");
    expect((await ask(session))["thinking"]).toEqual({ type: "enabled", budget_tokens: 32_000 });
    expect(api.breaches).toEqual([]);
    await session.close();
  });
});
