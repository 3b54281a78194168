import { describe, expect, it } from "vitest";
import { text } from "../../../src/events/block.ts";
import type { SessionEvent } from "../../../src/events/event.ts";
import { toMessages } from "../../../src/events/messages.ts";
import { scriptedModel } from "../../../src/model/scripted.ts";
import { exitCode } from "../../../src/session/exit-code.ts";
import type { QueryResult, Session } from "../../../src/session/session.ts";
import { jumpyClock } from "../../support/jumpy-clock.ts";
import { answers, collect, openAt, place, type ScriptInput, type SessionInput } from "../../support/session.ts";

const glob = (n: number) => ({ calls: [{ name: "Glob", input: { pattern: `${n}*` } }] });
/** Replies of 100 tokens each. */
const hundred = (n: number): ScriptInput["turns"] =>
  Array.from({ length: n }, (_, i) => ({ ...glob(i), usage: { input: 90, output: 10 } }));
const PRICES = { priced: { input: 10_000, output: 10_000, cacheRead: 0, cacheWrite: 0 } };
const HOUR = 3_600_000;
const never = () => new AbortController().signal;

function say(session: Session, words = "go"): Promise<{ events: SessionEvent[]; result: QueryResult }> {
  return collect(session.submit([text(words)], never()));
}

async function once(script: ScriptInput, more: SessionInput) {
  const session = await openAt(place("budget"), { script, ...more });
  const ran = await say(session);
  await session.close();
  return { ...ran, state: session.state() };
}

const warnings = (events: readonly SessionEvent[]) =>
  events.flatMap((e) => (e.type === "limit.warned" ? [e.limit] : []));

