import { describe, expect, it } from "vitest";
import { keptWords } from "../../../src/events/kept-output.ts";
import { type ChangeSummary, Effect } from "../../../src/events/effect.ts";
import { LogBody, type LogBodyOf, type Touch } from "../../../src/events/event.ts";
import { NO_MARKS } from "../../../src/events/reduce-mark.ts";
import { distrusted, initialState, reduce } from "../../../src/events/reduce.ts";
import {
  events,
  finished,
  NO_CHANGES,
  OPENED,
  prompt,
  proposedBody,
  reply,
  started,
  stateOf,
  toolUse,
} from "../../support/event-log.ts";

const usage = { input: 1, output: 2, cacheRead: 3, cacheWrite: 4 };
type Entry = ChangeSummary["entries"][number];
function entry(path: string, op: Entry["op"], more: Partial<Entry> = {}): Entry {
  return { root: 0, path, op, type: "file", marks: [], ...more };
}
function landing(entries: Entry[], touched: Touch[], operationId = "o"): LogBody {
  return { type: "changes.landed", operationId, by: "s", summary: { ...NO_CHANGES, entries }, touched };
}
const wrote = (path: string, hash = "h"): Touch => ({ path, hash, how: "written" });
const decided = (gate: "needs" | "changes", more: Partial<LogBodyOf<"permission.decided">> = {}): LogBody => ({
  type: "permission.decided",
  callId: "t1",
  gate,
  outcome: "allow",
  by: "person",
  reason: "r",
  risk: "low",
  ...more,
});
const effect: Effect = { tool: "Bash", subject: "s", needs: [], contained: true };
const asked: LogBody = {
  type: "permission.asked",
  questionId: "q",
  callId: "t1",
  effect,
  decision: { action: "ask", risk: "low", reason: "r" },
};
const call = (...bodies: LogBody[]) =>
  stateOf(prompt("x"), reply([toolUse("t1", "Bash", { command: "a" })]), ...bodies).calls.get("t1");

