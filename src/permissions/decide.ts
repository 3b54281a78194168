import type { ChangeEntry, Decision, Effect, Mode, Need, Rule } from "../events/effect.ts";
import { unasked } from "./bypass.ts";
import { strictest, type Verdict } from "./lattice.ts";
import {
  changesNothing,
  factTexts,
  fileList,
  highFacts,
  isHigh,
  MANY_FILES,
  manyText,
  nameList,
  needsOf,
  needText,
  riskOf,
  type HighFact,
} from "./risk.ts";
import { commandAllow, concerns, entryAllow, liftOf, liftsHighRisk, ruleBook, type RuleBook } from "./rule-match.ts";
import type { ParsedRule } from "./rule-parse.ts";
import { rulesOf } from "./tool-rules.ts";
import { visible } from "../util/visible.ts";

/** What plan mode says to a call that would change something (P1). */
export const PLAN_REFUSAL = "plan mode: say in the plan what you would change";

/**
 * The one decision (P2): pure, no I/O. An effect with `changes` is judged as what lands (its needs were judged before it ran), one
 * without as what must be allowed before it runs. The strictest of policy, rules and hooks wins; an allow only lifts what it names.
 * `trust`: whether the person trusts the folder. No policy loosens by it, since a project's own rules only ever tighten.
 * `hooks`: what hooks said about this effect, with their names. An allow of theirs is nothing: they only tighten (H2). `bypass`: what the
 * policy would ask is allowed; asks of rules and hooks, and every deny, stay (P8).
 */
export function decide(
  effect: Effect,
  mode: Mode,
  rules: readonly Rule[],
  _trust: boolean,
  hooks: readonly Verdict[] = [],
  bypass = false,
): Decision {
  const book = ruleBook(rules);
  const judged = effect.changes === undefined ? judgeNeeds(effect, mode, book) : judgeChanges(effect, mode, book);
  const { verdicts: policy, bypassed } = bypass ? unasked(judged) : { verdicts: judged, bypassed: false };
  const verdict = strictest([...policy, ...judgeRules(effect, book), ...hooks.flatMap(judgeHook)]);
  const reason = verdict.reason === "" ? "changes nothing and stays in the copy" : verdict.reason;
  const lifted = bypassed && verdict.action === "allow" ? { bypassed } : {};
  return { ...verdict, risk: riskOf(effect), reason, ...lifted };
}

/** A hook's word, said as a hook's. */
function judgeHook({ action, reason, hook }: Verdict): Verdict[] {
  if (action === "allow") return [];
  const who = `${hook === undefined ? "a hook" : `the hook ${visible(hook, "")}`} ${action === "deny" ? "denies" : "asks"}`;
  const words = visible(reason.replace(/\s+/g, " ").trim(), "");
  return [{ action, reason: words === "" ? who : `${who}: ${words}`, hook: hook ?? "" }];
}

/** Asks and denies of every source. */
function judgeRules(effect: Effect, book: RuleBook): Verdict[] {
  const unread = book.unread.map((rule): Verdict => ({
    action: "ask",
    reason: `${ruleName(rule)} can't be understood`,
    rule,
  }));
  const denied = book.deny.flatMap((r): Verdict[] => {
    const hit = concerns(r, effect);
    if (hit === "no") return [];
    if (hit === "may")
      return [
        { action: "ask", reason: `a new or deleted folder may hold what ${ruleName(r.rule)} denies`, rule: r.rule },
      ];
    return [{ action: "deny", reason: `denied by ${ruleName(r.rule)}`, rule: r.rule }];
  });
  const asked = book.ask
    .filter((r) => isAskedHere(r, effect) && concerns(r, effect) !== "no")
    .map((r): Verdict => ({ action: "ask", reason: `${ruleName(r.rule)} asks`, rule: r.rule }));
  return [...unread, ...denied, ...asked];
}

/**
 * Each ask is put once. A command was asked about before it ran: at the second gate its words have been answered. What a tool would
 * change is asked about there, where it can be seen.
 */
