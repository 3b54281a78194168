import type { Decision, Effect } from "../events/effect.ts";
import { decide } from "../permissions/decide.ts";
import type { Verdict } from "../permissions/lattice.ts";
import type { LoopDeps } from "./deps.ts";

/** What the session as it stands says of an effect: its mode, all rules, trust and bypass, and what hooks say. */
export function decideNow(effect: Effect, deps: LoopDeps, hooks: readonly Verdict[] = []): Decision {
  const { state } = deps.log;
  return decide(effect, state.mode, [...deps.rules(), ...state.rules], state.trusted, hooks, state.bypass);
}
