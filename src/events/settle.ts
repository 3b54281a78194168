import { assertNever } from "../util/never.ts";
import type { CallState, SessionState } from "./state.ts";

/** What a fold can't tell about unfinished calls. */
export interface SettleFacts {
  /** Operations that the door's journal has as landed: the truth on what landed (W8). */
  landed: ReadonlySet<string>;
  /** Operations that the journal has as undone: they had landed, and must not land again. */
  undone?: ReadonlySet<string>;
  /**
   * True for a call that can be run twice without harm: Read, Grep, Glob, Write, Edit, Delete, AskUser, a command that ran in the copy
   * without network. False for what left the copy (network, unsandboxed, MCP, hook) and for unknown tools.
   */
  contained(call: CallState): boolean;
}

/**
 * What becomes of a call without a result when its session is loaded (E3).
 * - `not-begun`: it never started; permit and run it. `needs` is set when its needs were allowed already.
 * - `run-again`: it started without an outcome that reached the log; run it again with the same operation id and this attempt.
 * - `ask-again`: its question was open; ask it anew (`gate` needs: before it runs; changes: on the same proposed set), after deciding
 *   anew by the rules of now (P7).
 * - `roll-forward`: landing was decided on and has not happened; land the proposed set (safe to repeat), then finish from what was proposed.
 * - `finish-from-proposed`: nothing is left to do but the result. `landed`: its changes are in the folder; `record`: the log doesn't
 *   know that yet, so `changes.landed` is appended first.
 * - `finish-denied`: it was decided against (`gate`), the result and the dropping are missing.
 * - `finish-conflicted`: its landing was refused for a conflict.
 * - `unknown`: it may have had effects that nobody can see; told to model and person, never run again.
 * - `interrupted`: the talk went on without it.
 */
export type Settlement = { callId: string; why: string } & (
  | { action: "not-begun"; needs?: "allow" }
  | { action: "run-again"; operationId: string; attempt: number }
  | { action: "ask-again"; gate: "needs" | "changes"; operationId?: string }
  | { action: "roll-forward"; operationId: string }
  | { action: "finish-from-proposed"; operationId: string; landed: boolean; record: boolean }
  | { action: "finish-denied"; gate: "needs" | "changes"; operationId?: string }
  | { action: "finish-conflicted"; operationId: string }
  | { action: "unknown"; operationId: string }
  | { action: "interrupted" }
);

/** What to do about every call without a result, in the calls' order. Pure; nothing is left to settle when it is empty. */
export function settle(state: SessionState, facts: SettleFacts): Settlement[] {
  const current = currentReply(state);
  return [...state.calls.values()]
    .filter((call) => call.result === undefined)
    .map((call): Settlement => {
      if (call.replySeq !== current) {
        return { callId: call.callId, action: "interrupted", why: "the conversation went on without it" };
      }
      return settleCall(call, state, facts);
    });
}

/** seq of the reply whose calls are still to be answered: the newest, in a query that was not ended. */
function currentReply(state: SessionState): number | undefined {
  const { query } = state;
  if (query === undefined || (query.ended ?? "waiting") !== "waiting") return undefined;
  const reply = state.items.findLast((item) => item.kind === "reply" && item.cut === undefined);
  return reply !== undefined && reply.seq > query.startSeq ? reply.seq : undefined;
}

function settleCall(call: CallState, state: SessionState, facts: SettleFacts): Settlement {
  const { callId, operationId } = call;
  if (operationId === undefined) return notStarted(call);
  if (call.proposed !== undefined) return settleProposed(call, operationId, state, facts);
  if (facts.landed.has(operationId) || facts.undone?.has(operationId) === true) {
    return { callId, action: "unknown", operationId, why: "its changes landed, but its outcome is not in the log" };
  }
  if (!facts.contained(call)) {
    return {
      callId,
      action: "unknown",
      operationId,
      why: "it had begun outside the copy; what it did there can't be seen",
    };
  }
  return {
    callId,
    action: "run-again",
    operationId,
    attempt: call.attempt + 1,
    why: "it had begun in the copy and left no outcome",
  };
}

function notStarted(call: CallState): Settlement {
  const { callId } = call;
  if (call.question !== undefined) return { callId, action: "ask-again", gate: "needs", why: "its question was open" };
  if (call.needs === "deny") return { callId, action: "finish-denied", gate: "needs", why: "it was denied" };
  const why = "it had not begun";
  return call.needs === "allow"
    ? { callId, action: "not-begun", needs: "allow", why }
    : { callId, action: "not-begun", why };
}

function settleProposed(call: CallState, operationId: string, state: SessionState, facts: SettleFacts): Settlement {
  const { callId } = call;
  const known = call.landed === true;
  if (known || facts.landed.has(operationId)) {
    const why = "its changes had landed";
    return { callId, action: "finish-from-proposed", operationId, landed: true, record: !known, why };
  }
  if (facts.undone?.has(operationId) === true) {
    const why = "its changes had landed and were undone since";
    return { callId, action: "finish-from-proposed", operationId, landed: false, record: false, why };
  }
  const status = state.steps.findLast((step) => step.operationId === operationId)?.status ?? "proposed";
  switch (status) {
    case "conflicted":
      return { callId, action: "finish-conflicted", operationId, why: "its landing met a conflict" };
    case "dropped":
      return { callId, action: "finish-denied", gate: "changes", operationId, why: "its changes were dropped" };
    case "kept":
    case "pended":
    case "squashed":
    case "landed":
    case "undone":
      return {
        callId,
        action: "finish-from-proposed",
        operationId,
        landed: false,
        record: false,
        why: "its changes were settled",
      };
    case "proposed":
      return undecided(call, operationId);
    default:
      return assertNever(status);
  }
}

function undecided(call: CallState, operationId: string): Settlement {
  const { callId } = call;
  if (call.verdict === "deny") {
    return { callId, action: "finish-denied", gate: "changes", operationId, why: "its changes were decided against" };
  }
  if (call.verdict === "allow") {
    return { callId, action: "roll-forward", operationId, why: "its changes were decided on and not yet landed" };
  }
  return {
    callId,
    action: "ask-again",
    gate: "changes",
    operationId,
    why: "its changes were proposed and not decided on",
  };
}

/** What an unfinished query needs next: its calls settled, the model asked (again), or nothing. One that waited goes on once it was answered. */
export function nextStep(state: SessionState): "settle-calls" | "ask-model" | "nothing" {
  const { query } = state;
  if (query === undefined || (query.ended !== undefined && query.ended !== "waiting")) return "nothing";
  const current = currentReply(state);
  const open = [...state.calls.values()].some((call) => call.result === undefined && call.replySeq === current);
  if (open) return "settle-calls";
  return "ask-model";
}
