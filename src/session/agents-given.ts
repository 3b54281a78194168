import type { Mode } from "../events/effect.ts";
import { MODES } from "../events/mode.ts";
import { type AgentKind, isAgentName } from "./agents-define.ts";

/** A kind of sub-agent that a program defines (C5). */
export interface ProgramAgent {
  /** Small letters, digits and `-`, at most 50. It goes before one of the person's or the folder's of this name. */
  name: string;
  /** For the model: when to use it. */
  description: string;
  /** What it is told of its work. */
  prompt: string;
  /** Names of tools, the program's too. Default: all of the session's. */
  tools?: readonly string[];
  /** Default: the session's. */
  model?: string;
  /** At most this one. */
  mode?: Mode;
  /** Turns of one task. */
  turns?: number;
  /** Its changes land as one sum when it ends. */
  isolation?: "layer";
}

/**
 * As the session takes them. `known`: the tools that there are.
 * @throws TypeError naming the one that can't be used.
 */
export function agentsGiven(given: readonly ProgramAgent[], known: readonly string[]): AgentKind[] {
  const names = new Set<string>();
  return given.map((agent) => {
    const wrong = problemOf(agent, known) ?? (names.has(agent.name) ? "another has this name" : undefined);
    if (wrong !== undefined) throw new TypeError(`agents: ${JSON.stringify(agent.name)}: ${wrong}`);
    names.add(agent.name);
    return { ...agent, source: "program" };
  });
}

function problemOf(agent: ProgramAgent, known: readonly string[]): string | undefined {
  const { name, description, prompt, tools, mode, turns = 1, isolation = "layer" } = agent;
  if (!isAgentName(name)) return "a name has small letters, digits and -, at most 50";
  if (description.trim() === "") return "the description is empty: by it the model chooses";
  if (prompt.trim() === "") return "the prompt is empty: say what it is to do";
  if (tools?.length === 0) return "without a tool it can't work";
  const none = tools?.filter((tool) => !known.includes(tool) && !tool.startsWith("mcp__")) ?? [];
  if (none.length > 0) return `there is no tool ${none.join(", ")}; there are ${known.join(", ")}`;
  if (mode !== undefined && !MODES.includes(mode)) return `mode is one of ${MODES.join(", ")}`;
  if (!Number.isInteger(turns) || turns < 1) return "turns is a whole number above 0";
  return isolation === "layer" ? undefined : 'isolation is "layer" or left out';
}
