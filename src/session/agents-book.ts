import { realpathSync } from "node:fs";
import { join } from "node:path";
import { type RawPath, showPath } from "../util/bytes.ts";
import { visible } from "../util/visible.ts";
import { Inside } from "../workspace/inside.ts";
import { type AgentKind, agentOf } from "./agents-define.ts";

/** Those that are always there. */
export const BUILTIN_AGENTS: readonly AgentKind[] = [
  {
    name: "explore",
    description: "finds things and reads, changes nothing",
    source: "builtin",
    tools: ["Glob", "Grep", "Read"],
    mode: "plan",
    prompt: `You find and read things; you change nothing, run no commands and write no plan. Begin wide (Glob, Grep), then read only the parts that matter, several in one reply. Follow names to where they are defined and used. Answer what was asked with path:line for each claim, and quote the few lines that decide. Say what you looked for and did not find.`,
  },
  {
    name: "general",
    description: "does a piece of work with all tools",
    source: "builtin",
    prompt: `You do one piece of work to its end: look, change, check. Keep to the files that the task names or needs; others may work on other files at the same time. At the end say what you changed, what you ran to check it and what that said, and what is left.`,
  },
];

/** Judges where nobody wrote another of this name (C9). Not listed: the model has no use for it. */
export const EVALUATOR: AgentKind = {
  name: "evaluator",
  description: "judges a contract, or work by it",
  source: "builtin",
  tools: ["Bash", "Glob", "Grep", "Read"],
  mode: "plan",
  prompt: `You judge what another agent did; you change nothing. Believe what you see, not what you are told: open the files, run what can be run. Your rubric, each point on its own:
1. Asked: everything that the person asked for is there, and works as they would use it, not only as it is named.
2. Whole: no placeholder, no stub, no case left out that the words name; errors are met, not swallowed.
3. Checked: each point of the contract was checked as it says, and the check could have failed. A test that tests nothing, or that was bent to pass, is a no.
4. Nothing else: no change that nobody asked for, nothing broken that worked before.
A no names what is wrong, where, and what would make it a yes. Small matters of taste are no reason for a no.`,
};

export interface AgentPlace {
  configDir: string;
  /** Real path. */
  folder: string;
  /** Names of tools. */
  known: readonly string[];
}

export interface FoundAgents {
  kinds: readonly AgentKind[];
  /** What can't be used, and why: one line each. */
  notices: readonly string[];
}

const OWNERS = [".agent", ".claude"] as const;
const MOST_DEPTH = 4;

/** Those of the person: `agents/` beside the settings. */
export function ownAgents({ configDir, known }: Omit<AgentPlace, "folder">): FoundAgents {
  try {
    const real = realpathSync(configDir);
    return readAgents(new Inside(real), "agents", { source: "user", name: (path) => join(real, path), known });
  } catch {
    return { kinds: [], notices: [] };
  }
}

/** What the folder brings; used only while it is trusted (H5). Reads files, runs nothing, follows no link out of the folder. */
export function broughtAgents({ folder, known }: Omit<AgentPlace, "configDir">): FoundAgents {
  const inside = new Inside(folder);
  const found = OWNERS.map((owner) =>
    readAgents(inside, `${owner}/agents`, { source: "project", name: (path) => path, known }),
  );
  return { kinds: found.flatMap((f) => f.kinds), notices: found.flatMap((f) => f.notices) };
}

interface Reading {
  source: AgentKind["source"];
  /** A file as it is told. */
  name(path: string): string;
  known: readonly string[];
}

function readAgents(inside: Inside, path: RawPath, how: Reading, depth = 0): FoundAgents {
  const seen = inside.look(path);
  if (seen === undefined || depth > MOST_DEPTH) return { kinds: [], notices: [] };
  const file = visible(how.name(showPath(path)), "");
  if (seen.kind === "unused") return { kinds: [], notices: [`${file}: ${seen.why}; not used`] };
  if (seen.kind === "folder") {
    const found = seen.names.map((name) => readAgents(inside, `${path}/${name}`, how, depth + 1));
    return { kinds: found.flatMap((f) => f.kinds), notices: found.flatMap((f) => f.notices) };
  }
  if (!path.endsWith(".md")) return { kinds: [], notices: [] };
  if (seen.text === undefined) return { kinds: [], notices: [`${file}: it is no text; not used`] };
  const { kind, problems } = agentOf(seen.text, { file, source: how.source, known: how.known });
  return {
    kinds: kind === undefined ? [] : [kind],
    notices: problems.map((problem) => (kind === undefined ? `${problem}; not used` : problem)),
  };
}

/**
 * The kinds of agents of a session, as they were found when it opened: what is written meanwhile counts from the next start on. Those of the
 * folder count while it is trusted, and are read when it first is. A name of the program's own goes first, then one of the folder's, of the
 * person's, a built-in one.
 */
export class AgentBook {
  readonly #place: AgentPlace;
  readonly #trusted: () => boolean;
  readonly #own: FoundAgents;
  readonly #given: readonly AgentKind[];
  #brought: FoundAgents | undefined;

  /** `given`: those of the program that opened the session. */
  constructor(place: AgentPlace, trusted: () => boolean, given: readonly AgentKind[] = []) {
    this.#given = given;
    this.#place = place;
    this.#trusted = trusted;
    this.#own = ownAgents(place);
    if (trusted()) this.#brought = broughtAgents(place);
  }

  /** By name. */
  kinds(): readonly AgentKind[] {
    const brought = this.#trusted() ? (this.#brought ??= broughtAgents(this.#place)).kinds : [];
    const all = new Map<string, AgentKind>();
    for (const kind of [...this.#given, ...brought, ...this.#own.kinds, ...BUILTIN_AGENTS])
      if (!all.has(kind.name)) all.set(kind.name, kind);
    return [...all.values()].toSorted((a, b) => (a.name < b.name ? -1 : 1));
  }

  find(name: string): AgentKind | undefined {
    return [...this.kinds(), EVALUATOR].find((kind) => kind.name === name);
  }

  get notices(): readonly string[] {
    return [...this.#own.notices, ...(this.#trusted() ? (this.#brought?.notices ?? []) : [])];
  }

  /** For the model: what Task's own description doesn't name, each in a few words. */
  told(): readonly string[] {
    const others = this.kinds().filter((kind) => !BUILTIN_AGENTS.includes(kind));
    return others.map(({ name, description }) => `${name} (${visible(description, "").slice(0, 200)})`);
  }
}
