import type { Decision, Effect, Mode, Need, PlacedRule, Rule } from "../events/effect.ts";
import { MODES } from "../events/mode.ts";
import { decide, ruleName } from "../permissions/decide.ts";
import { deleteRules, offer, pinnedRules } from "../permissions/offer.ts";
import type { PastGate } from "./policy-past.ts";
import { sameRule } from "./policy-live.ts";

type Action = Decision["action"];

const WORDS: Record<Action, string> = {
  allow: "it would be allowed",
  ask: "it would be asked about",
  deny: "it would be denied",
};

/** What would have changed a verdict, a sentence each: modes, rules taken away, rules that there could be. Every one is tried. */
export function insteadOf(gate: PastGate, rules: readonly PlacedRule[]): string[] {
  const { effect, policy, then, hooks } = gate;
  const judge = (mode: Mode, list: readonly Rule[]) => decide(effect, mode, list, policy.trusted, hooks).action;
  const now = judge(policy.mode, rules);
  const base = { now: now === then ? now : then, rules, gate, judge };
  return [...without(base), ...modes(base), ...(then === "allow" ? stricter(base) : looser(base)), ...hookWords(gate)];
}

interface Base {
  now: Action;
  rules: readonly PlacedRule[];
  gate: PastGate;
  judge: (mode: Mode, rules: readonly Rule[]) => Action;
}

/** Without the rules that it rests on. */
function without({ now, rules, gate, judge }: Base): string[] {
  const decision = gate.asked?.decision ?? gate.decided;
  const deciding = decision?.rules ?? (decision?.rule === undefined ? [] : [decision.rule]);
  if (deciding.length === 0) return [];
  const left = rules.filter((rule) => !deciding.some((d) => sameRule(d, rule)));
  const then = judge(gate.policy.mode, left);
  if (then === now) return [];
  const names = deciding.map((rule) => `${rule.action} ${ruleName(rule)}`).join(", ");
  const where = deciding.some((r) => r.source === "managed" || r.source === "project")
    ? " (not from here: its file is not yours alone)"
    : "";
  return [`Without ${names}${where} ${WORDS[then]}.`];
}

function modes({ now, rules, gate, judge }: Base): string[] {
  return MODES.filter((mode) => mode !== gate.policy.mode).flatMap((mode) => {
    const then = judge(mode, rules);
    return then === now ? [] : [`In ${mode} mode ${WORDS[then]}.`];
  });
}

/** Rules by which it would have been allowed: each is tried, so none is named that would not. */
function looser({ rules, gate, judge }: Base): string[] {
  const { effect, policy } = gate;
  const texts = allowsFor(effect, policy.mode);
  const added = texts.map((text): Rule => ({ action: "allow", text, source: "person" }));
  if (texts.length > 0 && judge(policy.mode, [...rules, ...added]) === "allow")
    return [
      `${texts.length === 1 ? "This rule" : "These rules together"} would allow it: ${texts.join(", ")} (agent permissions allow …, or --allow for once).`,
    ];
  return gate.then === "ask" ? ["No rule spares this question: you are asked each time."] : [];
}

function allowsFor(effect: Effect, mode: Mode): string[] {
  if (effect.changes === undefined) {
    const pinned = pinnedRules(effect);
    return [...new Set(pinned.length > 0 ? pinned : effect.needs.flatMap(wordsRule))];
  }
  const offered = offer(effect, decide(effect, mode, [], true));
  return offered === undefined ? [...deleteRules(effect, mode)] : [offered.always];
}

/** Of a command that leaves the copy, or that is asked about before it runs. */
function wordsRule(need: Need): string[] {
  if (need.kind === "before") return [`Bash(${need.words})`];
  return need.kind === "unsandboxed" || need.kind === "uncontained" ? [`Unsandboxed(${need.words})`] : [];
}

/** Rules that would have refused it, or asked. */
function stricter({ rules, gate, judge }: Base): string[] {
  const { effect, policy } = gate;
  const denied = deniesFor(effect).find(
    (text) => judge(policy.mode, [...rules, { action: "deny", text, source: "person" }]) === "deny",
  );
  if (denied === undefined) return [];
  return [`This rule would refuse it: ${denied} (agent permissions deny …; ask instead of deny asks).`];
}

function deniesFor({ tool, subject, paths = [], needs, changes }: Effect): string[] {
  const hosts = needs.flatMap((n) =>
    n.kind === "network" ? [`Network(${n.host}${n.port === undefined ? "" : `:${n.port}`})`] : [],
  );
  const [entry] = changes?.entries ?? [];
  const edit = entry === undefined ? [] : [`Edit(/${literal(entry.path)})`];
  const [path] = paths;
  const read = path === undefined || path.startsWith("/") ? [] : [`Read(/${literal(path)})`];
  return [...hosts, ...edit, `${tool}(${subject})`, ...read, tool];
}

function literal(path: string): string {
  return path.replaceAll(/[\\*?[\]{}]/g, "\\$&");
}

function hookWords({ hooks }: PastGate): string[] {
  return hooks.map(({ hook = "a hook", action }) => `The hook ${hook} said ${action}; no rule outranks that.`);
}
