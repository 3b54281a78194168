import type { Decision, Rule } from "../events/effect.ts";

export type Action = Decision["action"];

/** What one part of the policy, or one rule, says about an effect. */
export interface Verdict {
  action: Action;
  reason: string;
  rule?: Rule;
  /** Name of the hook whose word it is (H2). */
  hook?: string;
  /** All rules that decided, where they are several: each allow lifts only what it names. */
  rules?: Rule[];
}

const STRICTNESS: Record<Action, number> = { allow: 0, ask: 1, deny: 2 };

/** allow < ask < deny (P2): the stricter of two. */
export function stricter(a: Action, b: Action): Action {
  return STRICTNESS[a] >= STRICTNESS[b] ? a : b;
}

/** The strictest of all verdicts, with the reasons that made it so; a rule and a hook are named before a policy. */
export function strictest(verdicts: readonly Verdict[]): Verdict {
  const action = verdicts.reduce<Action>((most, v) => stricter(most, v.action), "allow");
  const deciding = verdicts.filter((v) => v.action === action && v.reason !== "");
  const rules = [...new Set(deciding.flatMap((v) => v.rule ?? []))];
  const [rule] = rules;
  const reason = [...new Set(deciding.map((v) => v.reason))].join("; ");
  const hook = deciding.find((v) => v.hook !== undefined)?.hook;
  return {
    action,
    reason,
    ...(rule === undefined ? {} : { rule }),
    ...(rules.length > 1 ? { rules } : {}),
    ...(hook === undefined ? {} : { hook }),
  };
}
