import { describe, expect, it } from "vitest";
import type { Effect } from "../../../../src/events/effect.ts";
import type { LogBody, LogEvent, SessionEvent } from "../../../../src/events/event.ts";
import { textOfLine } from "../../../../src/ui/render/spans.ts";
import { factLines } from "../../../../src/ui/render/transcript.ts";
import { openSource } from "../../../../src/ui/store/stream.ts";
import { reduceView } from "../../../../src/ui/store/view-state.ts";
import { NO_VIEW, type View, type ViewStep } from "../../../../src/ui/store/view.ts";

const fact = (body: LogBody): LogEvent => ({ v: 1, seq: 0, at: "2026-01-01T00:00:00.000Z", mac: "", ...body });
/** Each event one second after the other. */
function run(...events: SessionEvent[]): { view: View; entries: ViewStep["entries"]; steps: View[] } {
  let view = NO_VIEW;
  const steps: View[] = [];
  const entries = events.flatMap((event, i) => {
    const step = reduceView(view, event, i * 1000);
    view = step.view;
    steps.push(view);
    return step.entries;
  });
  return { view, entries, steps };
}

const opened = fact({
  type: "session.opened",
  sessionId: "s",
  folder: "/f",
  roots: [],
  program: "1",
  mode: "plan",
  model: "m",
});
const prompt = fact({ type: "prompt.submitted", when: "start", content: [{ type: "text", text: "go" }] });
const turn = fact({ type: "turn.started", turn: 1, model: "m" });
const usage = { input: 10, output: 5, cacheRead: 100, cacheWrite: 1 };
const calls = (...ids: string[]) =>
  fact({
    type: "reply.completed",
    turn: 1,
    model: "m",
    blocks: ids.map((id) => ({ type: "tool_use", id, name: "Bash", input: { command: id } }) as const),
    usage,
    stopReason: "tool_use",
    durationMs: 1,
    attempts: 1,
  });
const started = (callId: string) =>
  fact({ type: "call.started", callId, operationId: "o", attempt: 1, tool: "Bash", input: { command: callId } });
const finished = (callId: string) =>
  fact({ type: "call.finished", callId, status: "ok", content: [], touched: [], durationMs: 1 });
const effect: Effect = { tool: "Bash", subject: "x", needs: [], contained: true };
const asked = (callId: string) =>
  fact({
    type: "permission.asked",
    questionId: "q",
    callId,
    effect,
    decision: { action: "ask", risk: "low", reason: "r" },
  });
const decided = (callId: string) =>
  fact({
    type: "permission.decided",
    callId,
    gate: "changes",
    outcome: "allow",
    by: "person",
    reason: "r",
    risk: "low",
  });
const over = fact({ type: "query.finished", reason: "done", turns: 1, durationMs: 1 });

