import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { CallState } from "../../../src/events/state.ts";
import { goingRound } from "../../../src/loop/rounds.ts";

interface Made {
  /** Tool with its input, such as "Bash npm test". */
  call: string;
  result?: string;
  /** What the session's state is behind it. */
  mark?: string;
  exit?: number;
  status?: "ok" | "error" | "denied";
  running?: boolean;
}
/** Each inner list is one reply. */
type Talk = readonly (readonly Made[])[];

function callsOf(talk: Talk): CallState[] {
  return talk.flatMap((reply, at) =>
    reply.map(({ call, result = "r", mark = "m", exit, status = "ok", running }, n): CallState => {
      const [tool = "", ...input] = call.split(" ");
      const details = { ...(exit === undefined ? {} : { exit }), ...(running === undefined ? {} : { running }) };
      return {
        callId: `${at}-${n}`,
        tool,
        input: { input: input.join(" ") },
        replySeq: at,
        turn: at,
        attempt: 1,
        mark,
        result: { status, content: [{ type: "text", text: result }], details, touched: [], durationMs: 1 },
      };
    }),
  );
}

const times = (n: number, ...replies: Talk): Talk => Array.from({ length: n }, () => replies).flat();
const test = (mark: string, result = "1 failed"): Made => ({ call: "Bash npm test", result, mark, exit: 1 });
const read = (file: string, mark = "m"): Made => ({ call: `Read ${file}`, result: file, mark });
const edit = (file: string, mark: string): Made => ({ call: `Edit ${file} ${mark}`, mark });
const poll = (result: string): Made => ({ call: "BashOutput bg_1", result, running: true });

const ROUNDS: Record<string, Talk> = {
  "the same call, the same result, three times": times(3, [read("a")]),
  "two calls in turn, three times": times(3, [read("a")], [read("b")]),
  "three calls in turn, three times": times(3, [read("a")], [read("b")], [read("c")]),
  "a failing call, with other harmless reads between": [
    [test("m")],
    [read("a")],
    [test("m")],
    [read("b")],
    [test("m")],
  ],
  "a failing call beside others in its replies": [
    [test("m"), read("a")],
    [test("m"), read("b")],
    [test("m"), read("c")],
  ],
  "a denied call, asked for again behind other words": [
    [{ call: "Bash curl x", status: "denied" }],
    [read("a")],
    [{ call: "Bash curl x", status: "denied" }],
    [read("b")],
    [{ call: "Bash curl x", status: "denied" }],
  ],
  "a failing tool whose input is the same": times(3, [{ call: "Edit a", status: "error" }]),
  "there and back: two edits that undo each other, with a test behind each": times(
    3,
    [edit("a", "m1")],
    [test("m1")],
    [edit("a", "m2")],
  ),
  "the same calls of one reply in another order": [
    [read("a"), read("b")],
    [read("b"), read("a")],
    [read("a"), read("b")],
  ],
  "a background shell that never says anything": times(12, [poll("(no new output)")]),
};

const NO_ROUNDS: Record<string, Talk> = {
  "twice is no round": times(2, [read("a")]),
  "npm test after an edit each time, with the same failure": ["1", "2", "3", "4"].flatMap((n) => [
    [edit("a", n)],
    [test(n)],
  ]),
  "git status after edits, though it says the same": ["1", "2", "3", "4"].flatMap((n) => [
    [edit("a", n)],
    [{ call: "Bash git status", result: "M a", mark: n }],
  ]),
  "the same call with another result each time": ["1", "2", "3", "4"].map((n) => [read("a"), { ...poll(n) }]),
  "polling a build that gets on": ["10 %", "40 %", "70 %", "100 %"].map((n) => [{ call: "Bash tail log", result: n }]),
  "waiting for a background shell": times(11, [poll("(no new output)")]),
  "the same calls three times in one reply: none of their results was seen": [[read("a"), read("a"), read("a")]],
  "reading one file again beside new ones": [
    [read("a"), read("b")],
    [read("a"), read("c")],
    [read("a"), read("d")],
  ],
  "a test that passes, run again between looks": [
    [{ ...test("m", "ok"), exit: 0 }],
    [read("a")],
    [{ ...test("m", "ok"), exit: 0 }],
    [read("b")],
    [{ ...test("m", "ok"), exit: 0 }],
  ],
  "a server was started between: the same request fails, then may not": [
    [{ call: "Bash curl x", exit: 7, mark: "1" }],
    [{ call: "Bash curl x", exit: 7, mark: "2" }],
    [{ call: "Bash curl x", exit: 7, mark: "3" }],
  ],
  "the shell stands elsewhere each time": ["a", "b", "c"].map((mark) => [{ call: "Bash ls", result: "x", mark }]),
  "a failing call that was left behind": [[test("m")], [test("m")], [read("a")], [test("m", "2 failed")], [read("b")]],
  "many different reads": "abcdefghijkl".split("").map((file) => [read(file)]),
  "two in turn, one result new": [
    ...times(2, [read("a")], [read("b")]),
    [read("a")],
    [{ ...read("b"), result: "new" }],
  ],
};

describe("going round", () => {
  it.each(Object.keys(ROUNDS))("S5: a round: %s", (name) => {
    expect(goingRound(callsOf(ROUNDS[name] ?? []))).toBeDefined();
  });
  it.each(Object.keys(NO_ROUNDS))("S5: no round: %s", (name) => {
    expect(goingRound(callsOf(NO_ROUNDS[name] ?? []))).toBeUndefined();
  });

  it("S5: a round has the same name wherever in it one looks, and another round another", () => {
    const at = (talk: Talk) => goingRound(callsOf(talk))?.key;
    const cycle = [[read("a")], [read("b")], [read("c")]];
    const keys = [0, 1, 2].map((more) => at([...times(3, ...cycle), ...cycle.slice(0, more)]));
    expect(new Set(keys).size).toBe(1);
    expect(at(times(3, [read("a")]))).not.toBe(at(times(3, [read("b")])));
  });

  it("S5: whatever is called, new results and new states are never a round; what is repeated often enough is", () => {
    const calls = fc.array(fc.constantFrom("Read a", "Read b", "Bash t", "Grep x"), { minLength: 1, maxLength: 3 });
    fc.assert(
      fc.property(fc.array(calls, { minLength: 1, maxLength: 12 }), (talk) => {
        let n = 0;
        const fresh = talk.map((reply) => reply.map((call) => ({ call, result: String(n++), exit: 1 })));
        expect(goingRound(callsOf(fresh))).toBeUndefined();
        const moving = talk.map((reply, at) => reply.map((call) => ({ call, mark: String(at), exit: 1 })));
        expect(goingRound(callsOf(moving))).toBeUndefined();
      }),
    );
    fc.assert(
      fc.property(
        fc.array(calls, { minLength: 1, maxLength: 3 }),
        fc.array(calls, { maxLength: 5 }),
        (cycle, before) => {
          const replies = cycle.map((reply) => reply.map((call) => ({ call })));
          const prefix = before.map((reply, at) => reply.map((call) => ({ call, mark: `before ${at}` })));
          expect(goingRound(callsOf([...prefix, ...times(3, ...replies)]))).toBeDefined();
        },
      ),
    );
  });
});
