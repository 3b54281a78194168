import fc from "fast-check";
import type { ContentBlock, ReplyBlock } from "../../src/events/block.ts";
import type { Decision, Effect } from "../../src/events/effect.ts";
import type { LogBody } from "../../src/events/event.ts";
import { NO_CHANGES } from "./event-log.ts";
import { documentBlock, imageBlock, pdf, png } from "./media.ts";

/** Texts as they hurt: lone surrogates, line ends of all kinds, NUL, blanks, what looks like marks, long ones. */
export const anyText: fc.Arbitrary<string> = fc.oneof(
  fc.string({ unit: "binary" }),
  fc.string({
    unit: fc.constantFrom("\ud83d", "\ude00", "\u2028", "\u2029", "\u0085", "\0", "\n", "\r", " ", "a", '"', "\\"),
  }),
  fc.constantFrom(
    "",
    " ",
    "\n\n",
    "\ufeff",
    "\u001c",
    "end \n",
    '{"long":[[["text"],"00","text"]]}',
    ',"mac":"00"}',
    "__proto__",
  ),
);
const longText = fc
  .tuple(anyText, fc.integer({ min: 1, max: 40_000 }))
  .map(([s, n]) => `${s}x\ud800`.repeat(Math.ceil(n / (s.length + 2))).slice(0, 90_000));

/** JSON values as a model may send them. */
export const anyJson = fc.jsonValue({ maxDepth: 4, stringUnit: "binary" }).map((v) => v as unknown);
export const anyInput: fc.Arbitrary<Record<string, unknown>> = fc.dictionary(
  fc
    .oneof(fc.constantFrom("long", "mac", "seq", "v", "type", "constructor", "toJSON"), anyText)
    .filter((k) => k !== "__proto__"),
  fc.oneof({ weight: 5, arbitrary: anyJson }, { weight: 1, arbitrary: longText }),
  { maxKeys: 4 },
);
/** Pictures and documents that the API takes, and such that it would refuse, each for another reason. */
const MEDIA: readonly ContentBlock[] = [
  imageBlock(),
  imageBlock(png(2500, 2)),
  imageBlock(png(9000, 1)),
  imageBlock(png(3, 4), "image/jpeg"),
  imageBlock(Buffer.of(0)),
  { type: "image", source: { type: "base64", media_type: "image/png", data: "no base64" } },
  documentBlock(pdf(3), "a\ud83d"),
  documentBlock(pdf(1), " "),
  documentBlock(pdf(101)),
  documentBlock(pdf(1, { encrypted: true })),
  documentBlock(Buffer.from("%PDF-")),
];
export const anyContent: fc.Arbitrary<ContentBlock[]> = fc.array(
  fc.oneof(
    fc.record({ type: fc.constant("text" as const), text: anyText }),
    fc.record({ type: fc.constant("text" as const), text: longText }),
    fc.constantFrom(...MEDIA),
  ),
  { maxLength: 3 },
);
const callIds = fc.constantFrom("t1", "t2", "t3", "t4", "t5", "t6", "", "no good");
const anyBlock: fc.Arbitrary<ReplyBlock> = fc.oneof(
  { weight: 3, arbitrary: fc.record({ type: fc.constant("text" as const), text: anyText }) },
  {
    weight: 4,
    arbitrary: fc.record({
      type: fc.constant("tool_use" as const),
      id: callIds,
      name: fc.oneof(fc.constant("Read"), anyText),
      input: anyInput,
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      type: fc.constant("tool_use" as const),
      id: callIds,
      name: fc.constant("Bash"),
      input: fc.constant({}),
      broken: fc.constant('{"a'),
    }),
  },
  { weight: 1, arbitrary: fc.constant({ type: "thinking" as const, thinking: "T", signature: "S" }) },
  { weight: 1, arbitrary: fc.constant({ type: "redacted_thinking" as const, data: "D" }) },
  {
    weight: 1,
    arbitrary: fc
      .constantFrom(null, "x", { type: "text", text: "" }, { type: "tool_use", id: "t1" }, { type: "mystery" })
      .map((raw) => ({ type: "other" as const, raw: raw as unknown })),
  },
);
const blocks = fc.array(anyBlock, { maxLength: 5 });
const usage = fc.record({ input: fc.nat(999), output: fc.nat(999), cacheRead: fc.nat(999), cacheWrite: fc.nat(999) });
const operationId = fc.constantFrom("o1", "o2", "o3");
const touched = fc.array(
  fc.record({
    path: fc.constantFrom("/p/a", "/p/b"),
    hash: fc.constantFrom("h1", "h2", ""),
    how: fc.constantFrom("read" as const, "written" as const, "deleted" as const),
  }),
  { maxLength: 2 },
);
const summary = fc
  .array(
    fc.record({
      root: fc.constantFrom(0, 9),
      path: fc.constantFrom("a", "b"),
      op: fc.constantFrom("create" as const, "modify" as const, "delete" as const),
      type: fc.constant("file" as const),
      marks: fc.subarray(["own" as const, "delete" as const]),
    }),
    { maxLength: 2 },
  )
  .map((entries) => ({ ...NO_CHANGES, entries }));
