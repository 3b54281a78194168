import type { Effect } from "../events/effect.ts";
import { decide } from "./decide.ts";
import { liftsHighRisk } from "./rule-match.ts";
import { parseRule } from "./rule-parse.ts";

/**
 * What there is to say of a rule that a person edited in a question, before it is saved (P5). `wrong`: it is none, or one that no answer
 * may save, since it lifts high risk (P3). `covers`: this call would not be asked about by it.
 */
export function checkEdited(text: string, effect: Effect): { wrong: string } | { covers: boolean } {
  const rule = { action: "allow", text, source: "person" } as const;
  try {
    const { kind, of } = { of: "", ...parseRule(rule) };
    const plain = kind === "command" ? of !== "Unsandboxed" : kind === "path" && of === "Edit";
    if (!plain && !liftsHighRisk(parseRule({ ...rule, source: "session" })))
      return { wrong: "That lifts high risk, which no answer saves: write it into your own rules (/permissions)" };
  } catch (error) {
    return { wrong: error instanceof Error ? error.message : String(error) };
  }
  return { covers: decide(effect, "ask", [rule], true).action === "allow" };
}