function isAskedHere(rule: ParsedRule, { changes, needs }: Effect): boolean {
  if (changes !== undefined) return rule.kind !== "command" && rule.kind !== "tool";
  const ofChanges = rule.kind === "path" && (rule.of === "Edit" || rule.of === "Delete");
  return !(ofChanges && needs.some((need) => need.kind === "change"));
}

/** Gate 1: what a call must be allowed before it runs. */
function judgeNeeds(effect: Effect, mode: Mode, book: RuleBook): Verdict[] {
  const needs = needsOf(effect);
  const refused = mode === "plan" ? needs.filter(deniedInPlan) : [];
  // Said once, whatever the number of its reasons.
  if (refused.length > 0)
    return [{ action: "deny", reason: `${PLAN_REFUSAL} (it ${refused.map(needText).join(", ")})` }];
  return needs.map((need): Verdict => {
    if (isHigh(need)) return liftedNeed(need, effect, book.allow);
    if (need.kind !== "before" || mode === "auto") return { action: "allow", reason: "" };
    const by = commandAllow(need.words, effect.tool, book.allow);
    const against = voided(by, effect);
    if (by !== undefined && against === undefined)
      return { action: "allow", reason: `allowed by ${ruleName(by.rule)}`, rule: by.rule };
    return { action: "ask", reason: said("the setting permissions.commands asks before every command", against) };
  });
}

/** Plan mode reads, inside and (asked) outside; it acts on nothing. */
function deniedInPlan(need: Need): boolean {
  return need.kind === "change" || (isHigh(need) && !(need.kind === "outside" && need.access === "read"));
}

function liftedNeed(need: Need, effect: Effect, allows: readonly ParsedRule[]): Verdict {
  const by = liftOf(need, allows);
  const against = need.kind === "uncontained" ? voided(by, effect) : undefined;
  return against === undefined ? lifted(by, needText(need)) : { action: "ask", reason: said(needText(need), against) };
}

/** Why an allow of words doesn't count: earlier commands made something else of the words (ADR 30). One of all commands allows that too. */
function voided(by: ParsedRule | undefined, { shaped = [] }: Effect): string | undefined {
  if (shaped.length === 0 || by?.kind !== "command" || by.command === undefined) return undefined;
  return `${ruleName(by.rule)} doesn't count: ${shaped.map((text) => visible(text, "")).join(", ")}`;
}

function said(...parts: readonly (string | undefined)[]): string {
  return parts.filter((part) => part !== undefined && part !== "").join("; ");
}

function lifted(by: ParsedRule | undefined, what: string): Verdict {
  return by === undefined ? { action: "ask", reason: what } : allowedBy(by, what);
}

function allowedBy({ rule }: ParsedRule, what: string): Verdict {
  return { action: "allow", reason: `${what}: allowed by ${ruleName(rule)}`, rule };
}

/** Gate 2: what would land. */
function judgeChanges(effect: Effect, mode: Mode, book: RuleBook): Verdict[] {
  const { changes } = effect;
  if (changes === undefined || changesNothing(effect)) return [];
  if (mode === "plan") return [{ action: "deny", reason: PLAN_REFUSAL }];
  const { held, lifts, told } = splitFacts(changes.entries, book.allow);
  const git = changes.git.filter((g) => g.high).map((g) => visible(g.text, ""));
  const medium = changes.entries.filter((e) => !told.has(e));
  // P4 says how many and which; those that have a reason of their own are named there.
  const many = manyText(effect, nameList(medium));
  const asks = [...factTexts(held), ...git, ...many].map((reason): Verdict => ({ action: "ask", reason }));
  const mediumGit = changes.git.filter((g) => !g.high).map((g) => visible(g.text, ""));
  // Whatever the summary leaves unlisted is medium, never nothing.
  const some = medium.length + mediumGit.length > 0 || told.size + git.length === 0;
  const rest = some ? [judgeMedium(effect, mode, book, medium, mediumGit)] : [];
  const once = rest.map((v) => (many.length > 0 && v.action === "ask" ? { ...v, reason: mediumGit.join("; ") } : v));
  return [...asks, ...lifts, ...once];
}

