import type { Rule } from "../events/effect.ts";
import { landAllowed } from "./rule-match.ts";

/**
 * The person's own `Land(…)` rule by which regenerable output at a path (relative to its root) lands by itself (P9), or undefined: there
 * is none, a deny or ask is in its way, or it is the project's or a session's.
 */
export function landRules(rules: readonly Rule[]): ((path: string) => Rule | undefined) | undefined {
  const lands = rules.filter((rule) => rule.action === "allow" && /^\s*Land\s*\(/.test(rule.text));
  if (lands.length === 0) return undefined;
  const allowed = landAllowed(rules);
  const own = lands.map((rule) => ({ rule, covers: landAllowed([rule]) }));
  return (path) => (allowed(path) ? own.find(({ covers }) => covers(path))?.rule : undefined);
}
