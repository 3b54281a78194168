import type { Decision, Effect } from "../events/effect.ts";
import { decide } from "../permissions/decide.ts";
import type { Verdict } from "../permissions/lattice.ts";
import { gateNow } from "./above.ts";
import type { LoopDeps } from "./deps.ts";

/** What the session as it stands says of an effect: its mode, all rules, trust and bypass, and what hooks say. */
export function decideNow(
  effect: Effect,
  deps: Pick<LoopDeps, "log" | "rules" | "above">,
  hooks: readonly Verdict[] = [],
): Decision {
  const { mode, rules, trusted, bypass } = gateNow(deps);
  return decide(effect, mode, rules, trusted, hooks, bypass);
}
