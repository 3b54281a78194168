import type { Mode, Rule } from "../events/effect.ts";
import { MODES } from "../events/mode.ts";
import type { Usage } from "../events/event.ts";
import type { EventLog } from "../events/log.ts";
import type { Stop } from "./deps.ts";
import type { Budget } from "./ledger.ts";

/** What every decision goes by. */
export interface Gate {
  mode: Mode;
  rules: readonly Rule[];
  trusted: boolean;
  bypass: boolean;
}

/** What a sub-agent's session has from the one that started it (C5). Each is asked for when it is needed, so that what the person does there counts at once. */
export interface Above {
  agentId: string;
  agent: string;
  gate(): Gate;
  /** The limit that forbids this agent too its next turn: all that the tree uses counts. */
  stop(): Stop | undefined;
  /** What is left of its budgets. */
  left(): Budget;
}

/** What sub-agents that are at work have used, as no fact tells yet. */
export interface Unrecorded {
  turns: number;
  usage: ReadonlyMap<string, Usage>;
}

interface Gated {
  log: Pick<EventLog, "state">;
  rules: () => readonly Rule[];
  above?: Above;
}

/** As the session stands now. A sub-agent's is never wider than that of the session above it: of its own only what tightens counts. */
export function gateNow({ log, rules, above }: Gated): Gate {
  const { mode, trusted, bypass, rules: own } = log.state;
  if (above === undefined) return { mode, rules: [...rules(), ...own], trusted, bypass };
  const up = above.gate();
  return { ...up, mode: stricterMode(mode, up.mode), rules: [...up.rules, ...own.filter((r) => r.action !== "allow")] };
}

export function stricterMode(a: Mode, b: Mode): Mode {
  return MODES.indexOf(a) < MODES.indexOf(b) ? a : b;
}
