import { isAbsolute, relative } from "node:path";
import type { Decision, Effect, Mode, Need, PlacedRule, Rule } from "../events/effect.ts";
import type { LogEvent, LogEventOf } from "../events/event.ts";
import { fold, initialState } from "../events/reduce.ts";
import type { Verdict } from "../permissions/lattice.ts";
import { builtinTools } from "../tools/builtin.ts";
import { sameRule } from "./policy-live.ts";

type Decided = LogEventOf<"permission.decided">;

/** What held when something was decided. */
export interface Policy {
  mode: Mode;
  trusted: boolean;
  /** Rules of files and flags, each with its place, where the log tells them. */
  files: readonly PlacedRule[];
  /** Those of the session itself. */
  session: readonly Rule[];
}

/** One gate of a call, as the log tells it. */
export interface PastGate {
  gate: "needs" | "changes";
  seq: number;
  at: string;
  effect: Effect;
  policy: Policy;
  /** What policy, rules and hooks said. */
  then: Decision["action"];
  asked?: LogEventOf<"permission.asked">;
  /** Absent: no gate had to judge it (a read within the folder), or its question is open. */
  decided?: Decided;
  hooks: readonly Verdict[];
}

/** A call with its gates. `n`: its number among the session's calls, from 1. */
export interface PastCall {
  n: number;
  callId: string;
  tool: string;
  subject: string;
  input: Record<string, unknown>;
  gates: readonly PastGate[];
  hooks: readonly LogEventOf<"hook.ran">[];
  status: string;
}

/** Every call of a log with what was decided about it, in the order in which the model asked for them. */
export function pastCalls(events: readonly LogEvent[]): PastCall[] {
  const { calls, folder } = fold(initialState(""), events);
  const gates = gatesOf(events, folder);
  const hooks = events.filter((e) => e.type === "hook.ran");
  return [...calls.values()].map((call, i) => {
    const mine = gates.get(call.callId) ?? [];
    return {
      n: i + 1,
      callId: call.callId,
      tool: call.tool,
      subject: mine[0]?.effect.subject ?? seenEffect(call.tool, call.input, folder).subject,
      input: call.input,
      gates: mine,
      hooks: hooks.filter((h) => h.callId === call.callId),
      status: call.result?.status ?? "open",
    };
  });
}

function gatesOf(events: readonly LogEvent[], folder: string): Map<string, PastGate[]> {
  const found = new Map<string, PastGate[]>();
  const asked = new Map<string, LogEventOf<"permission.asked">>();
  const verdicts = new Map<string, Verdict[]>();
  let policy: Policy = { mode: "ask", trusted: false, files: [], session: [] };
  const put = (callId: string, gate: PastGate) =>
    // A call that was asked about again after a crash has one verdict a gate: the last.
    found.set(callId, [...(found.get(callId) ?? []).filter((g) => g.gate !== gate.gate), gate]);
  for (const event of events) {
    policy = policyAfter(policy, event);
    const { seq, at } = event;
    if (event.type === "hook.ran") noteVerdict(verdicts, event);
    if (event.type === "permission.asked") {
      const gate = event.effect.changes === undefined ? "needs" : "changes";
      asked.set(event.questionId, event);
      put(event.callId, {
        gate,
        seq,
        at,
        effect: event.effect,
        policy,
        then: "ask",
        asked: event,
        hooks: verdicts.get(event.callId) ?? [],
      });
    }
    if (event.type === "permission.decided" && event.effect !== undefined) {
      const question = event.questionId === undefined ? undefined : asked.get(event.questionId);
      // What --bypass allowed would have been asked.
      const then = question === undefined && event.by !== "bypass" ? event.outcome : "ask";
      const { gate, effect, callId } = event;
      const more = question === undefined ? {} : { asked: question };
      put(callId, { gate, seq, at, effect, policy, then, ...more, decided: event, hooks: verdicts.get(callId) ?? [] });
    }
    if (event.type === "call.started" && !(found.get(event.callId) ?? []).some((g) => g.gate === "needs")) {
      const effect = seenEffect(event.tool, event.input, folder);
      put(event.callId, { gate: "needs", seq, at, effect, policy, then: "allow", hooks: [] });
    }
  }
  return found;
}

function noteVerdict(
  verdicts: Map<string, Verdict[]>,
  { event, callId, decision, reason = "", name }: LogEventOf<"hook.ran">,
): void {
  // Others speak of what has run already.
  if (event !== "PreToolUse" || callId === undefined || (decision !== "ask" && decision !== "deny")) return;
  verdicts.set(callId, [...(verdicts.get(callId) ?? []), { action: decision, reason, hook: name }]);
}

function policyAfter(policy: Policy, event: LogEvent): Policy {
  switch (event.type) {
    case "session.opened":
      return { ...policy, mode: event.mode, files: event.rules ?? [] };
    case "session.resumed":
      return { ...policy, trusted: false, files: event.rules ?? [] };
    case "session.foreign":
      return { ...policy, mode: "ask", trusted: false, session: [] };
    case "mode.changed":
      return { ...policy, mode: event.mode };
    case "trust.given":
      return { ...policy, trusted: true };
    case "trust.ended":
      return { ...policy, trusted: false };
    case "rule.added":
      return event.rule.source === "session"
        ? { ...policy, session: [...policy.session, event.rule] }
        : { ...policy, files: [...policy.files, event.rule] };
    case "rule.removed": {
      const left = <R extends Rule>(rules: readonly R[]) => rules.filter((r) => !sameRule(r, event.rule));
      return { ...policy, files: left(policy.files), session: left(policy.session) };
    }
    default:
      return policy;
  }
}

/** The effect of a call that no gate had to judge, as its input tells it: paths as they are named, links not followed. */
export function seenEffect(tool: string, input: Record<string, unknown>, folder: string): Effect {
  const known = builtinTools.find((t) => t.name === tool);
  const parsed = known?.input.safeParse(input);
  if (known === undefined || parsed?.success !== true)
    return { tool, subject: JSON.stringify(input), needs: [], contained: true };
  const paths = (known.paths?.(parsed.data) ?? []).map((path) => named(path, folder));
  const needs: Need[] = known.rules === "change" ? [{ kind: "change", paths }] : [];
  return {
    tool,
    subject: known.subject(parsed.data),
    ...(paths.length === 0 ? {} : { paths }),
    needs,
    contained: true,
  };
}

/** Relative to the folder where it lies in it, as rules match it. */
function named(path: string, folder: string): string {
  if (!isAbsolute(path)) return path;
  const inside = relative(folder, path);
  return inside.startsWith("..") || inside === "" ? path : inside;
}
