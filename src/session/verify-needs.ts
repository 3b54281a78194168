import type { Effect } from "../events/effect.ts";
import type { LogEvent, LogEventOf } from "../events/event.ts";
import { highRisk } from "../permissions/risk.ts";
import { isLeaving } from "./trace-calls.ts";
import { type Breach, type Claim, count } from "./verify-claim.ts";
import { bypassOf, lifted, modesOf, questions, ruleNames, unbypassed } from "./verify-facts.ts";

type Decided = LogEventOf<"permission.decided">;

/** What left the copy (network, outside, unsandboxed, other programs' tools) was asked about and answered yes before it began. */
export function verifyNeeds(events: readonly LogEvent[]): Claim {
  const allowed = events.filter(isAllowed);
  const high = allowed.filter((d) => d.risk === "high" || risky(d.effect));
  const then = { mode: modesOf(events), bypass: bypassOf(events) };
  const asked = questions(events);
  const breaches = high.flatMap((d): Breach[] => {
    const what = unasked(d, asked, then);
    return what === undefined ? [] : [{ seq: d.seq, what }];
  });
  const byRule = high.filter((d) => d.by === "rule");
  const bypassed = high.filter((d) => d.by === "bypass").length;
  const parts = [
    `${high.length - byRule.length - bypassed} asked and answered yes`,
    ...(byRule.length === 0 ? [] : [`${byRule.length} lifted by rule${ruleNames(byRule)}`]),
    ...(bypassed === 0 ? [] : [`${bypassed} bypassed, so not asked`]),
  ];
  const text = high.length === 0 ? "nothing left the copy" : `${count(high.length, "call")}, ${parts.join(", ")}`;
  return { name: "outside", text, breaches: [...breaches, ...unforeseen(events)] };
}

function isAllowed(event: LogEvent): event is Decided {
  return event.type === "permission.decided" && event.gate === "needs" && event.outcome === "allow";
}

function risky(effect: Effect | undefined): boolean {
  return effect !== undefined && highRisk(effect).length > 0;
}

function unasked(
  decided: Decided,
  asked: ReturnType<typeof questions>,
  then: { mode: ReturnType<typeof modesOf>; bypass: ReturnType<typeof bypassOf> },
): string | undefined {
  const { effect, by, questionId, seq } = decided;
  if (effect === undefined) return "what was allowed is not recorded";
  if (by === "rule") return lifted(decided, effect, then.mode(seq)) ? undefined : "no rule that is named lifts it";
  if (by === "bypass") return unbypassed(effect, then.mode(seq), then.bypass(seq));
  if (by !== "person") return `allowed by ${by} alone: ${highRisk(effect).join("; ")}`;
  const question = questionId === undefined ? undefined : asked.get(questionId);
  if (question === undefined || question.seq > seq) return "the yes answers no question that was asked before";
  const same = JSON.stringify(question.effect.needs) === JSON.stringify(effect.needs);
  return same ? undefined : "the question was on other needs";
}

/** Effects beyond the copy that no yes stands before: of the call itself, or of one that began a background shell. */
function unforeseen(events: readonly LogEvent[]): Breach[] {
  const begun = new Set<string>();
  const allowed = new Set<string>();
  let shells = false;
  return events.flatMap((event): Breach[] => {
    if (
      event.type === "permission.decided" &&
      isLeaving(event) &&
      event.outcome === "allow" &&
      !begun.has(event.callId)
    )
      allowed.add(event.callId);
    if (event.type === "call.started") begun.add(event.callId);
    if (event.type === "group.started") shells ||= allowed.has(event.callId);
    if (event.type !== "call.finished" || (event.sideEffects ?? []).length === 0) return [];
    if (allowed.has(event.callId) || shells) return [];
    return [{ seq: event.seq, what: "it had effects beyond the copy that nobody allowed before it began" }];
  });
}
