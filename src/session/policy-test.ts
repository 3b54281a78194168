import type { Decision, Mode, Rule } from "../events/effect.ts";
import { decide, ruleName } from "../permissions/decide.ts";
import type { PastCall, PastGate } from "./policy-past.ts";

type Action = Decision["action"];

/** A decision that would be another one under other rules. */
export interface PolicyDifference {
  session: string;
  n: number;
  callId: string;
  tool: string;
  subject: string;
  gate: "needs" | "changes";
  then: Action;
  now: Action;
  /** The rule that makes it so, with its source: of the new decision, or the one of before that is gone. */
  rule?: string;
  reason: string;
}

/** How often each outcome came. */
export type Counts = Record<Action, number>;

export interface PolicyReport {
  sessions: number;
  decisions: number;
  before: Counts;
  after: Counts;
  differences: readonly PolicyDifference[];
}

export interface PolicyInput {
  session: string;
  calls: readonly PastCall[];
  /** Of files and flags; what the person answered in the session itself counts as it did. */
  rules: readonly Rule[];
  mode?: Mode;
}

/**
 * Judges what past sessions decided by other rules, out of their logs alone. What hooks said then counts as it did. Pure.
 */
export function testPolicy(sessions: readonly PolicyInput[]): PolicyReport {
  const before: Counts = { allow: 0, ask: 0, deny: 0 };
  const after: Counts = { allow: 0, ask: 0, deny: 0 };
  const differences: PolicyDifference[] = [];
  for (const input of sessions) {
    for (const call of input.calls) {
      let stopped = false;
      for (const gate of call.gates) {
        before[gate.then]++;
        // What is denied before it runs never comes to have changes.
        if (stopped) continue;
        const now = judged(gate, input);
        after[now.action]++;
        if (now.action !== gate.then) differences.push(difference(input.session, call, gate, now));
        stopped = now.action === "deny";
      }
    }
  }
  const decisions = before.allow + before.ask + before.deny;
  return { sessions: sessions.length, decisions, before, after, differences };
}

function judged({ effect, policy, hooks }: PastGate, { rules, mode }: PolicyInput): Decision {
  return decide(effect, mode ?? policy.mode, [...rules, ...policy.session], policy.trusted, hooks);
}

function difference(session: string, call: PastCall, gate: PastGate, now: Decision): PolicyDifference {
  const before = gate.asked?.decision ?? gate.decided;
  const rule = now.rule ?? before?.rule;
  return {
    session,
    n: call.n,
    callId: call.callId,
    tool: call.tool,
    subject: gate.effect.subject,
    gate: gate.gate,
    then: gate.then,
    now: now.action,
    ...(rule === undefined ? {} : { rule: `${rule.action} ${ruleName(rule)}` }),
    reason: now.reason,
  };
}
