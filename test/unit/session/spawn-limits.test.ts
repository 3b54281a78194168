import { describe, expect, it } from "vitest";
import { talkingModel, taskCall } from "../../support/agents.ts";
import { collect, openAt, place } from "../../support/session.ts";

/** Each agent starts another one in every reply, for ever. */
const runaway = () =>
  talkingModel(({ agent, turn, results }) => {
    if (agent === "" && turn > 0) return { text: results.join("\n") };
    return { calls: [taskCall("general", `again ${turn}`)] };
  });

describe("a runaway that starts agents which start agents", () => {
  it("S3: is held by depth", async () => {
    const session = await openAt(place(), { model: runaway() });
    const { result } = await collect(session.submit("go"));
    await session.close();
    expect(Math.max(...session.state().agents.map((a) => a.agentId.split("-a").length - 1))).toBe(1);
    expect(result.text).toContain("did not come to its end");
    expect(session.state().query?.agentTurns).toBeLessThan(40);
  }, 60_000);

  it.each([
    ["tokens", { tokens: 4000 }, "token-limit"],
    ["money", { usd: 0.04 }, "cost-limit"],
    ["turns", { turns: 5 }, "turn-limit"],
  ] as const)(
    "S3: is held by %s: what its agents use counts to the message",
    async (_name, limits, reason) => {
      const prices = { talking: { input: 10, output: 10, cacheRead: 1, cacheWrite: 10 } };
      const model = talkingModel(({ turn }) => ({
        calls: [taskCall("general", `again ${turn}`), taskCall("general", "too")],
      }));
      const more = { defaults: { mode: "ask" as const, model: "talking" } };
      const session = await openAt(place(), { model, limits: { ...limits, agentDepth: 3 }, prices, more });
      const { result } = await collect(session.submit("go"));
      const { used } = session.limits();
      await session.close();
      expect(result.reason).toBe(reason);
      expect(result.detail).toContain("Stopped at the limit of");
      // No more beyond it than the replies that were under way.
      expect(used.message.tokens).toBeLessThan(8000);
    },
    60_000,
  );

  it("S7: a stop of the person's ends the whole tree, each call with its result", async () => {
    const model = talkingModel(({ agent, turn, task }) => {
      if (task === "leaf") return { text: "never", afterMs: 60_000 };
      return turn === 0 ? { calls: [taskCall("general", agent === "" ? "branch" : "leaf")] } : { text: "over" };
    });
    const session = await openAt(place(), { model });
    const stop = new AbortController();
    const run = session.submit("go", stop.signal);
    const seen: string[] = [];
    for (;;) {
      const step = await run.next();
      if (step.done === true) break;
      seen.push(step.value.type);
      if (session.agents.roster().length === 2) stop.abort();
    }
    await session.close();
    expect(session.state().query?.ended).toBe("interrupted");
    expect([...session.state().calls.values()].every((call) => call.result !== undefined)).toBe(true);
    expect(session.state().agents).toMatchObject([{ ended: "interrupted" }]);
  }, 30_000);

  it("C5: one is stopped alone, and who started it goes on", async () => {
    const model = talkingModel(({ agent, turn, task, results }) => {
      if (agent === "")
        return turn === 0
          ? { calls: ["slow", "quick"].map((t) => taskCall("explore", t)) }
          : { text: results.join("\n") };
      return task === "slow" ? { text: "never", afterMs: 60_000 } : { text: "quick is done" };
    });
    const session = await openAt(place(), { model });
    const run = session.submit("go");
    let stopped = false;
    for (;;) {
      const step = await run.next();
      if (step.done === true) {
        expect(step.value.text).toContain("was stopped (the person stopped this agent)");
        expect(step.value.text).toContain("quick is done");
        break;
      }
      const slow = session.agents
        .roster()
        .find((a) => a.description === "slow" && a.turns > 0 && a.ended === undefined);
      if (slow !== undefined && !stopped) stopped = session.agents.stop(slow.id).ok;
    }
    await session.close();
    expect(session.state().query?.ended).toBe("done");
  }, 30_000);
});