describe("reduce: session", () => {
  it("E1: begins with what was opened", () => {
    expect(stateOf()).toEqual({
      ...initialState("ses_a"),
      seq: 1,
      mac: "m1",
      folder: "/p",
      roots: OPENED.roots,
      mode: "auto",
      model: "m",
      shell: { cwd: "/p", env: {} },
      startedAt: "2001-09-09T01:46:41.000Z",
      lastAt: "2001-09-09T01:46:41.000Z",
    });
    expect(stateOf({ ...OPENED, folder: "/evil", mode: "ask" })).toMatchObject({ folder: "/p", mode: "auto" });
  });
  it("E1: mode, model, name, rules, todos, shell and trust are folds of their events", () => {
    const rule = { action: "allow" as const, text: "Edit(a)", source: "session" as const };
    const state = stateOf(
      { type: "session.named", name: "n" },
      { type: "mode.changed", mode: "plan", by: "person" },
      { type: "model.changed", model: "m2" },
      { type: "rule.added", rule },
      { type: "todo.updated", todos: [{ text: "t", status: "active" }] },
      { type: "shell.moved", cwd: "/p/s", env: { A: "1" } },
      { type: "trust.given", folder: "/p" },
    );
    expect(state).toMatchObject({
      name: "n",
      mode: "plan",
      model: "m2",
      rules: [rule],
      todos: [{ text: "t", status: "active" }],
      shell: { cwd: "/p/s", env: { A: "1" } },
      trusted: true,
      seq: 8,
      mac: "m8",
    });
    expect(stateOf({ type: "trust.given", folder: "/other" }).trusted).toBe(false);
  });
  it("E1: background shells are a fold of their starts and ends; an end of none is none", () => {
    const shell = { groupId: "bg_1", callId: "t1", operationId: "op-bg", command: "npm run dev", cwd: "/p" };
    const how = { reason: "exit" as const, code: 1, signal: null };
    const other = { ...shell, groupId: "bg_2" };
    const bodies: LogBody[] = [
      { type: "group.ended", groupId: "bg_1", how, told: false },
      { type: "group.started", ...shell },
      { type: "group.started", ...other },
      { type: "group.ended", groupId: "bg_1", how, told: false },
    ];
    expect(stateOf(...bodies).groups).toEqual([{ ...shell, end: how, told: false }, other]);
    const told = stateOf(...bodies, { type: "group.ended", groupId: "bg_1", how, told: true });
    expect(told.groups[0]).toMatchObject({ told: true });
    expect(distrusted(told).groups).toEqual([]);
  });
  it("H5, P8: trust ends by its own fact, bypass is a state beside the mode; both are for one run", () => {
    const given: LogBody = { type: "trust.given", folder: "/p", by: "store" };
    const bypass: LogBody = { type: "bypass.changed", on: true, by: "flag" };
    const again: LogBody = { type: "session.resumed", program: "1", folder: "/p", roots: [] };
    expect(stateOf(given, { type: "trust.ended", folder: "/p", reason: "r" }).trusted).toBe(false);
    expect(stateOf(given, { type: "trust.ended", folder: "/other", reason: "r" }).trusted).toBe(true);
    expect(stateOf(bypass)).toMatchObject({ bypass: true, mode: "auto" });
    expect(stateOf(bypass, { type: "bypass.changed", on: false, by: "person" }).bypass).toBe(false);
    expect(stateOf(given, bypass, again)).toMatchObject({ trusted: false, bypass: false });
    expect(stateOf(given, bypass, again, given, bypass)).toMatchObject({ trusted: true, bypass: true });
    expect(distrusted(stateOf(bypass)).bypass).toBe(false);
  });
  it("E2: resumed in the same folder it stands where it stood, with the roots of now", () => {
    const moved: LogBody = { type: "shell.moved", cwd: "/p/s", env: { A: "1" } };
    const roots = [
      { path: "/p", kind: "folder" as const },
      { path: "/q", kind: "added" as const },
    ];
    const state = stateOf(moved, { type: "session.resumed", program: "1", folder: "/p", roots });
    expect(state).toMatchObject({ shell: { cwd: "/p/s" }, roots });
  });
  it("E3, S2: a turn that no reply came of is asked for again under its own number, and costs none of those allowed", () => {
    const again: LogBody = { type: "session.resumed", program: "1", folder: "/p", roots: [] };
    const turn = (n: number): LogBody => ({ type: "turn.started", turn: n, model: "m" });
    const one = [prompt("go"), turn(1), reply([toolUse("a")])];
    expect(stateOf(...one, again)).toMatchObject({ query: { turn: 1 }, turns: 1 });
    expect(stateOf(...one, started("a"), finished("a"), turn(2), again)).toMatchObject({
      query: { turn: 1 },
      turns: 1,
    });
    expect(stateOf(prompt("go"), turn(1), again)).toMatchObject({ query: { turn: 0 }, turns: 0 });
    expect(stateOf(prompt("go"), again)).toMatchObject({ query: { turn: 0 }, turns: 0 });
    // What has ended stays as it ended.
    const end: LogBody = { type: "query.finished", reason: "api-error", turns: 1, durationMs: 0 };
    expect(stateOf(prompt("go"), turn(1), end, again)).toMatchObject({ query: { turn: 1 }, turns: 1 });
  });
  it.each<LogBody>([
    { type: "session.repaired", notes: [] },
    { type: "hook.ran", event: "e", name: "n", exit: 0 },
    { type: "shell.ran", operationId: "o", command: "c", outside: false, exit: 0, output: "" },
    { type: "limit.warned", limit: "l", text: "t" },
  ])("E1: $type changes nothing but the position", (body) => {
    expect(stateOf(body)).toEqual({ ...stateOf(), seq: 2, mac: "m2", lastAt: "2001-09-09T01:46:42.000Z" });
  });
  it("E1: every kind of event that there is can be folded", () => {
    for (const option of LogBody.options) {
      const type = option.shape.type.value;
      expect(type).toMatch(/^[a-z]+\.[a-z]+$/);
    }
    // What the build can't know of: an event that came by without a check.
    expect(() => reduce(stateOf(), { v: 1, seq: 2, at: "", mac: "", type: "x.y" } as never)).toThrow(/unexpected/);
  });
});