describe("budgets", () => {
  it("S3, S8: tokens of one message: a word at 80 %, to person and model once, a stop at 100 %, exit code 4", async () => {
    const { events, result, state } = await once({ turns: hundred(9) }, { limits: { tokens: 500 } });
    expect(result).toMatchObject({ reason: "token-limit", turns: 5 });
    expect(result.detail).toContain(
      "limit of 500 tokens for one message (--max-tokens-total, /limits tokens): 500 tokens used",
    );
    expect(exitCode(result.reason)).toBe(4);
    expect(warnings(events)).toEqual(["message.tokens"]);
    const told = JSON.stringify(toMessages(state));
    expect(told.split("80 % of the tokens for one message is used")).toHaveLength(2);
  });

  it("S2, S3: turns: the word comes with the last fifth", async () => {
    const { events, result } = await once({ turns: hundred(9) }, { limits: { turns: 5 } });
    expect(result).toMatchObject({ reason: "turn-limit", turns: 5 });
    const at = events.findIndex((e) => e.type === "limit.warned");
    expect(events.slice(0, at).filter((e) => e.type === "turn.started")).toHaveLength(4);
  });

  it("S3: money of one message: the reply that goes over ends at its end, its calls too, and no further one is asked for", async () => {
    const model = scriptedModel({ turns: hundred(9) }, { id: "priced" });
    const { events, result } = await once({ turns: [] }, { model, prices: PRICES, limits: { usd: 1.5 } });
    expect(result).toMatchObject({ reason: "cost-limit", turns: 2 });
    expect(result.detail).toContain("1.50 USD for one message (limits.usd, /limits usd): 2.00 USD used");
    expect(events.filter((e) => e.type === "call.finished" && e.status === "ok")).toHaveLength(2);
  });

  it("S3: a limit in money is no limit where nobody knows the price: it stops before the first request", async () => {
    const model = scriptedModel({ turns: hundred(9) }, { id: "unpriced" });
    const { result } = await once({ turns: [] }, { model, limits: { session: { usd: 1 } } });
    expect(result).toMatchObject({ reason: "cost-limit", turns: 0 });
    expect(result.detail).toContain("no price of unpriced is known");
  });

  it("S3: a session's limit counts over messages, after a resume too, until the person moves it", async () => {
    const at = place("budget");
    const script = { turns: [...hundred(3), { text: "a", usage: { input: 90, output: 10 } }, ...hundred(9)] };
    const limits = { session: { tokens: 600 } };
    const first = await openAt(at, { script, limits });
    const one = await say(first);
    expect(one.result.reason).toBe("done");
    await first.close();
    const second = await openAt(at, { script, limits, more: { resume: first.id } });
    const two = await say(second);
    expect(two.result).toMatchObject({ reason: "token-limit", turns: 2 });
    expect(two.result.detail).toContain("/limits session tokens)");
    expect(warnings(two.events)).toEqual(["session.tokens"]);
    const three = await say(second, "more");
    expect(three.result).toMatchObject({ reason: "token-limit", turns: 0 });
    // Told once in the session.
    expect(warnings(three.events)).toEqual([]);
    await second.setLimit("session", "tokens", 1000);
    const four = await say(second, "now");
    expect(four.result).toMatchObject({ reason: "token-limit", turns: 4 });
    expect(warnings(four.events)).toEqual(["session.tokens"]);
    await second.close();
    const third = await openAt(at, { script, limits, more: { resume: first.id } });
    expect(third.limits().budgets.session).toEqual({ tokens: 1000 });
    await third.setLimit("session", "tokens", undefined);
    expect(third.limits().budgets.session).toEqual({});
    await third.close();
  });

  it("S3, S7: at the time limit a running command is cut off, every call has a result that says why, and the next message works", async () => {
    const turns = [
      {
        calls: [
          { name: "Bash", input: { command: "echo begun; sleep 1000" } },
          { name: "Glob", input: { pattern: "*" } },
        ],
      },
      { text: "here" },
    ];
    const { clock, jump } = jumpyClock();
    const session = await openAt(place("budget"), { script: { turns }, limits: { timeMs: HOUR }, more: { clock } });
    const events: SessionEvent[] = [];
    const query = session.submit([text("go")], never());
    let result: QueryResult | undefined;
    while (result === undefined) {
      const step = await query.next();
      if (step.done === true) result = step.value;
      else {
        events.push(step.value);
        if (step.value.type === "tool.output") jump(HOUR);
      }
    }
    expect(result.reason).toBe("time-limit");
    expect(result.detail).toMatch(/limit of 60 min for one message \(--max-time, \/limits time\): 60 min used/);
    const results = events.filter((e) => e.type === "call.finished");
    expect(results.map((e) => e.status)).toEqual(["interrupted", "interrupted"]);
    expect(JSON.stringify(results)).toContain("the time limit was reached");
    expect(JSON.stringify(results)).not.toContain("the person stopped");
    expect((await say(session, "hi")).result).toMatchObject({ reason: "done", text: "here" });
    await session.close();
  });

  it("S3: at the time limit a running reply is cut off, and what came of it is kept", async () => {
    const { clock, jump } = jumpyClock();
    const script = { turns: [{ text: "word ".repeat(4000), deltaMs: 500 }] };
    const session = await openAt(place("budget"), { script, limits: { timeMs: HOUR }, more: { clock } });
    const query = session.submit([text("go")], never());
    let result: QueryResult | undefined;
    while (result === undefined) {
      const step = await query.next();
      if (step.done === true) result = step.value;
      else if (step.value.type === "text.delta") jump(HOUR);
    }
    await session.close();
    const state = session.state();
    expect(result.reason).toBe("time-limit");
    expect(state.query?.ended).toBe("time-limit");
    expect(state.items.at(-1)).toMatchObject({ kind: "reply" });
  });

  it("S3: while the person is asked the time stands still", async () => {
    const write = { calls: [{ name: "Write", input: { file_path: "a.txt", content: "x" } }] };
    const yes = answers("yes");
    const { clock, jump } = jumpyClock();
    const asker = {
      ...yes,
      async ask(...asked: Parameters<typeof yes.ask>) {
        jump(24 * HOUR);
        // So long that the watch has looked.
        await new Promise((resolve) => setTimeout(resolve, 1500));
        return yes.ask(...asked);
      },
    };
    const turns = [write, { text: "written" }];
    const { result, state } = await once({ turns }, { asker, limits: { timeMs: HOUR }, more: { clock } });
    expect(result.reason).toBe("done");
    expect(state.query?.workedMs).toBeLessThan(HOUR);
  });
});
