import { describe, expect, it } from "vitest";
import type { LogBody } from "../../../src/events/event.ts";
import { ledgerOf, leftOf, withSet } from "../../../src/loop/ledger.ts";
import { limitText, nearWords, timeText } from "../../../src/loop/limit-words.ts";
import { events, OPENED, prompt, reply, toolUse } from "../../support/event-log.ts";
import { fold, initialState } from "../../../src/events/reduce.ts";
import type { SessionState } from "../../../src/events/state.ts";

/** Events at these seconds. */
function at(list: readonly (readonly [number, LogBody])[]): SessionState {
  const facts = events([OPENED, ...list.map(([, body]) => body)]).map((event, n) => ({
    ...event,
    at: new Date(1_000_000 + (list[n - 1]?.[0] ?? 0) * 1000).toISOString(),
  }));
  return fold(initialState("ses_a"), facts);
}
const now = (s: number) => 1_000_000 + s * 1000;
const started = (turn: number): LogBody => ({ type: "turn.started", turn, model: "m" });
const ended: LogBody = { type: "query.finished", reason: "done", turns: 1, durationMs: 1 };
const spent = (model: string, input: number): LogBody => ({
  ...(reply([]) as Extract<LogBody, { type: "reply.completed" }>),
  model,
  usage: { input, output: 10, cacheRead: 5, cacheWrite: 1 },
});
const cent = (_model: string, u: { input: number }) => u.input / 100;

describe("the ledger", () => {
  it("S3: counts turns, tokens, money and time of the message and of the session", () => {
    const state = at([
      [0, prompt("a")],
      [1, started(1)],
      [3, spent("m", 100)],
      [3, ended],
      [60, prompt("b")],
      [61, started(1)],
      [62, spent("n", 50)],
      [62, started(2)],
    ]);
    expect(ledgerOf(state, now(70), cent)).toEqual({
      message: { turns: 2, tokens: 66, usd: 0.5, timeMs: 10_000 },
      session: { turns: 3, tokens: 182, usd: 1.5, timeMs: 13_000 },
    });
  });

  it("S3: an unknown price is no price", () => {
    const state = at([
      [0, prompt("a")],
      [1, spent("m", 100)],
    ]);
    expect(ledgerOf(state, now(1), () => undefined).message.usd).toBeUndefined();
  });

  it("S3, S6: what a person takes to answer is no work, nor is the time without a process, nor a clock that went back", () => {
    const question = { questionId: "q", callId: "t1", gate: "needs" as const };
    const decided: LogBody = {
      type: "permission.decided",
      ...question,
      outcome: "allow",
      by: "person",
      reason: "",
      risk: "low",
    };
    const resumed: LogBody = { type: "session.resumed", program: "1", folder: "/p", roots: [] };
    const state = at([
      [0, prompt("a")],
      [1, started(1)],
      [2, reply([toolUse("t1")])],
      [500, decided],
      [501, { type: "limit.warned", limit: "x", text: "" }],
      [90_000, resumed],
      [95_000, { type: "note.added", text: "" }],
      [95_500, started(2)],
      [95_503, { type: "note.added", text: "" }],
      [95_400, { type: "note.added", text: "" }],
    ]);
    // 0–2, 500–501, 95 500–95 503.
    expect(state.query?.workedMs).toBe(6000);
    expect(ledgerOf(state, now(95_402), cent).message.timeMs).toBe(8000);
    expect(ledgerOf({ ...state, idle: true }, now(99_999), cent).message.timeMs).toBe(6000);
  });

  it("S3: what is left of message and session together is what may be handed on, never less than nothing", () => {
    const used = { turns: 4, tokens: 900, usd: 2, timeMs: 1000 };
    const ledger = { message: used, session: { ...used, tokens: 5000, usd: undefined } };
    const budgets = { message: { turns: 10, tokens: 1000 }, session: { tokens: 4000, usd: 3, timeMs: 5000 } };
    expect(leftOf(budgets, ledger)).toEqual({ turns: 6, tokens: 0, usd: 3, timeMs: 4000 });
    expect(leftOf({ message: {}, session: {} }, ledger)).toEqual({});
  });

  it("S3: the person's own limit takes the place of another, or takes it off", () => {
    expect(withSet({ turns: 5, tokens: 7 }, { turns: null, usd: 2 })).toEqual({ tokens: 7, usd: 2 });
  });
});

describe("words about limits", () => {
  it("S8: a stop names limit, flag, what was used and how to go on", () => {
    expect(limitText("message", "turns", 2, 2)).toBe(
      "Stopped at the limit of 2 turns for one message (--max-turns, /limits turns). The work is not done; a new message goes on.",
    );
    expect(limitText("session", "usd", 5, 5.004)).toBe(
      "Stopped at the limit of 5.00 USD for the session (--max-cost, /limits session usd): 5.00 USD used. The work is not done; a higher limit and a new message go on.",
    );
    expect(limitText("session", "timeMs", 90_000, 91_000)).toContain(
      "limit of 90 s for the session (limits.session.minutes, /limits session time): 91 s used",
    );
    expect(limitText("message", "usd", 0.0004, 0.0005)).toContain("0.00040 USD");
  });
  it("S3: a near limit says how much is used", () => {
    expect(nearWords("session", "tokens", 1000, 850)).toBe(
      "85 % of the tokens for the session is used: 850 of 1000 tokens.",
    );
  });
  it("times are said in a unit that fits", () => {
    expect([1000, 119_000, 600_000, 5_400_000, 9_000_000].map(timeText)).toEqual([
      "1 s",
      "119 s",
      "10 min",
      "90 min",
      "2.5 h",
    ]);
  });
});

describe("a fork", () => {
  it("S3, E2: has a session budget of its own; what its parent used and was warned of is the parent's", () => {
    const state = fold(
      initialState("ses_b"),
      events([
        { ...OPENED, sessionId: "ses_b", forkedFrom: { sessionId: "ses_a", seq: 5, mac: "" } },
        prompt("a"),
        started(1),
        spent("m", 100),
        { type: "limit.warned", limit: "session.tokens", text: "" },
        prompt("b"),
        started(1),
        started(2),
        spent("m", 7),
      ]),
    );
    expect(state).toMatchObject({ turns: 2, warned: [] });
    expect(ledgerOf(state, Date.parse(state.lastAt), cent).session).toMatchObject({ turns: 2, tokens: 23 });
    expect(state.workedMs).toBeLessThan(state.query?.workedMs === undefined ? 0 : 5000);
  });
});