describe("reduce: foreign", () => {
  it("E1: nothing that needs trust is left, what was said stays", () => {
    const before = stateOf(
      { type: "session.resumed", program: "0", folder: "/p", roots: [...OPENED.roots, { path: "/", kind: "added" }] },
      { type: "trust.given", folder: "/p" },
      { type: "rule.added", rule: { action: "allow", text: "Bash(*)", source: "session" } },
      { type: "shell.moved", cwd: "/evil", env: { LD_PRELOAD: "/evil" } },
      prompt("x"),
      reply([toolUse("t1"), toolUse("t2"), toolUse("t3")]),
      asked,
      finished("t2", "kept"),
      finished("t3", "bad", "error"),
      started("t1"),
      landing([entry("a", "create")], [wrote("/p/a")]),
    );
    const state = distrusted(before);
    expect(state).toEqual(
      stateOf.call(null) && {
        ...before,
        foreign: true,
        mode: "ask",
        trusted: false,
        roots: OPENED.roots,
        shell: { cwd: "/p", env: {} },
        rules: [],
        steps: [],
        touched: new Map(),
        made: new Map(),
        changed: new Map(),
        marks: NO_MARKS,
        failures: new Map(),
        query: { ...before.query, ended: "interrupted" },
        calls: state.calls,
      },
    );
    expect(before).toMatchObject({ foreign: false, mode: "auto", trusted: true });
    expect(before.made.size + before.steps.length + before.rules.length).toBe(3);
    expect(state.calls.get("t1")).toMatchObject({ result: { status: "unknown" } });
    expect(state.calls.get("t1")).not.toHaveProperty("question");
    expect(state.calls.get("t2")).toBe(before.calls.get("t2"));
    expect(distrusted(state)).toEqual(state);
  });
  it("E1: a query that had ended stays as it ended, one that waits doesn't wait any more", () => {
    const ended = (reason: "done" | "waiting") =>
      distrusted(stateOf(prompt("x"), { type: "query.finished", reason, turns: 1, durationMs: 1 })).query?.ended;
    expect([ended("done"), ended("waiting")]).toEqual(["done", "interrupted"]);
  });
});

describe("reduce: talk", () => {
  it("S3: counts usage by model, by query and as the window's load", () => {
    const state = stateOf(
      prompt("x"),
      reply([], { usage }),
      reply([], { usage, model: "n" }),
      prompt("y"),
      reply([], { usage }),
    );
    const twice = { input: 2, output: 4, cacheRead: 6, cacheWrite: 8 };
    expect([...state.usage]).toEqual([
      ["m", { ...twice, replies: 2 }],
      ["n", { ...usage, replies: 1 }],
    ]);
    expect(state).toMatchObject({ contextTokens: 10, prompts: 2, query: { usage, turn: 0, startSeq: 5, warned: [] } });
  });
  it("S3: a reply that broke off without figures leaves the window's load as it was", () => {
    const cut: LogBody = {
      type: "reply.cut",
      turn: 1,
      model: "m",
      blocks: [toolUse("x")],
      usage: { ...usage, input: 0, output: 0, cacheRead: 0, cacheWrite: 0 },
      reason: "r",
    };
    const state = stateOf(prompt("x"), reply([], { usage }), cut);
    expect(state.contextTokens).toBe(10);
    expect(state.calls.size).toBe(0);
    expect(state.items.at(-1)).toMatchObject({ kind: "reply", cut: "r", stopReason: "cut" });
  });
  it("L2: turns, warnings and the end belong to the query", () => {
    const state = stateOf(
      prompt("x"),
      { type: "turn.started", turn: 2, model: "m" },
      { type: "limit.warned", limit: "loop", text: "t" },
      { type: "query.finished", reason: "done", turns: 2, durationMs: 1 },
    );
    expect(state.query).toMatchObject({ turn: 2, warned: ["loop"], ended: "done" });
    const next = reduce(state, events([prompt("y")], 6)[0] as never);
    expect(next.query).toMatchObject({ turn: 0, warned: [] });
    expect(next.query).not.toHaveProperty("ended");
  });
  it("S6: a query that waited goes on with its next turn", () => {
    const waiting = [
      prompt("x"),
      { type: "query.finished" as const, reason: "waiting" as const, turns: 1, durationMs: 1 },
    ];
    expect(stateOf(...waiting).query?.ended).toBe("waiting");
    expect(stateOf(...waiting, { type: "turn.started", turn: 2, model: "m" }).query).not.toHaveProperty("ended");
  });
  it("S4: failures in a row are counted by tool; a success or a new prompt resets", () => {
    const fails = ["t1", "t2", "t3"].map((id) => finished(id, "bad", "error"));
    const calls = reply(["t1", "t2", "t3", "t4"].map((id) => toolUse(id)).concat([toolUse("o1", "Bash")]));
    const base = [prompt("x"), calls, ...fails, finished("o1", "bad", "error")];
    expect([...stateOf(...base).failures]).toEqual([
      ["Read", 3],
      ["Bash", 1],
    ]);
    expect([...stateOf(...base, finished("t4")).failures]).toEqual([["Bash", 1]]);
    expect([...stateOf(...base, finished("t4", "no", "denied")).failures]).toEqual([
      ["Read", 3],
      ["Bash", 1],
    ]);
    expect([...stateOf(...base, prompt("again", "steer")).failures].length).toBe(2);
    expect([...stateOf(...base, prompt("again")).failures]).toEqual([]);
  });
  it("C3: compaction, clearing and reset move what is sent", () => {
    const compact = (keptFrom: number): LogBody => ({
      type: "context.compacted",
      summary: "s",
      keptFrom,
      before: 9,
      after: 4,
    });
    const talk = [prompt("a"), { type: "limit.warned" as const, limit: "l", text: "t" }, prompt("b"), prompt("c")];
    expect(stateOf(...talk, compact(3))).toMatchObject({ firstItem: 1, summary: "s", contextTokens: 4 });
    expect(stateOf(...talk, compact(99))).toMatchObject({ firstItem: 3 });
    expect(stateOf(...talk, compact(99), compact(1))).toMatchObject({ firstItem: 3 });
    const reset = stateOf(...talk, finished("x"), compact(3), { type: "context.reset" });
    expect(reset).toMatchObject({ firstItem: 3, contextTokens: 0 });
    expect(reset).not.toHaveProperty("summary");
    const cleared = stateOf({ type: "context.cleared", callIds: ["t1"], before: 9, after: 5 });
    expect([...cleared.cleared, cleared.contextTokens]).toEqual(["t1", 5]);
  });
  it("T4: after /clear the model has to read before it edits", () => {
    const read: LogBody = {
      ...(finished("t1") as LogBodyOf<"call.finished">),
      touched: [{ path: "/p/a", hash: "h", how: "read" }],
    };
    const talk = [prompt("x"), reply([toolUse("t1")]), read];
    expect(stateOf(...talk).touched.get("/p/a")).toMatchObject({ hash: "h" });
    expect(stateOf(...talk, { type: "context.reset" }).touched.size).toBe(0);
  });
});

