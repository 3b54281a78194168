import fc from "fast-check";
import { readFileSync, rmSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { MAX_LINE } from "../../src/events/line.ts";
import { toMessages } from "../../src/events/messages.ts";
import { fold, initialState, reduce } from "../../src/events/reduce.ts";
import { settle } from "../../src/events/settle.ts";
import { uniqueCallIds } from "../../src/events/ids.ts";
import { apiBreaches } from "../support/api-rules.ts";
import { anyBody, anyHistory, anyInput } from "../support/event-arbitrary.ts";
import { events, load, logFile, OPENED, place, reply, stateOf, toolUse, written } from "../support/event-log.ts";
import { scratch } from "../support/scratch.ts";

const start = initialState("ses_a");

/** Freezes a state all the way down, maps and sets by making their writers throw. */
function frozen<T>(value: T): T {
  if (typeof value !== "object" || value === null || Object.isFrozen(value)) return value;
  if (value instanceof Map || value instanceof Set) {
    const refuse = (): never => {
      throw new Error("a state was changed in place");
    };
    Object.assign(value, { set: refuse, add: refuse, delete: refuse, clear: refuse });
    for (const v of value.values()) frozen(v);
    return value;
  }
  for (const v of Object.values(value)) frozen(v);
  return Object.freeze(value);
}

describe("fold", () => {
  it("E1: a fold of a and then b is the fold of both, and nothing is changed in place", () => {
    fc.assert(
      fc.property(anyHistory, fc.nat(30), (bodies, cut) => {
        const all = events([OPENED, ...bodies]);
        const half = frozen(fold(start, all.slice(0, cut)));
        expect(fold(half, all.slice(cut))).toEqual(fold(start, all));
      }),
      { numRuns: 150 },
    );
  });
  it("E1: reducing one by one is folding", () => {
    fc.assert(
      fc.property(anyHistory, (bodies) => {
        const all = events([OPENED, ...bodies]);
        let state = start;
        for (const event of all) state = frozen(reduce(state, event));
        expect(state).toEqual(fold(start, all));
      }),
      { numRuns: 100 },
    );
  });
  it("L4: a call has at most one result, and it never changes", () => {
    fc.assert(
      fc.property(anyHistory, anyBody, (bodies, more) => {
        const before = stateOf(...bodies);
        const after = fold(before, events([more], before.seq + 1));
        const wrong = [...before.calls.values()].filter(
          (c) => c.result && after.calls.get(c.callId)?.result !== c.result,
        );
        expect(wrong).toEqual([]);
      }),
      { numRuns: 150 },
    );
  });
});

describe("messages", () => {
  it("L4: any history makes a conversation that the API takes", () => {
    fc.assert(
      fc.property(anyHistory, (bodies) => {
        const state = stateOf(...bodies, { type: "note.added", text: "go on" });
        expect(apiBreaches(toMessages(state), { wrapped: true })).toEqual([]);
        expect(apiBreaches(toMessages(stateOf(...bodies)), { wrapped: true, request: false })).toEqual([]);
      }),
      { numRuns: 500 },
    );
  });
  it("L4: every call that is sent has exactly one result, its own", () => {
    fc.assert(
      fc.property(anyHistory, (bodies) => {
        const blocks = toMessages(stateOf(...bodies)).flatMap((m) => m.content);
        const calls = blocks.flatMap((b) => (b.type === "tool_use" ? [b.id] : []));
        const results = blocks.flatMap((b) => (b.type === "tool_result" ? [b.tool_use_id] : []));
        expect(results).toEqual(calls);
        expect(new Set(calls).size).toBe(calls.length);
      }),
      { numRuns: 200 },
    );
  });
  it("C1: a request extends the one before", () => {
    const talk = fc.array(
      anyBody.filter(
        (b) => !b.type.startsWith("context.") && !b.type.startsWith("session.") && b.type !== "call.finished",
      ),
      { maxLength: 15 },
    );
    fc.assert(
      fc.property(talk, talk, (a, b) => {
        const bodies = [...a, { type: "note.added" as const, text: "one" }];
        const flat = (s: ReturnType<typeof stateOf>) =>
          toMessages(s).flatMap((m) => m.content.map((block) => JSON.stringify([m.role, block])));
        const before = flat(stateOf(...bodies));
        const after = flat(stateOf(...bodies, ...b));
        expect(after.slice(0, before.length)).toEqual(before);
      }),
      { numRuns: 200 },
    );
  });
});

describe("ids", () => {
  it("L4: call ids are unique over the session, and good ones stay", () => {
    const ids = fc.array(fc.constantFrom("", "a", "b", "call_2_0", "call_2_1", "call_2_0_2", "x y", "old"), {
      maxLength: 8,
    });
    const state = stateOf(reply([toolUse("old"), toolUse("call_3_0")]));
    fc.assert(
      fc.property(ids, anyInput, (list, input) => {
        const blocks = uniqueCallIds(
          list.map((id) => toolUse(id, "Read", input)),
          state,
        );
        const out = blocks.map((b) => (b.type === "tool_use" ? b.id : ""));
        expect(new Set(out).size).toBe(list.length);
        expect(out.some((id) => state.calls.has(id) || !/^[\w-]+$/.test(id))).toBe(false);
        list.forEach((id, i) => {
          if (/^[\w-]+$/.test(id) && id !== "old" && list.indexOf(id) === i) expect(out[i]).toBe(id);
        });
        expect(uniqueCallIds(blocks, state)).toEqual(blocks);
      }),
    );
  });
});

describe("settle", () => {
  it("E3: every call without a result is settled once, and a foreign log leaves none", () => {
    fc.assert(
      fc.property(anyHistory, fc.boolean(), (bodies, contained) => {
        const facts = { landed: new Set(["o1"]), contained: () => contained };
        const state = stateOf(...bodies);
        const open = [...state.calls.values()].filter((c) => c.result === undefined).map((c) => c.callId);
        expect(settle(state, facts).map((s) => s.callId)).toEqual(open);
        expect(settle(stateOf(...bodies, { type: "session.foreign", reason: "r" }), facts)).toEqual([]);
      }),
      { numRuns: 200 },
    );
  });
});

describe("log", () => {
  it("E1: whatever is appended comes back from the file, one line a record, none over 64 KB", async () => {
    const dir = scratch("log");
    await fc.assert(
      fc.asyncProperty(anyHistory, async (bodies) => {
        const at = place(dir);
        rmSync(at.sessionsDir, { recursive: true, force: true });
        const live = await written(at, bodies);
        const loaded = await load(at);
        expect(loaded.events).toEqual(live);
        // Histories at random break the pairing, which is told.
        const told = loaded.repaired.map((note) => `${logFile(at)}: ${note}.`);
        const others = loaded.notices.filter((n) => !told.includes(n) && !/changed from outside before/.test(n));
        expect(others).toEqual([]);
        expect(loaded.state).toEqual(fold(start, live));
        const text = readFileSync(logFile(at), "utf8");
        const parts = text.split(/[\n\r\u2028\u2029\u0085\v\f]/);
        expect(parts.length).toBe(live.length + 1);
        expect(Math.max(...parts.map((l) => Buffer.byteLength(l) + 1))).toBeLessThanOrEqual(MAX_LINE);
      }),
      { numRuns: 40 },
    );
  });
});
