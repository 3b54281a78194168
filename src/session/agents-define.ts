import type { Mode } from "../events/effect.ts";
import { MODES } from "../events/mode.ts";
import { KNOWN_MODELS } from "../model/known.ts";
import { frontmatter, type Frontmatter } from "../util/frontmatter.ts";

/** A kind of sub-agent (C5). `tools`: names; undefined: all of the session's. `mode`: at most this one. `isolation`: its changes land as one sum when it ends. */
export interface AgentKind {
  name: string;
  description: string;
  source: "builtin" | "program" | "user" | "project";
  /** What it is told of its work, behind the words that every agent is told. */
  prompt: string;
  file?: string;
  tools?: readonly string[];
  model?: string;
  mode?: Mode;
  /** Turns of one task. */
  turns?: number;
  isolation?: "layer";
}

/** What a definition says: of a key that can't be used the problem stands beside it, and without `kind` none of it can be. */
export interface Defined {
  kind?: AgentKind;
  problems: readonly string[];
}

const NAME = /^[a-z0-9][a-z0-9-]{0,49}$/;
export function isAgentName(name: string): boolean {
  return NAME.test(name);
}
const MOST_DESCRIPTION = 1000;
/** Of others' programs; what is asked there is asked here too. */
const FOREIGN_MODES: Readonly<Record<string, Mode>> = { default: "ask", acceptEdits: "auto", plan: "plan" };
const KEYS = new Set([
  "name",
  "description",
  "tools",
  "model",
  "mode",
  "permissionMode",
  "turns",
  "maxTurns",
  "isolation",
]);
/** Known from others' programs and without a meaning here, or one that a person sees only. */
const PASSED_OVER = new Set(["color", "skills", "version", "author"]);

/** Reads an agent's Markdown file. `known`: the tools that there are. Problems are told with file and line. */
export function agentOf(
  text: string,
  { file, source, known }: { file: string; source: AgentKind["source"]; known: readonly string[] },
): Defined {
  const head = frontmatter(text);
  const problems: string[] = [];
  const tell = (line: number, words: string): void => void problems.push(`${file}:${line}: ${words}`);
  if (head.problem !== undefined) tell(head.problem.line, head.problem.words);
  if (head.problem?.healed === false) return { problems };
  const read = reader(head, tell);
  for (const key of Object.keys(head.data))
    if (!KEYS.has(key) && !PASSED_OVER.has(key)) tell(head.lineOf(key), `there is no ${key}: ${[...KEYS].join(", ")}`);
  const name = read.text("name") ?? file.replace(/^.*\//, "").replace(/\.md$/, "");
  const description = read.text("description")?.replaceAll(/\s+/g, " ").trim() ?? "";
  if (!NAME.test(name))
    tell(head.lineOf("name"), `name ${JSON.stringify(name.slice(0, 60))}: small letters, digits and -, at most 50`);
  if (description === "") tell(head.lineOf("description"), "it needs a description: by it the model chooses");
  if (head.body.trim() === "") tell(1, "it needs words under its head: what the agent is told");
  if (!NAME.test(name) || description === "" || head.body.trim() === "") return { problems };
  const tools = toolsOf(read.list("tools"), known, (words) => tell(head.lineOf("tools"), words));
  const model = modelOf(read.text("model"));
  const mode = modeOf(read, (key, words) => tell(head.lineOf(key), words));
  const turns = read.count("turns") ?? read.count("maxTurns");
  const isolation = read.text("isolation");
  if (isolation !== undefined && isolation !== "layer")
    tell(head.lineOf("isolation"), 'isolation is "layer" or left out');
  if (tools?.length === 0) return { problems };
  const kind: AgentKind = {
    name,
    description: description.slice(0, MOST_DESCRIPTION),
    source,
    file,
    prompt: head.body.trim(),
    ...(tools === undefined ? {} : { tools }),
    ...(model === undefined ? {} : { model }),
    ...(mode === undefined ? {} : { mode }),
    ...(turns === undefined ? {} : { turns }),
    ...(isolation === "layer" ? { isolation } : {}),
  };
  return { kind, problems };
}

type Tell = (line: number, words: string) => void;
interface Reader {
  text(key: string): string | undefined;
  list(key: string): readonly string[] | undefined;
  count(key: string): number | undefined;
}

function reader({ data, lineOf }: Frontmatter, tell: Tell): Reader {
  const wrong = (key: string, what: string): undefined => {
    tell(lineOf(key), `${key} is ${what}`);
    return undefined;
  };
  return {
    text(key) {
      const value = data[key];
      if (value === undefined || value === null) return undefined;
      return typeof value === "string" ? value.trim() : wrong(key, "a text");
    },
    list(key) {
      const value = data[key];
      if (value === undefined || value === null) return undefined;
      const names = typeof value === "string" ? value.split(",") : value;
      if (!Array.isArray(names) || !names.every((n): n is string => typeof n === "string"))
        return wrong(key, "a list of names");
      return names.map((n) => n.trim()).filter((n) => n !== "");
    },
    count(key) {
      const value = data[key];
      if (value === undefined || value === null) return undefined;
      return typeof value === "number" && Number.isInteger(value) && value > 0
        ? value
        : wrong(key, "a whole number above 0");
    },
  };
}

/** Names that a later server's tools may have are taken as they are. */
function toolsOf(
  named: readonly string[] | undefined,
  known: readonly string[],
  tell: (words: string) => void,
): readonly string[] | undefined {
  if (named === undefined || named.includes("*")) return undefined;
  const there = named.filter((name) => known.includes(name) || name.startsWith("mcp__"));
  const none = named.filter((name) => !there.includes(name));
  if (none.length > 0) tell(`tools: there is no ${none.join(", ")}; there are ${known.join(", ")}`);
  if (there.length === 0) tell("tools: without one it can't work, so it is not used");
  return there;
}

/** A family's name stands for its newest model. */
function modelOf(named: string | undefined): string | undefined {
  if (named === undefined || named === "inherit" || named === "") return undefined;
  return KNOWN_MODELS.find((id) => id.startsWith(`claude-${named}-`)) ?? named;
}

function modeOf(read: Reader, tell: (key: string, words: string) => void): Mode | undefined {
  const named = read.text("mode");
  const own = MODES.find((m) => m === named);
  if (named !== undefined && own === undefined) tell("mode", `mode is ${MODES.join(", ")}`);
  if (own !== undefined) return own;
  const foreign = read.text("permissionMode");
  if (foreign === undefined) return undefined;
  const mode = FOREIGN_MODES[foreign];
  if (mode === undefined) tell("permissionMode", `${foreign} is not taken over: it works in the session's mode`);
  return mode;
}
