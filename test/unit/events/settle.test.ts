import { describe, expect, it } from "vitest";
import type { LogBody, LogBodyOf } from "../../../src/events/event.ts";
import { nextStep, settle, type Settlement } from "../../../src/events/settle.ts";
import {
  finished,
  NO_CHANGES,
  prompt,
  proposedBody,
  reply,
  started,
  stateOf,
  toolUse,
} from "../../support/event-log.ts";

const effect = { tool: "Bash", subject: "s", needs: [], contained: true };
const asked: LogBody = {
  type: "permission.asked",
  questionId: "q",
  callId: "t1",
  effect,
  decision: { action: "ask", risk: "medium", reason: "r" },
};
function decided(gate: "needs" | "changes", outcome: "allow" | "deny"): LogBody {
  return { type: "permission.decided", callId: "t1", gate, outcome, by: "person", reason: "r", risk: "medium" };
}
const landed: LogBody = {
  type: "changes.landed",
  callId: "t1",
  operationId: "op_t1",
  summary: NO_CHANGES,
  by: "s",
  touched: [],
};
const dropped: LogBody = { type: "changes.dropped", callId: "t1", operationId: "op_t1", reason: "r" };
const conflicted: LogBody = { type: "changes.conflicted", callId: "t1", operationId: "op_t1", conflicts: [] };
const pended: LogBody = {
  type: "changes.pended",
  callId: "t1",
  operationId: "op_t1",
  summary: NO_CHANGES,
  touched: [],
};
const squashed: LogBody = {
  type: "changes.squashed",
  operationId: "op_sum",
  from: ["op_t1"],
  pended: true,
  kept: false,
  summary: NO_CHANGES,
};
const kept: LogBody = { type: "changes.kept", callId: "t1", operationId: "op_t1", files: 1, bytes: 1, paths: [] };
const undone: LogBody = { type: "changes.undone", operationId: "op_t1", by: "s", paths: [] };

const BASE = [prompt("do"), reply([toolUse("t1", "Bash")])];
const proposal = proposedBody("t1");
const op = { operationId: "op_t1" };
interface Row {
  name: string;
  log: LogBody[];
  /** What the journal has it as. */
  journal?: "landed" | "undone";
  contained?: boolean;
  want: Omit<Settlement, "callId" | "why"> & Record<string, unknown>;
}

/** Every state in which a program can end between a reply and a call's result (E3). */
const TABLE: Row[] = [
  { name: "nothing of it", log: [], want: { action: "not-begun" } },
  { name: "nothing of it, outside the copy", log: [], contained: false, want: { action: "not-begun" } },
  { name: "its needs asked", log: [asked], want: { action: "ask-again", gate: "needs" } },
  { name: "its needs allowed", log: [asked, decided("needs", "allow")], want: { action: "not-begun", needs: "allow" } },
  {
    name: "its needs denied",
    log: [asked, decided("needs", "deny")],
    want: { action: "finish-denied", gate: "needs" },
  },
  { name: "begun in the copy", log: [started("t1")], want: { action: "run-again", ...op, attempt: 2 } },
  {
    name: "begun in the copy a second time",
    log: [started("t1"), { ...(started("t1") as LogBodyOf<"call.started">), attempt: 2 }],
    want: { action: "run-again", ...op, attempt: 3 },
  },
  { name: "begun outside the copy", log: [started("t1")], contained: false, want: { action: "unknown", ...op } },
  {
    name: "begun, in the journal, its outcome lost",
    log: [started("t1")],
    journal: "landed",
    want: { action: "unknown", ...op },
  },
  { name: "proposed", log: [started("t1"), proposal], want: { action: "ask-again", gate: "changes", ...op } },
  {
    name: "proposed, from outside the copy",
    log: [started("t1"), proposal],
    contained: false,
    want: { action: "ask-again", gate: "changes", ...op },
  },
  {
    name: "proposed and asked",
    log: [started("t1"), proposal, asked],
    want: { action: "ask-again", gate: "changes", ...op },
  },
  {
    name: "decided yes",
    log: [started("t1"), proposal, asked, decided("changes", "allow")],
    want: { action: "roll-forward", ...op },
  },
  {
    name: "decided yes, landed and undone in the journal",
    log: [started("t1"), proposal, decided("changes", "allow")],
    journal: "undone",
    want: { action: "finish-from-proposed", ...op, landed: false, record: false },
  },
  {
    name: "begun, undone in the journal, its outcome lost",
    log: [started("t1")],
    journal: "undone",
    want: { action: "unknown", ...op },
  },
  {
    name: "decided yes, in the journal",
    log: [started("t1"), proposal, decided("changes", "allow")],
    journal: "landed",
    want: { action: "finish-from-proposed", ...op, landed: true, record: true },
  },
  {
    name: "landed",
    log: [started("t1"), proposal, decided("changes", "allow"), landed],
    journal: "landed",
    want: { action: "finish-from-proposed", ...op, landed: true, record: false },
  },
  {
    name: "landed and undone since",
    log: [started("t1"), proposal, decided("changes", "allow"), landed, undone],
    want: { action: "finish-from-proposed", ...op, landed: true, record: false },
  },
  {
    name: "decided no",
    log: [started("t1"), proposal, decided("changes", "deny")],
    want: { action: "finish-denied", gate: "changes", ...op },
  },
  {
    name: "decided no and dropped",
    log: [started("t1"), proposal, decided("changes", "deny"), dropped],
    want: { action: "finish-denied", gate: "changes", ...op },
  },
  {
    name: "met a conflict",
    log: [started("t1"), proposal, decided("changes", "allow"), conflicted],
    want: { action: "finish-conflicted", ...op },
  },
  {
    name: "pending in a rehearsal (W6)",
    log: [started("t1"), proposal, pended],
    want: { action: "finish-from-proposed", ...op, landed: false, record: false },
  },
  {
    name: "pending, and squashed since (W6)",
    log: [started("t1"), proposal, pended, squashed],
    want: { action: "finish-from-proposed", ...op, landed: false, record: false },
  },
  {
    name: "only kept",
    log: [started("t1"), proposal, kept],
    want: { action: "finish-from-proposed", ...op, landed: false, record: false },
  },
];