const status = fc.constantFrom(
  "ok" as const,
  "error" as const,
  "denied" as const,
  "interrupted" as const,
  "unknown" as const,
);
const outcome = fc.record({ status, content: anyContent, touched });
const effect: Effect = { tool: "Read", subject: "s", needs: [], contained: true };
const decision: Decision = { action: "ask", risk: "low", reason: "r" };

/** Any event that may come behind the opening, in any order: far more than a loop would write. */
export const anyBody: fc.Arbitrary<LogBody> = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.record({
      type: fc.constant("prompt.submitted" as const),
      when: fc.constantFrom("start" as const, "steer" as const),
      content: anyContent,
    }),
  },
  { weight: 2, arbitrary: fc.record({ type: fc.constant("note.added" as const), text: anyText }) },
  {
    weight: 8,
    arbitrary: fc.record({
      type: fc.constant("reply.completed" as const),
      turn: fc.nat(9),
      model: fc.constantFrom("m", "n"),
      blocks,
      usage,
      stopReason: fc.constantFrom("tool_use", "end_turn", "pause_turn", "max_tokens"),
      durationMs: fc.nat(9),
      attempts: fc.constant(1),
    }),
  },
  {
    weight: 3,
    arbitrary: fc.record({
      type: fc.constant("reply.cut" as const),
      turn: fc.nat(9),
      model: fc.constant("m"),
      blocks,
      usage,
      reason: fc.constant("aborted"),
    }),
  },
  {
    weight: 8,
    arbitrary: fc
      .tuple(callIds, outcome)
      .map(([callId, o]) => ({ type: "call.finished" as const, callId, ...o, durationMs: 1 })),
  },
  {
    weight: 3,
    arbitrary: fc.record({
      type: fc.constant("call.started" as const),
      callId: callIds,
      operationId,
      attempt: fc.constant(1),
      tool: fc.constant("Read"),
      input: anyInput,
    }),
  },
  fc.record({
    type: fc.constant("call.edited" as const),
    callId: callIds,
    questionId: fc.constant("q"),
    input: anyInput,
  }),
  fc.record({
    type: fc.constant("permission.asked" as const),
    questionId: fc.constant("q"),
    callId: callIds,
    effect: fc.constant(effect),
    decision: fc.constant(decision),
  }),
  fc.record({
    type: fc.constant("permission.decided" as const),
    callId: callIds,
    gate: fc.constantFrom("needs" as const, "changes" as const),
    outcome: fc.constantFrom("allow" as const, "deny" as const),
    by: fc.constant("policy" as const),
    reason: fc.constant("r"),
    risk: fc.constant("low" as const),
  }),
  fc.record({ type: fc.constant("changes.proposed" as const), callId: callIds, operationId, outcome, summary }),
  fc.record({
    type: fc.constant("changes.landed" as const),
    callId: callIds,
    operationId,
    summary,
    by: fc.constant("s"),
    touched,
  }),
  fc.record({
    type: fc.constant("changes.kept" as const),
    operationId,
    files: fc.nat(9),
    bytes: fc.nat(9),
    paths: fc.array(fc.constant("a"), { maxLength: 1 }),
  }),
  fc.record({ type: fc.constant("changes.dropped" as const), operationId, reason: fc.constant("r") }),
  fc.record({ type: fc.constant("trust.given" as const), folder: fc.constantFrom("/p", "/q") }),
  fc.record({ type: fc.constant("trust.ended" as const), folder: fc.constant("/p"), reason: fc.constant("r") }),
  fc.record({ type: fc.constant("bypass.changed" as const), on: fc.boolean(), by: fc.constant("flag" as const) }),
  fc.record({ type: fc.constant("rehearsal.changed" as const), on: fc.boolean(), by: fc.constant("person" as const) }),
  fc.record({ type: fc.constant("changes.pended" as const), callId: callIds, operationId, summary, touched }),
  fc.record({
    type: fc.constant("changes.squashed" as const),
    operationId,
    from: fc.subarray(["o1", "o2", "o3"]),
    pended: fc.boolean(),
    kept: fc.boolean(),
    summary,
  }),
  fc.record({
    type: fc.constant("changes.undone" as const),
    operationId,
    by: fc.constant("s"),
    paths: fc.array(fc.constant("a"), { maxLength: 1 }),
  }),
  fc.record({
    type: fc.constant("context.cleared" as const),
    callIds: fc.subarray(["t1", "t2", "t3"]),
    parts: fc.subarray([
      { callId: "t1", note: "(cleared)" },
      { callId: "t4", note: "(cut)" },
      { callId: "t5", at: 0, note: "(picture)" },
    ]),
    before: fc.constant(9),
    after: fc.constant(3),
  }),
  fc.record({
    type: fc.constant("context.restored" as const),
    of: fc.nat(30),
    keptFrom: fc.nat(30),
    parts: fc.subarray([{ callId: "t1" }, { callId: "t5", at: 0 }]),
    before: fc.constant(3),
    after: fc.constant(9),
  }),
  fc.record({ type: fc.constant("context.pinned" as const), id: fc.constantFrom("p1", "p2"), text: anyText }),
  fc.record({ type: fc.constant("context.unpinned" as const), id: fc.constant("p1") }),
  fc.record({
    type: fc.constant("context.mended" as const),
    why: fc.constant("w"),
    thinking: fc.boolean(),
    parts: fc.array(
      fc.oneof(
        fc.record({ seq: fc.nat(30), note: fc.constant("(note)") }),
        fc.record({ seq: fc.nat(30), at: fc.nat(4), note: fc.constant("(note)") }),
        fc.record({ callId: callIds, note: fc.constant("(note)") }),
        fc.record({ callId: callIds, at: fc.nat(2), note: fc.constant("(note)") }),
      ),
      { maxLength: 3 },
    ),
  }),
  fc.record({
    type: fc.constant("context.compacted" as const),
    summary: anyText,
    keptFrom: fc.nat(40),
    before: fc.constant(9),
    after: fc.constant(3),
  }),
  fc.constant({ type: "context.reset" as const }),
  fc.record({
    type: fc.constant("context.rewound" as const),
    to: fc.nat(30),
    keptFrom: fc.nat(30),
  }),
  fc.record({
    type: fc.constant("mode.changed" as const),
    mode: fc.constantFrom("plan" as const, "ask" as const, "auto" as const),
    by: fc.constant("person" as const),
  }),
  fc.record({
    type: fc.constant("rule.added" as const),
    rule: fc.record({ action: fc.constant("allow" as const), text: anyText, source: fc.constant("session" as const) }),
  }),
  fc.record({ type: fc.constant("session.foreign" as const), reason: anyText }),
  fc.record({
    type: fc.constant("query.finished" as const),
    reason: fc.constantFrom("done" as const, "waiting" as const),
    turns: fc.nat(9),
    durationMs: fc.nat(9),
  }),
  fc.record(
    {
      type: fc.constant("work.begun" as const),
      stage: fc.constantFrom("init" as const, "feature" as const),
      list: anyText,
      feature: fc.record({ id: anyText, check: anyText }),
    },
    { requiredKeys: ["type", "stage", "list"] },
  ),
  fc.record({ type: fc.constant("judge.named" as const), agent: anyText, rounds: fc.nat(3) }),
  fc.record(
    {
      type: fc.constant("verdict.given" as const),
      about: fc.constantFrom("contract" as const, "work" as const),
      ok: fc.boolean(),
      text: anyText,
      round: fc.nat(3),
      of: anyText,
    },
    { requiredKeys: ["type", "about", "ok", "text", "round"] },
  ),
  fc.record({
    type: fc.constant("todo.updated" as const),
    todos: fc.array(fc.record({ text: anyText, status: fc.constant("pending" as const) }), { maxLength: 2 }),
  }),
  fc.record({
    type: fc.constant("group.started" as const),
    groupId: fc.constantFrom("bg_1", "bg_2"),
    callId: anyText,
    operationId: anyText,
    command: anyText,
    cwd: anyText,
  }),
  fc.record({
    type: fc.constant("group.ended" as const),
    groupId: fc.constantFrom("bg_1", "bg_3"),
    how: fc.record({ reason: fc.constant("exit" as const), code: fc.nat(9), signal: fc.constant(null) }),
    told: fc.boolean(),
  }),
  fc.record({
    type: fc.constant("hook.started" as const),
    event: fc.constantFrom("PreToolUse", "PostToolUse", "Stop"),
    names: fc.array(fc.constantFrom("a", "b"), { maxLength: 2 }),
    callId: callIds,
  }),
  fc.record(
    {
      type: fc.constant("hook.ran" as const),
      event: fc.constantFrom("PreToolUse", "PostToolUse"),
      name: fc.constantFrom("a", "b"),
      callId: callIds,
      exit: fc.constantFrom(null, 0, 2),
      decision: fc.constantFrom("allow" as const, "ask" as const, "deny" as const),
      reason: anyText,
      input: anyInput,
      context: anyText,
      stop: anyText,
      operationId: anyText,
      touched: fc.array(
        fc.record({ path: fc.constant("/p/a"), hash: fc.constant("00"), how: fc.constant("written" as const) }),
        { maxLength: 1 },
      ),
    },
    { requiredKeys: ["type", "event", "name", "exit"] },
  ),
  fc.record(
    {
      type: fc.constant("shell.moved" as const),
      cwd: anyText,
      env: fc.dictionary(fc.constantFrom("A", "B"), anyText),
      by: fc.constant("person" as const),
    },
    { requiredKeys: ["type", "cwd", "env"] },
  ),
);
export const anyHistory = fc.array(anyBody, { maxLength: 30 });
