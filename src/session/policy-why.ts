import type { Effect, Mode, PlacedRule, Rule } from "../events/effect.ts";
import { decide } from "../permissions/decide.ts";
import { changesNothing, factTexts, fileList, highFacts, needsOf, needText } from "../permissions/risk.ts";
import { visible } from "../util/visible.ts";
import { sameRule } from "./policy-live.ts";
import { insteadOf } from "./policy-instead.ts";
import type { PastCall, PastGate } from "./policy-past.ts";

/** A rule that had a say, with its place. `decided`: the verdict rests on it. */
export interface RuleSaid extends PlacedRule {
  decided: boolean;
}

/** One gate of a call: what was judged, by what, and what would have changed it. */
export interface WhyGate {
  gate: "needs" | "changes";
  at: string;
  mode: Mode;
  /** One line for each thing that the call needed, or would have changed. */
  effect: readonly string[];
  risk: "low" | "medium" | "high";
  /** What policy, rules and hooks said together. */
  verdict: "allow" | "ask" | "deny";
  /** What came of it; "open": a question without an answer. */
  outcome: "allow" | "deny" | "open";
  /** Who had the last word; "none": no gate had to judge it. */
  by: "policy" | "rule" | "person" | "hook" | "nobody" | "bypass" | "none";
  reason: string;
  rules: readonly RuleSaid[];
  /** The person's words beside the answer. */
  note?: string;
  /** Sentences. */
  instead: readonly string[];
}

/** Why a call was allowed, asked about or denied, out of the log alone (P6). */
export interface Why {
  n: number;
  callId: string;
  tool: string;
  subject: string;
  status: string;
  hooks: readonly { event: string; name: string; exit: number | null; said?: string }[];
  gates: readonly WhyGate[];
}

/** Explains a call. */
export function whyOf(call: PastCall): Why {
  const { n, callId, tool, subject, status } = call;
  return {
    n,
    callId,
    tool,
    subject,
    status,
    hooks: call.hooks.map(({ event, name, exit, decision, reason, failed, note }) => {
      const said = [decision, reason ?? note, failed].filter((word) => word !== undefined && word !== "").join(": ");
      return { event, name, exit, ...(said === "" ? {} : { said }) };
    }),
    gates: call.gates.map((gate) => gateOf(gate, call.gates.length === 1)),
  };
}

/** The call that is meant: the last, or one by its number or id (or the id's beginning, where it is the only one). */
export function findCall(calls: readonly PastCall[], wanted: string | undefined): PastCall | undefined {
  if (wanted === undefined) return calls.findLast((call) => call.gates.length > 0);
  const number = /^#?(\d{1,7})$/.exec(wanted)?.[1];
  const exact = calls.find((call) => call.callId === wanted || String(call.n) === number);
  const near = calls.filter((call) => call.callId.startsWith(wanted));
  return exact ?? (near.length === 1 ? near[0] : undefined);
}

/** `only`: the call has no other gate. What was not judged is of interest then alone. */
function gateOf(gate: PastGate, only: boolean): WhyGate {
  const { asked, decided, policy, effect } = gate;
  const decision = asked?.decision ?? decided;
  const rules = [...policy.files, ...policy.session];
  const judged = decision ?? decide(effect, policy.mode, rules, policy.trusted, gate.hooks);
  const note = decided?.note;
  return {
    gate: gate.gate,
    at: gate.at,
    mode: policy.mode,
    effect: effectLines(effect),
    risk: judged.risk,
    verdict: gate.then,
    outcome: decided?.outcome ?? (asked === undefined ? "allow" : "open"),
    by: decided?.by ?? "none",
    reason: judged.reason,
    rules: rulesSaid(gate, rules),
    ...(note === undefined ? {} : { note }),
    instead: only || decision !== undefined ? insteadOf(gate, rules) : [],
  };
}

/** What a call needs or would change, a line each. */
export function effectLines(effect: Effect): string[] {
  const { changes } = effect;
  if (changes === undefined) {
    const needs = needsOf(effect).map(needText);
    return needs.length > 0 ? needs : ["needs nothing that has to be asked about"];
  }
  if (changesNothing(effect)) return ["changes nothing"];
  const facts = changes.entries.flatMap((entry) => highFacts(entry).map((fact) => ({ entry, fact })));
  const plain = changes.entries.filter((entry) => highFacts(entry).length === 0);
  return [
    ...factTexts(facts),
    ...(plain.length === 0 ? [] : [`changes ${fileList(plain)}`]),
    ...changes.git.map((g) => visible(g.text, "")),
    ...(changes.undoable ? [] : ["can't be undone"]),
  ];
}

/** Rules that the verdict rests on first, then those that alone would have made another one than policy did. */
function rulesSaid({ effect, policy, asked, decided }: PastGate, rules: readonly PlacedRule[]): RuleSaid[] {
  const decision = asked?.decision ?? decided;
  const deciding = decision?.rules ?? (decision?.rule === undefined ? [] : [decision.rule]);
  const placed = deciding.map((rule) => ({ ...(rules.find((r) => sameRule(r, rule)) ?? rule), decided: true }));
  const without = decide(effect, policy.mode, [], policy.trusted);
  const others = rules.filter((rule) => !deciding.some((d) => sameRule(d, rule)));
  const said = others.filter((rule) => {
    const alone = decide(effect, policy.mode, [plain(rule)], policy.trusted);
    return alone.action !== without.action || alone.reason !== without.reason;
  });
  return [...placed, ...said.map((rule) => ({ ...rule, decided: false }))];
}

function plain({ action, text, source }: Rule): Rule {
  return { action, text, source };
}