describe("settle", () => {
  it.each(TABLE)("E3: a call with $name", ({ log, journal, contained, want }) => {
    const state = stateOf(...BASE, ...log);
    const facts = {
      landed: new Set([journal === "landed" ? "op_t1" : "op_other"]),
      undone: new Set([journal === "undone" ? "op_t1" : "op_other"]),
      contained: () => contained ?? true,
    };
    const [only, ...more] = settle(state, facts);
    expect(more).toEqual([]);
    expect(only).toEqual({ callId: "t1", why: expect.stringMatching(/\w/) as string, ...want });
    expect(nextStep(state)).toBe("settle-calls");
  });
  it("E3: of several calls each is settled by itself, in order; a finished one is left alone", () => {
    const state = stateOf(
      prompt("do"),
      reply([toolUse("t1"), toolUse("t2"), toolUse("t3"), toolUse("t4")]),
      started("t1"),
      started("t2"),
      finished("t2"),
      started("t3"),
      proposedBody("t3"),
    );
    const seen: string[] = [];
    const facts = {
      landed: new Set<string>(),
      contained: (call: { callId: string }) => (seen.push(call.callId), true),
    };
    expect(settle(state, facts).map((s) => `${s.callId} ${s.action}`)).toEqual([
      "t1 run-again",
      "t3 ask-again",
      "t4 not-begun",
    ]);
    expect(seen).toEqual(["t1"]);
  });
  it.each<[string, LogBody[]]>([
    ["a new prompt came", [prompt("something else")]],
    ["the query ended", [{ type: "query.finished", reason: "interrupted", turns: 1, durationMs: 1 }]],
    ["a newer reply came", [reply([{ type: "text", text: "x" }])]],
  ])("E3: a call is closed, not run, once %s", (_, more) => {
    const state = stateOf(...BASE, started("t1"), proposal, decided("changes", "allow"), ...more);
    const facts = { landed: new Set<string>(), contained: () => true };
    expect(settle(state, facts)).toMatchObject([{ callId: "t1", action: "interrupted" }]);
  });
  it("S6: a call that waits for the person is asked again", () => {
    const state = stateOf(...BASE, started("t1", "op_t1", "AskUser"), {
      type: "query.finished",
      reason: "waiting",
      turns: 1,
      durationMs: 1,
    });
    expect(settle(state, { landed: new Set(), contained: () => true })).toMatchObject([
      { action: "run-again", attempt: 2 },
    ]);
    expect(nextStep(state)).toBe("settle-calls");
  });
  it("E3: a steer or a reply that broke off leaves the calls open", () => {
    const cut: LogBody = {
      type: "reply.cut",
      turn: 1,
      model: "m",
      blocks: [],
      usage: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 },
      reason: "r",
    };
    const state = stateOf(...BASE, prompt("and", "steer"), cut);
    expect(settle(state, { landed: new Set(), contained: () => true })).toMatchObject([{ action: "not-begun" }]);
  });
});

describe("nextStep", () => {
  const done: LogBody = { type: "query.finished", reason: "done", turns: 1, durationMs: 1 };
  it.each<[string, LogBody[], ReturnType<typeof nextStep>]>([
    ["nothing was asked", [], "nothing"],
    ["the reply is missing", [prompt("x")], "ask-model"],
    ["all results are there", [...BASE, finished("t1")], "ask-model"],
    ["it is done", [prompt("x"), reply([{ type: "text", text: "y" }]), done], "nothing"],
    [
      "it waits and was answered",
      [...BASE, finished("t1"), { type: "query.finished", reason: "waiting", turns: 1, durationMs: 1 }],
      "ask-model",
    ],
  ])("E3: when %s", (_, log, want) => {
    expect(nextStep(stateOf(...log))).toBe(want);
  });
});