interface Fact {
  entry: ChangeEntry;
  fact: HighFact;
}

/** High facts that stay, and those that a `Delete(…)` rule lifts: deletions, emptied files, and unsaved work in what it deletes. */
function splitFacts(
  entries: readonly ChangeEntry[],
  allows: readonly ParsedRule[],
): {
  held: Fact[];
  lifts: Verdict[];
  told: ReadonlySet<ChangeEntry>;
} {
  const held: Fact[] = [];
  const byRule = new Map<ParsedRule, ChangeEntry[]>();
  for (const entry of entries) {
    const facts = highFacts(entry);
    const by = facts.length === 0 ? undefined : deleteLift(entry, allows);
    const left = by === undefined ? facts : facts.filter((f) => !liftable(f, entry));
    held.push(...left.map((fact) => ({ entry, fact })));
    if (by !== undefined && left.length < facts.length) byRule.set(by, [...(byRule.get(by) ?? []), entry]);
  }
  const lifts = [...byRule].map(([by, its]) => lifted(by, `deletes or empties ${fileList(its)}`));
  return { held, lifts, told: new Set([...held.map((h) => h.entry), ...[...byRule.values()].flat()]) };
}

function deleteLift(entry: ChangeEntry, allows: readonly ParsedRule[]): ParsedRule | undefined {
  return entryAllow(entry, "Delete", allows.filter(liftsHighRisk));
}

function liftable(fact: HighFact, entry: ChangeEntry): boolean {
  return fact === "delete" || fact === "empty" || (fact === "uncommitted" && entry.op === "delete");
}

/** What is medium lands unasked in auto mode, or where rules cover all of it. */
function judgeMedium(
  effect: Effect,
  mode: Mode,
  book: RuleBook,
  entries: readonly ChangeEntry[],
  git: readonly string[],
): Verdict {
  const what = [...(entries.length === 0 ? [] : [`changes ${fileList(entries)}`]), ...git].join("; ");
  const reason = what === "" ? "changes the folder" : what;
  if (mode === "auto") return { action: "allow", reason };
  const command =
    rulesOf(effect.tool) === "command" ? commandAllow(effect.subject, effect.tool, book.allow) : undefined;
  const against = voided(command, effect);
  if (command !== undefined && against === undefined) return allowedBy(command, reason);
  // More files than these ask anyway; folders beside them are few.
  const covers = entries.length > 20 * MANY_FILES ? [] : entries.map((e) => coverOf(e, entries, book.allow));
  const [by] = covers;
  if (by !== undefined && git.length === 0 && covers.every((c) => c !== undefined)) return allowedBy(by, reason);
  return { action: "ask", reason: said(reason, against) };
}

/** The rule under which an entry lands unasked: its own, or for a new folder that of something in it. */
function coverOf(
  entry: ChangeEntry,
  all: readonly ChangeEntry[],
  allows: readonly ParsedRule[],
): ParsedRule | undefined {
  const own = entryAllow(entry, "Edit", allows);
  if (own !== undefined || entry.type !== "folder" || entry.op !== "create" || entry.files !== undefined) return own;
  const below = all.find((e) => e.type !== "folder" && e.root === entry.root && e.path.startsWith(entry.path + "/"));
  return below === undefined ? undefined : entryAllow(below, "Edit", allows);
}

const SOURCES: Record<Rule["source"], string> = {
  managed: "the machine's settings",
  user: "your settings",
  person: "your own rules for this project",
  project: "the project's settings",
  cli: "the command line",
  session: "this session",
};

/** A rule as people are told of it, with where it comes from. */
export function ruleName(rule: Rule): string {
  return `${visible(rule.text, "")} (${SOURCES[rule.source]})`;
}
