import type { SessionModeState } from "@agentclientprotocol/sdk";
import type { Mode } from "../events/effect.ts";
import { MODES } from "../events/mode.ts";

const WORDS: Readonly<Record<Mode, string>> = {
  plan: "Looks and plans; changes nothing",
  ask: "Each change to your files is asked about",
  auto: "Changes land by themselves; what is risky or reaches outside is asked about",
};
const NAMES: Readonly<Record<Mode, string>> = { plan: "Plan", ask: "Ask", auto: "Auto" };

/** The modes of a session, as an editor lists them. */
export function modesOf(now: Mode): SessionModeState {
  return {
    currentModeId: now,
    availableModes: MODES.map((id) => ({ id, name: NAMES[id], description: WORDS[id] })),
  };
}

/** undefined: there is no such mode. */
export function modeNamed(id: string): Mode | undefined {
  return MODES.find((mode) => mode === id);
}
