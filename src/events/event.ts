import { z } from "zod";
import { ContentBlock, ReplyBlock } from "./block.ts";
import { contextBodies } from "./context-event.ts";
import { ChangeSummary, Decision, Effect, Mode, PlacedRule, Rule } from "./effect.ts";
import type { LiveEvent } from "./live-event.ts";
import { agentBodies } from "./agent-event.ts";
import { Along, AlongVerdict } from "./along.ts";
import { callBodies } from "./call-event.ts";
import { EndReason } from "./end-reason.ts";
import { body } from "./event-body.ts";
import { limitBodies } from "./limit-event.ts";
import { trustBodies } from "./trust-event.ts";
import { hookBodies } from "./hook-event.ts";
import { memoryBodies } from "./memory-event.ts";
import { keptBodies } from "./kept-event.ts";
import { shellBodies } from "./shell-event.ts";
import { SideEffect } from "./side-effect.ts";
import { Touch } from "./touch.ts";
import { Usage } from "./usage.ts";
import { workBodies } from "./work-event.ts";

export { EndReason, Touch, Usage };

export const Todo = z.object({ text: z.string(), status: z.enum(["pending", "active", "done"]) });
export type Todo = z.infer<typeof Todo>;

export const Root = z.object({ path: z.string(), kind: z.enum(["folder", "added", "git"]) });
export type Root = z.infer<typeof Root>;

export const Effort = z.enum(["low", "medium", "high"]);
export type Effort = z.infer<typeof Effort>;

/** Every known reason of a reply's end, or the API's own word for a new one (L5). */
export const StopReason = z.string();
/** What a call brings back: `content` for the model, `details` for the screen, `touched` for the fold. */
export const CallStatus = z.enum(["ok", "error", "denied", "interrupted", "unknown"]);
export type CallStatus = z.infer<typeof CallStatus>;
export const SavedOutcome = z.object({
  status: CallStatus,
  content: z.array(ContentBlock),
  details: z.unknown().optional(),
  touched: z.array(Touch),
  sideEffects: z.array(SideEffect).optional(),
  /** Where a command left the shell: part of the outcome, so that a run that is repeated starts where the first one did (E3). */
  shell: z.object({ cwd: z.string(), env: z.record(z.string(), z.string()) }).optional(),
});
export type SavedOutcome = z.infer<typeof SavedOutcome>;

/** How a background shell came to its end; `code` and `signal` as of any command. */
export const GroupEnd = z.object({
  reason: z.enum(["exit", "killed", "limit", "lost"]),
  code: z.number().nullable(),
  signal: z.string().nullable(),
  limit: z.string().optional(),
});
export type GroupEnd = z.infer<typeof GroupEnd>;

const callId = z.string();
const operationId = z.string();
/** How many keys its text has placeholders for; none where there are none. */
const keys = z.number().optional();
const rules = z.array(PlacedRule).optional();
/** Of git, when the session was opened in the folder; for lists. */
const branch = z.string().optional();
/** SHA-256, hex, of all that the question put before the person (`shownHash`). */
const shown = z.string();

