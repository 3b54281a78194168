import type { Verdict } from "./lattice.ts";

/**
 * `--bypass` (P8): what the policy would ask is allowed, and says so. Its denies stay, as plan mode's; of rules and hooks nothing comes
 * this way, so what they ask or deny stays too.
 */
export function unasked(policy: readonly Verdict[]): { verdicts: Verdict[]; bypassed: boolean } {
  const verdicts = policy.map((verdict): Verdict =>
    verdict.action === "ask" ? { action: "allow", reason: `${verdict.reason} (not asked: --bypass)` } : verdict,
  );
  return { verdicts, bypassed: policy.some(({ action }) => action === "ask") };
}