describe("reduce: calls", () => {
  it("L3: a reply's calls are there before any of them runs", () => {
    expect(call()).toEqual({ callId: "t1", tool: "Bash", input: { command: "a" }, replySeq: 3, turn: 1, attempt: 0 });
  });
  it("P5: a question is open until it is decided, with who left out what", () => {
    expect(call(asked)?.question).toMatchObject({ questionId: "q", effect });
    expect(call(asked, decided("needs"))).toMatchObject({ needs: "allow" });
    expect(call(asked, decided("needs"))).not.toHaveProperty("question");
    const dropped = [{ root: 0, path: "a" }];
    expect(call(decided("changes", { withRegenerable: true }))).toMatchObject({ withRegenerable: true });
    expect(call(decided("changes", { outcome: "deny", dropped, note: "n", ends: true }))).toMatchObject({
      verdict: "deny",
      dropped,
      note: "n",
      ends: true,
    });
    expect(call(asked, finished("t1"))).not.toHaveProperty("question");
  });
  it("E3: operation id, attempt and what really runs come with the start", () => {
    const start: LogBody = {
      type: "call.started",
      callId: "t1",
      operationId: "o",
      attempt: 2,
      tool: "Bash",
      input: { command: "b" },
    };
    expect(call(start)).toMatchObject({ operationId: "o", attempt: 2, input: { command: "b" } });
  });
  it("L4: the first result stands, and what no reply asked for is no call", () => {
    expect(call(finished("t1", "1"), finished("t1", "2", "error"))?.result).toMatchObject({
      status: "ok",
      content: [{ text: "1" }],
    });
    const state = stateOf(
      prompt("x"),
      asked,
      decided("needs"),
      started("t1"),
      proposedBody("t1"),
      finished("t1", "x", "error"),
    );
    expect(state.calls.size + state.failures.size).toBe(0);
    expect(call({ ...(finished("t1") as LogBodyOf<"call.finished">), details: { a: 1 } })?.result).toMatchObject({
      details: { a: 1 },
    });
  });
});

