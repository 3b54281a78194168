import type { ChangeEntry, ChangeSummary, Effect } from "../events/effect.ts";
import type { LogEvent } from "../events/event.ts";
import { highRisk } from "../permissions/risk.ts";
import { type Breach, type Claim, count } from "./verify-claim.ts";
import { type LandedFact, landings, lifted, ruleNames, unbypassed } from "./verify-facts.ts";

/** Every high-risk change set that landed was asked about and answered yes before, or lifted by rules that name it (P3). */
export function verifyHighRisk(events: readonly LogEvent[]): Claim {
  const all = landings(events);
  const high = all.filter((fact) => risks(fact).length > 0);
  const breaches = high.flatMap((fact): Breach[] => {
    const what = unasked(fact);
    return what === undefined ? [] : [{ seq: fact.landed.seq, what: `${risks(fact).join("; ")}: ${what}` }];
  });
  const good = high.filter((fact) => unasked(fact) === undefined);
  const typed = good.filter(isTyped);
  const reviewed = good.filter((f) => !isTyped(f) && f.proposed?.from !== undefined);
  const byRule = good.filter((f) => !isTyped(f) && f.decided?.by === "rule");
  const bypassed = good.filter((f) => f.decided?.by === "bypass").length;
  const asked = good.length - typed.length - reviewed.length - byRule.length - bypassed;
  const names = ruleNames(byRule.flatMap((f) => f.decided ?? []));
  const parts = [
    `${asked} asked and answered yes`,
    ...(byRule.length === 0 ? [] : [`${byRule.length} lifted by rule${names}`]),
    ...(bypassed === 0 ? [] : [`${bypassed} bypassed, so not asked`]),
    ...(reviewed.length === 0 ? [] : [`${reviewed.length} reviewed by the person`]),
    ...(typed.length === 0 ? [] : [`${typed.length} typed by the person`]),
  ];
  const text = high.length === 0 ? "none landed" : `${count(high.length, "change set")} landed, ${parts.join(", ")}`;
  return { name: "high risk", text, breaches };
}

/** Every change set that landed was proposed, and a decision stands between proposal and landing. */
export function verifyDecided(events: readonly LogEvent[]): Claim {
  const all = landings(events);
  const typed = all.filter(isTyped).length;
  return {
    name: "decided",
    text: `${count(all.length, "change set")} landed, each proposed and decided on before${typed === 0 ? "" : `, or typed by the person (${typed})`}`,
    breaches: all.flatMap((fact) => {
      const what = undecided(fact);
      return what === undefined ? [] : [{ seq: fact.landed.seq, what }];
    }),
  };
}

/** Nothing landed by a decision of plan mode (P1). */
export function verifyPlan(events: readonly LogEvent[]): Claim {
  const breaches = landings(events)
    .filter((fact) => fact.mode === "plan" && fact.proposed?.from === undefined)
    .map(({ landed }) => ({ seq: landed.seq, what: `${files(landed.summary)} landed in plan mode` }));
  return { name: "plan mode", text: "no write landed in it", breaches };
}

function isTyped({ typed, decided }: LandedFact): boolean {
  return typed && decided === undefined;
}

function risks({ landed }: LandedFact): string[] {
  return highRisk(effectOf(landed.summary));
}

function effectOf(changes: ChangeSummary): Effect {
  return { tool: "", subject: "", needs: [], changes, contained: true };
}

/** Why a high-risk landing was not asked about; undefined where it was. */
function unasked(fact: LandedFact): string | undefined {
  const { decided, proposed, asked, mode } = fact;
  if (isTyped(fact)) return undefined;
  if (proposed === undefined || decided === undefined) return "landed without a decision";
  const effect = decided.effect;
  if (effect?.changes?.manifestHash !== proposed.summary.manifestHash) return "the decision was on another change set";
  if (decided.by === "rule") return lifted(decided, effect, mode) ? undefined : "no rule that is named lifts it";
  if (decided.by === "bypass") return unbypassed(effect, mode, fact.bypass);
  if (decided.by !== "person") return `landed by ${decided.by} alone`;
  // A review is the person's own command: `/land`, `agent land`.
  if (proposed.from !== undefined) return undefined;
  if (asked === undefined) return "the yes answers no question that was asked before";
  if (asked.effect.changes?.manifestHash !== proposed.summary.manifestHash)
    return "the question was on another change set";
  return undefined;
}

function undecided(fact: LandedFact): string | undefined {
  const { landed, proposed, decided, asked } = fact;
  if (proposed === undefined) return "it was never proposed";
  if (decided === undefined && !fact.typed) return "no yes stands between its proposal and its landing";
  if (decided?.by === "person" && asked !== undefined && !isAbout(asked, decided))
    return "the yes is to the question of another call, which did not show it so";
  const known = new Set(proposed.summary.entries.map(entryName));
  const settled = new Set(decided?.settled?.map(({ root, path }) => `${root}/${path}`));
  const more = landed.summary.entries.find(
    (entry) => !known.has(entryName(entry)) && !settled.has(`${entry.root}/${entry.path}`),
  );
  if (more !== undefined) return `${more.path} landed and was not proposed so`;
  const git = landed.summary.git.find((g) => !proposed.summary.git.some((p) => p.text === g.text));
  return git === undefined ? undefined : `landed and was not proposed: ${git.text}`;
}

/** A question about several calls names each with what it would come to (ADR 37). */
function isAbout(
  { callId, along = [] }: NonNullable<LandedFact["asked"]>,
  decided: NonNullable<LandedFact["decided"]>,
): boolean {
  return callId === decided.callId || along.some((one) => one.callId === decided.callId && one.shown === decided.shown);
}

/** What must not differ between what was judged and what landed. */
function entryName({ root, path, from, op, type, marks }: ChangeEntry): string {
  return JSON.stringify([root, path, from, op, type, marks.toSorted()]);
}

function files({ files: n, entries }: ChangeSummary): string {
  const [first] = entries;
  return n === 1 && first !== undefined ? first.path : count(n, "file");
}
