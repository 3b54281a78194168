import type { Secrets } from "../../util/secrets/secrets.ts";
import { claudeFound } from "./claude.ts";
import type { Found, ImportPlace } from "./found.ts";
import type { AgentName } from "./names.ts";
import { codexFound, geminiFound, opencodeFound } from "./others.ts";

const AGENTS = {
  claude: { title: "Claude Code", look: claudeFound },
  codex: { title: "Codex CLI", look: codexFound },
  gemini: { title: "Gemini CLI", look: geminiFound },
  opencode: { title: "opencode", look: opencodeFound },
} as const;

/** What agents left for this person and folder, by agent. Reads only; starts nothing. */
export function lookAround(
  names: readonly AgentName[],
  place: ImportPlace,
  secrets: Pick<Secrets, "mask">,
): { agent: string; found: Found[] }[] {
  return names.map((name) => ({ agent: AGENTS[name].title, found: AGENTS[name].look(place, secrets) }));
}