describe("reduceView", () => {
  it("P8: the mode on screen is the log's", () => {
    const { view, entries } = run(opened, fact({ type: "mode.changed", mode: "auto", by: "person" }));
    expect(view.mode).toBe("auto");
    expect(run(opened).view.mode).toBe("plan");
    expect(entries.map((e) => e.kind)).toEqual(["fact"]);
  });
  it("U1: the phase says what is going on", () => {
    const phases = run(
      prompt,
      turn,
      { type: "thinking.delta", text: "hm" },
      { type: "text.delta", text: "hi" },
      calls("a"),
      started("a"),
      asked("a"),
      decided("a"),
      finished("a"),
      over,
    ).steps.map((v) => v.phase);
    expect(phases).toEqual([
      "waiting",
      "waiting",
      "thinking",
      "writing",
      "running",
      "running",
      "asking",
      "running",
      "waiting",
      "idle",
    ]);
  });
  it("U1: running calls in the reply's order, with their last lines; a carriage return begins a line anew", () => {
    const out = (text: string): SessionEvent => ({ type: "tool.output", callId: "a", text });
    const { view } = run(prompt, turn, calls("a", "b"), started("a"), out("one\ntw"), out("o\n10%"), out("\r20%"));
    expect(view.running.map((c) => [c.callId, c.startedAt])).toEqual([
      ["a", 3000],
      ["b", undefined],
    ]);
    expect(view.running[0]?.lines).toEqual(["one", "two", "20%"]);
    const long = run(prompt, turn, calls("a"), started("a"), out("x\n".repeat(5000)), out("y".repeat(1_000_000)));
    expect(long.view.running[0]?.lines.length).toBe(20);
    expect(Math.max(...(long.view.running[0]?.lines.map((l) => l.length) ?? []))).toBe(2000);
    const crlf = run(prompt, turn, calls("a"), started("a"), out("one\r"), out("\ntwo\r\n"));
    expect(crlf.view.running[0]?.lines.map((l) => l.trimEnd())).toEqual(["one", "two", ""]);
  });
  it("T-1: one card a call, when it has its result, also for a call that never ran", () => {
    const { view, entries } = run(prompt, turn, calls("a", "b"), started("a"), finished("a"), finished("b"));
    expect(entries.filter((e) => e.kind === "card").map((e) => [e.callId, e.tool, e.input["command"]])).toEqual([
      ["a", "Bash", "a"],
      ["b", "Bash", "b"],
    ]);
    expect(view.running).toEqual([]);
  });
  it("P7: an open question is on the view until it is answered, its call ends or the query ends", () => {
    const open = [prompt, turn, calls("a"), asked("a")] as const;
    expect(run(...open).view.question).toMatchObject({ questionId: "q", callId: "a" });
    expect(run(...open, decided("b")).view.question).toBeDefined();
    for (const end of [decided("a"), finished("a"), over]) expect(run(...open, end).view.question).toBeUndefined();
  });
  it("S10: a retry is shown until the next sign of life, text of a discarded reply is void and said so", () => {
    const retry: SessionEvent = { type: "request.retrying", attempt: 2, of: 5, inMs: 4000, reason: "overloaded" };
    const { steps } = run(prompt, turn, retry, { type: "text.delta", text: "x" });
    expect(steps[2]?.retry).toEqual({ attempt: 2, of: 5, reason: "overloaded", at: 6000 });
    expect(steps[3]?.retry).toBeUndefined();
    const void_ = run(
      prompt,
      turn,
      { type: "text.delta", text: "one\n\ntwo" },
      { type: "reply.discarded", reason: "cut" },
    );
    expect(void_.view.stream.rest).toBe("");
    expect(void_.entries.at(-1)).toMatchObject({ kind: "notice" });
    expect(run(prompt, turn, { type: "reply.discarded", reason: "cut" }).entries.length).toBe(1);
  });
  it("U1: context and tokens are the log's sums", () => {
    const { view } = run(prompt, turn, calls("a"), finished("a"), calls("b"));
    expect([view.contextTokens, view.up, view.down]).toEqual([116, 222, 10]);
    expect(view.usage.get("m")).toEqual({ input: 20, output: 10, cacheRead: 200, cacheWrite: 2, replies: 2 });
    expect(
      run(
        prompt,
        turn,
        calls("a"),
        fact({ type: "context.compacted", summary: "", keptFrom: 1, before: 116, after: 9 }),
      ).view.contextTokens,
    ).toBe(9);
  });
  it("F-5: todos stand on the view and go to the transcript when all are done", () => {
    const todo = (status: "done" | "active") => fact({ type: "todo.updated", todos: [{ text: "t", status }] });
    expect(run(todo("active")).entries).toEqual([]);
    const { view, entries } = run(todo("active"), todo("done"));
    expect(view.todos).toEqual([]);
    expect(entries).toEqual([{ kind: "todos", todos: [{ text: "t", status: "done" }] }]);
  });
  it("TUI-7: the end of a reply goes on with the code block that is half printed", () => {
    const code = `\`\`\`ts\n${"let a;\n".repeat(10)}`;
    const whole = `${code}let last;\n\`\`\``;
    const reply = fact({
      type: "reply.completed",
      turn: 1,
      model: "m",
      blocks: [{ type: "text", text: whole }],
      usage,
      stopReason: "end_turn",
      durationMs: 1,
      attempts: 1,
    });
    const { entries } = run(prompt, turn, { type: "text.delta", text: whole }, reply);
    const parts = entries.flatMap((e) => (e.kind === "markdown" ? [e] : []));
    expect(parts.map((e) => e.raw).join("")).toBe(whole);
    expect(parts.map((e) => e.cont)).toEqual([false, true]);
    for (const part of parts) expect(part.source.trim()).toMatch(/^```ts\n[^`]*```$/);
  });
  it("TUI-7: finished blocks leave at once, the open one is the tail", () => {
    const { view, entries } = run(prompt, turn, { type: "text.delta", text: "one\n\ntwo\nth" });
    expect(entries.slice(1)).toEqual([{ kind: "markdown", raw: "one\n\n", source: "one\n\n", cont: false }]);
    expect(openSource(view.stream)).toBe("two\nth");
  });
  it("T1: what lands from a background shell, and its end by itself, leave a row; what a card tells doesn't", () => {
    const summary = {
      entries: [{ root: 0, path: "gen.ts", op: "create" as const, type: "file" as const, marks: [] }],
      files: 1,
      git: [],
      regenerable: [],
      manifestHash: "",
      undoable: true,
    };
    const landed = fact({ type: "changes.landed", callId: "a", operationId: "o2", summary, by: "policy", touched: [] });
    const how = { reason: "exit" as const, code: 1, signal: null };
    const ended = (told: boolean) => fact({ type: "group.ended", groupId: "bg_1", how, told });
    const { entries } = run(
      opened,
      prompt,
      turn,
      calls("a"),
      started("a"),
      landed,
      finished("a"),
      landed,
      ended(false),
      ended(true),
    );
    const rows = entries.flatMap((e) => (e.kind === "fact" ? (factLines(e.event, 80) ?? []).map(textOfLine) : []));
    expect(rows).toEqual([
      "✓ landed from a background shell: create gen.ts",
      "── background shell bg_1 ended, exit code 1",
    ]);
    // A review is a call of its own.
    const review = fact({
      type: "changes.landed",
      callId: "o2",
      operationId: "o2",
      summary,
      by: "person",
      touched: [],
    });
    expect(factLines(review, 80)?.map(textOfLine)).toEqual(["✓ the rehearsal landed: create gen.ts"]);
  });
});
