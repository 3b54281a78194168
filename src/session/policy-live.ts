import type { PlacedRule, Rule } from "../events/effect.ts";
import type { SessionConfig } from "./options.ts";
import type { WritableSource } from "./rules-edit.ts";

/** Rules of files and flags that are in force in a session. They are read when it opens; the person's own changes count at once. */
export interface LiveRules {
  now(): readonly Rule[];
  /** `file:line` of a rule of `now()`; undefined for what was typed. */
  placeOf(rule: Rule): string | undefined;
  add(rule: Rule, place?: string): void;
  /** Every one that says the same and comes from the same source; `to` takes the place of the first. */
  change(rule: Rule, to?: Rule, place?: string): void;
  /** What files say now takes the place of what they said. */
  replace(read: Pick<SessionConfig, "rules" | "places">): void;
}

/** What /permissions may do with the files that rules lie in. */
export interface RuleFiles {
  /** All rules of files and flags as they are read now. Throws a SettingsError. */
  read(): Pick<SessionConfig, "rules" | "places">;
  /** Another text whenever one of the files was written, came or went. */
  stamp(): string;
  /** Adds a rule to a file of the person's, keeping every other byte. Throws a RuleError, SettingsError or LogError. */
  add(rule: Rule & { source: WritableSource }): Promise<void>;
  /** `to` takes its place; undefined: it is taken out. Throws as `add`, also where the file holds no such rule. */
  change(rule: Rule & { source: WritableSource }, to: string | undefined): Promise<void>;
}

/** The rules of a session that opens. */
export function liveRules(config: Pick<SessionConfig, "rules" | "places">): LiveRules {
  let rules: readonly Rule[] = config.rules;
  const places = new Map(config.places);
  return {
    now: () => rules,
    placeOf: (rule) => places.get(rule),
    add(rule, place) {
      rules = [...rules, rule];
      if (place !== undefined) places.set(rule, place);
    },
    change(rule, to, place) {
      const at = rules.findIndex((r) => sameRule(r, rule));
      const kept = to === undefined || rules.some((r) => sameRule(r, to)) ? [] : [to];
      rules = rules.flatMap((r, i) => (sameRule(r, rule) ? (i === at ? kept : []) : [r]));
      if (to !== undefined && place !== undefined) places.set(to, place);
    },
    replace(read) {
      rules = read.rules;
      places.clear();
      for (const [rule, place] of read.places ?? []) places.set(rule, place);
    },
  };
}

/** Two rules that say the same, from the same source. */
export function sameRule(a: Rule, b: Rule): boolean {
  return a.action === b.action && a.text === b.text && a.source === b.source;
}

/** For the log: the rules in force, each with its place; nothing where there are none. */
export function rulesTold({ rules, places }: Pick<SessionConfig, "rules" | "places">): { rules?: PlacedRule[] } {
  if (rules.length === 0) return {};
  return {
    rules: rules.map((rule) => {
      const { action, text, source } = rule;
      const at = places?.get(rule);
      return { action, text, source, ...(at === undefined ? {} : { at }) };
    }),
  };
}