/** Facts: appended to the log, then yielded. A new one must be added to `reduce` or the build breaks. */
export const LogBody = z.discriminatedUnion("type", [
  body("session.opened", {
    sessionId: z.string(),
    folder: z.string(),
    roots: z.array(Root),
    program: z.string(),
    mode: Mode,
    model: z.string(),
    parent: z.object({ sessionId: z.string(), callId, mac: z.string() }).optional(),
    /** The events up to `seq` are that session's, under the numbers that they have there; `mac`: of its event `seq`. */
    forkedFrom: z.object({ sessionId: z.string(), seq: z.number(), mac: z.string() }).optional(),
    /** Rules of files and flags in force from here on; none where there are none. */
    rules,
    branch,
  }),
  body("session.resumed", { program: z.string(), folder: z.string(), roots: z.array(Root), rules, branch }),
  body("session.repaired", { notes: z.array(z.string()) }),
  /** From here on the chain holds again, but nothing before it is trusted (E1). */
  body("session.foreign", { reason: z.string() }),
  body("session.named", { name: z.string() }),
  /** In the place of a fact that a fork doesn't take over: every other fact keeps the number by which later ones name it. */
  body("fork.left", { kind: z.string() }),
  /** `above`: the session that started this sub-agent switched. */
  body("mode.changed", { mode: Mode, by: z.enum(["person", "flag", "plan", "load", "above"]) }),
  /** `fallback`: the first choice can't be had, for `reason`; `back`: it has its turn again. */
  body("model.changed", {
    model: z.string(),
    by: z.enum(["person", "flag", "fallback", "back"]).optional(),
    reason: z.string().optional(),
  }),
  /** How long the model thinks from here on; none: as settings say, or as it does by itself. */
  body("effort.changed", { effort: Effort.optional(), by: z.enum(["person", "flag"]) }),
  /** `unsaved`: why an "always" counts for this session alone. `by`: not with an answer, but in /permissions. */
  body("rule.added", { rule: Rule, unsaved: z.string().optional(), by: z.literal("person").optional() }),
  /** In /permissions. */
  body("rule.removed", { rule: Rule }),
  /** From here on changes wait in the session's copy for one review (W6), or land step by step again. */
  body("rehearsal.changed", { on: z.boolean(), by: z.enum(["person", "flag"]) }),
  ...trustBodies,
  /** `touched`: files that are attached to it, read as by the tool. */
  body("prompt.submitted", {
    when: z.enum(["start", "steer"]),
    content: z.array(ContentBlock),
    touched: z.array(Touch).optional(),
    keys,
  }),
  /** Text that the program adds beside the person's words: mode, time, memory, results of `!` (C1). */
  body("note.added", { text: z.string() }),
  body("turn.started", { turn: z.number(), model: z.string() }),
  body("reply.completed", {
    turn: z.number(),
    model: z.string(),
    messageId: z.string().optional(),
    blocks: z.array(ReplyBlock),
    usage: Usage,
    stopReason: StopReason,
    durationMs: z.number(),
    attempts: z.number(),
    /** Why it broke off, where what came of it is a reply all the same (ADR 16). */
    brokeOff: z.string().optional(),
  }),
  /** A reply that broke off; what was seen of it is kept for the screen, and goes back to the model only as the text it is. */
  body("reply.cut", {
    turn: z.number(),
    model: z.string(),
    blocks: z.array(ReplyBlock),
    usage: Usage,
    reason: z.string(),
  }),
  /** What an attempt that was asked for anew had used: paid for, though nothing of it is kept. */
  body("reply.voided", { turn: z.number(), model: z.string(), usage: Usage, reason: z.string() }),
  body("permission.asked", {
    questionId: z.string(),
    callId,
    effect: Effect,
    decision: Decision,
    shown: shown.optional(),
    /** Further calls that the question is about (ADR 37). */
    along: z.array(Along).optional(),
  }),
  body("permission.decided", {
    callId,
    questionId: z.string().optional(),
    gate: z.enum(["needs", "changes"]),
    outcome: z.enum(["allow", "deny"]),
    by: z.enum(["policy", "rule", "person", "hook", "nobody", "bypass"]),
    /** A hook asked or denied: its name, empty where it has none. No rule lifts that (H2). */
    hook: z.string().optional(),
    reason: z.string(),
    risk: Decision.shape.risk,
    rule: Rule.optional(),
    rules: Decision.shape.rules,
    /** The person's words beside the answer. */
    note: z.string().optional(),
    /** A bare no: the query ends (P5). */
    ends: z.boolean().optional(),
    /** Paths of the change set that the person left out. */
    dropped: z
      .array(z.object({ root: z.number(), path: z.string(), hunks: z.array(z.number()).optional() }))
      .optional(),
    /** Beyond what was proposed: what lands since the person settled a conflict of a rehearsal so. */
    settled: z.array(z.object({ root: z.number(), path: z.string() })).optional(),
    /** Its regenerable output lands along (P9). */
    withRegenerable: z.boolean().optional(),
    effect: Effect.optional(),
    shown: shown.optional(),
    /** What the answer says of the further calls that the question was about. */
    along: z.array(AlongVerdict).optional(),
  }),
  ...callBodies,
  body("call.started", {
    callId,
    operationId,
    attempt: z.number(),
    tool: z.string(),
    input: z.record(z.string(), z.unknown()),
  }),
  /** The call's whole outcome, durable before the question and before the landing (E3). `from`: a review's sum of these layers (W6). */
  body("changes.proposed", {
    callId,
    operationId,
    outcome: SavedOutcome,
    summary: ChangeSummary,
    from: z.array(operationId).optional(),
  }),
  /** In a rehearsal: the step's change set is a layer of the session's copy and waits for the review (W6). */
  body("changes.pended", {
    callId: callId.optional(),
    operationId,
    summary: ChangeSummary,
    touched: z.array(Touch),
  }),
  /** One layer takes the place of these: there were too many, or a review left this of them. `pended`, `kept`: what it holds; neither: nothing. */
  body("changes.squashed", {
    operationId,
    from: z.array(operationId),
    pended: z.boolean(),
    kept: z.boolean(),
    summary: ChangeSummary,
  }),
  body("changes.landed", {
    callId: callId.optional(),
    operationId,
    summary: ChangeSummary,
    by: z.string(),
    touched: z.array(Touch),
  }),
  body("changes.kept", {
    callId: callId.optional(),
    operationId,
    files: z.number(),
    bytes: z.number(),
    paths: z.array(z.string()),
  }),
  body("changes.dropped", { callId: callId.optional(), operationId, reason: z.string() }),
  body("changes.conflicted", {
    callId: callId.optional(),
    operationId,
    conflicts: z.array(z.object({ root: z.number(), path: z.string(), why: z.string() })),
    /** Files of the step, none of which landed. */
    files: z.number().optional(),
  }),
  body("changes.undone", { operationId, by: z.string(), paths: z.array(z.string()) }),
  body("changes.redone", { operationId, by: z.string(), paths: z.array(z.string()) }),
  ...shellBodies,
  body("call.finished", {
    callId,
    operationId: operationId.optional(),
    ...SavedOutcome.shape,
    durationMs: z.number(),
    keys,
  }),
  /** A command that goes on in the background; `operationId` names its step folder. */
  body("group.started", { groupId: z.string(), callId, operationId, command: z.string(), cwd: z.string() }),
  /** `told`: the result of a call said so. "lost": it ended with the program. */
  body("group.ended", { groupId: z.string(), how: GroupEnd, told: z.boolean() }),
  body("todo.updated", { todos: z.array(Todo) }),
  ...agentBodies,
  ...limitBodies,
  ...contextBodies,
  ...hookBodies,
  ...memoryBodies,
  ...keptBodies,
  ...workBodies,
  body("query.finished", {
    reason: EndReason,
    detail: z.string().optional(),
    turns: z.number(),
    durationMs: z.number(),
    /** The sentence by which the model says that tests pass, where none ran since the last change (S9). */
    unverified: z.string().optional(),
  }),
]);
export type LogBody = z.infer<typeof LogBody>;

/** `at`: ISO time. `mac`: HMAC-SHA256 over the mac before it and this line without its mac, hex (E1). */
export type LogEvent = { v: 1; seq: number; at: string; mac: string } & LogBody;
export type LogBodyOf<T extends LogBody["type"]> = Extract<LogBody, { type: T }>;
export type LogEventOf<T extends LogBody["type"]> = Extract<LogEvent, { type: T }>;

export type SessionEvent = LogEvent | LiveEvent;

/** True for an event that is in the log. */
export function isFact(event: SessionEvent): event is LogEvent {
  return "seq" in event;
}