describe("reduce: changes", () => {
  const rich: ChangeSummary = { ...NO_CHANGES, entries: [entry("a", "modify")], files: 1 };
  const kept: LogBody = { type: "changes.kept", operationId: "op_t1", files: 1, bytes: 1, paths: ["dist"] };
  const dropped: LogBody = { type: "changes.dropped", operationId: "op_t1", reason: "r" };
  const land: LogBody = {
    type: "changes.landed",
    callId: "t1",
    operationId: "op_t1",
    summary: rich,
    by: "s",
    touched: [],
  };
  const conflict: LogBody = { type: "changes.conflicted", operationId: "op_t1", conflicts: [] };
  const pend: LogBody = { type: "changes.pended", callId: "t1", operationId: "op_t1", summary: rich, touched: [] };
  const squash: LogBody = {
    type: "changes.squashed",
    operationId: "op_sum",
    from: ["op_t1"],
    pended: true,
    kept: true,
    summary: rich,
  };
  const undo: LogBody = { type: "changes.undone", operationId: "op_t1", by: "s", paths: [] };
  const redo: LogBody = { type: "changes.redone", operationId: "op_t1", by: "s", paths: [] };
  it.each<[string, LogBody[], string, boolean]>([
    ["proposed", [], "proposed", false],
    ["landed", [land], "landed", false],
    ["dropped", [dropped], "dropped", false],
    ["conflicted", [conflict], "conflicted", false],
    ["conflicted and dropped", [conflict, dropped], "dropped", false],
    ["kept while the rest waits", [kept], "proposed", true],
    ["kept, the rest dropped", [kept, dropped], "dropped", true],
    ["dropped, the rest kept", [dropped, kept], "dropped", true],
    ["landed, the rest kept", [land, kept], "landed", true],
    ["landed, kept, the layer dropped later", [land, kept, dropped], "landed", false],
    ["pending", [pend], "pended", false],
    ["pending and dropped", [pend, dropped], "dropped", false],
    ["pending and squashed", [pend, squash], "squashed", false],
    ["landed, its kept layer squashed", [land, kept, squash], "landed", false],
    ["landed and undone", [land, undo], "undone", false],
    ["landed, undone and redone", [land, undo, redo], "landed", false],
  ])("W4: a step that was %s", (_, bodies, status, layer) => {
    const { steps } = stateOf(prompt("x"), reply([toolUse("t1")]), proposedBody("t1", "op_t1", rich), ...bodies);
    expect(steps[0]).toMatchObject({ operationId: "op_t1", callId: "t1", status, kept: layer });
  });
  it("P9: kept output that landed by a rule is a layer no more; what is left of it still is", () => {
    const by = { type: "kept.landed", operationId: "op_t1-land1", of: "op_t1", files: 1, bytes: 1 } as const;
    const steps = (rest: number) =>
      stateOf(kept, { ...by, paths: [], rest }).steps.map((s) => [s.operationId, s.kept, s.status]);
    expect(steps(0)).toEqual([["op_t1", false, "dropped"]]);
    expect(steps(2)).toEqual([["op_t1", true, "kept"]]);
    const regenerable = [{ root: 0, path: "dist", files: 9, bytes: 1 }];
    const built = proposedBody("t1", "op_t1", { ...rich, regenerable });
    const left = [{ root: 0, path: "dist", files: 2 }];
    expect(keptWords(stateOf(built, kept))).toBe("9 regenerable files (dist)");
    expect(keptWords(stateOf(built, kept, { ...by, paths: [], rest: 2 }))).toBe("9 regenerable files (dist)");
    expect(keptWords(stateOf(built, kept, { ...by, paths: [], rest: 2, left }))).toBe("2 regenerable files (dist)");
    expect(keptWords(stateOf(built, kept, { ...by, paths: [], rest: 0, left: [] }))).toBeUndefined();
  });
  it("W6: one layer takes the place of several, and holds what they held", () => {
    const { steps } = stateOf(proposedBody("t1", "op_t1", rich), pend, squash);
    expect(steps.map((s) => `${s.operationId} ${s.status} ${s.kept}`)).toEqual([
      "op_t1 squashed false",
      "op_sum pended true",
    ]);
    const empty: LogBody = { ...squash, operationId: "op_none", from: ["op_sum"], pended: false, kept: false };
    expect(stateOf(pend, squash, empty).steps.map((s) => s.status)).toEqual(["squashed", "squashed", "squashed"]);
  });
  it("W6: a rehearsal is on until it is switched off, and a foreign log's is never", () => {
    const on: LogBody = { type: "rehearsal.changed", on: true, by: "flag" };
    expect(stateOf(on).rehearsing).toBe(true);
    expect(stateOf(on, { ...on, on: false }).rehearsing).toBe(false);
    expect(stateOf(on, pend, { type: "session.foreign", reason: "r" })).toMatchObject({ rehearsing: false, steps: [] });
  });
  it("P9: a step with nothing but regenerable output is settled by being kept", () => {
    const only = proposedBody("t1", "op_t1");
    expect(stateOf(only, kept).steps).toMatchObject([{ status: "kept", kept: true }]);
    expect(stateOf(only, kept, dropped).steps).toMatchObject([{ status: "dropped", kept: false }]);
  });
  it("W8: a landing that the journal told belongs to no call", () => {
    const { steps } = stateOf(landing([], [], "other"));
    expect(steps).toEqual([
      { operationId: "other", summary: NO_CHANGES, status: "landed", kept: false, at: "2001-09-09T01:46:42.000Z" },
    ]);
  });
  it("E3: a call knows what it proposed and that it landed", () => {
    expect(call(proposedBody("t1"))).toMatchObject({ operationId: "op_t1", proposed: { summary: NO_CHANGES } });
    expect(call(proposedBody("t1"), land)).toMatchObject({ landed: true });
  });
  it.each<[string, LogBody[], [string, string][]]>([
    ["a new file", [landing([entry("a", "create")], [wrote("/p/a")])], [["/p/a", "h"]]],
    ["a new folder", [landing([entry("a", "create", { type: "folder" })], [wrote("/p/a")])], []],
    ["a file of the person's that was changed", [landing([entry("a", "modify")], [wrote("/p/a")])], []],
    [
      "its own file, changed again",
      [
        landing([entry("a", "create")], [wrote("/p/a")]),
        landing([entry("a", "modify", { marks: ["own"] })], [wrote("/p/a", "h2")]),
      ],
      [["/p/a", "h2"]],
    ],
    [
      "its own file that someone changed in between",
      [landing([entry("a", "create")], [wrote("/p/a")]), landing([entry("a", "modify")], [wrote("/p/a", "h2")])],
      [],
    ],
    [
      "its own file, deleted",
      [landing([entry("a", "create")], [wrote("/p/a")]), landing([entry("a", "delete")], [])],
      [],
    ],
    [
      "its own file, told as deleted",
      [landing([entry("a", "create")], [wrote("/p/a")]), landing([], [{ path: "/p/a", hash: "", how: "deleted" }])],
      [],
    ],
    [
      "its own file, read",
      [landing([entry("a", "create")], [wrote("/p/a")]), landing([], [{ path: "/p/a", hash: "h", how: "read" }])],
      [["/p/a", "h"]],
    ],
    [
      "its own file under another name",
      [
        landing([entry("a", "create")], [wrote("/p/a")]),
        landing([entry("b", "rename", { from: "a", marks: ["own"] })], [wrote("/p/b")]),
      ],
      [["/p/b", "h"]],
    ],
    ["the person's file under another name", [landing([entry("b", "rename", { from: "a" })], [wrote("/p/b")])], []],
    [
      "its own file, undone",
      [
        landing([entry("a", "create")], [wrote("/p/a")]),
        { type: "changes.undone", operationId: "o", by: "s", paths: ["a"] },
      ],
      [],
    ],
    ["a file of a root that isn't there", [landing([entry("a", "create", { root: 7 })], [wrote("/p/a")])], []],
  ])("P3: %s", (_, bodies, made) => {
    expect([...stateOf(...bodies).made]).toEqual(made);
  });
  it("T4: what was undone has to be read again before an edit, by whichever kind of path it is named", () => {
    const both = landing([], [wrote("/p/a"), wrote("/p/b"), wrote("/p/c")]);
    const { touched } = stateOf(both, { type: "changes.undone", operationId: "o", by: "s", paths: ["a", "/p/b"] });
    expect([...touched].map(([path, { hash }]) => [path, hash])).toEqual([
      ["/p/a", ""],
      ["/p/b", ""],
      ["/p/c", "h"],
    ]);
  });
});
