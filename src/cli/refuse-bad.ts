import type { Rule } from "../events/effect.ts";
import { parseRule, RuleError } from "../permissions/rule-parse.ts";
import { UsageError } from "./usage-error.ts";

/** Throws a UsageError for a typed text that is no rule. `where`: what stands before the words. */
export function refuseBad(rule: Rule, where: string): void {
  try {
    parseRule(rule);
  } catch (error) {
    if (error instanceof RuleError) throw new UsageError(`${where}${error.message}`, { cause: error });
    throw error;
  }
}
