import { realpathSync } from "node:fs";
import type { ContentBlock } from "../events/block.ts";
import type { Mode } from "../events/effect.ts";
import type { SessionEvent } from "../events/event.ts";
import type { ProgramHooks } from "../hooks/read.ts";
import { configOf, readOne, type ServerConfig } from "../mcp/config.ts";
import type { ServerSetting } from "../mcp/schema.ts";
import type { Model } from "../model/model.ts";
import { denyAll, type Asker } from "../permissions/asker.ts";
import { builtinTools } from "../tools/builtin.ts";
import { programTool, toolOf, type ProgramTool } from "../tools/program-tool.ts";
import type { Tool } from "../tools/tool.ts";
import type { Clock } from "../util/deps.ts";
import { systemClock } from "../util/system.ts";
import { agentsGiven, type ProgramAgent } from "./agents-given.ts";
import { programDirs, type Env } from "./environment.ts";
import type { QueryResult, Session } from "./session.ts";
import type { Flags } from "./settings.ts";
import { setUp } from "./setup.ts";
import { programVersion } from "./version.ts";

const PROGRAM = "program";

/** What a program says of a session that it opens. Settings files of the person's count beside it, as for the command. */
export interface ProgramOptions {
  /** What the session works in. */
  folder: string;
  /** Further folders. */
  addDirs?: readonly string[];
  /** The environment of the program, or what of it may be used: key and address of the service, PATH, HOME. The library itself reads none. */
  env: Env;
  /** Where settings and sessions lie. Default: where the `agent` command has its own. */
  dirs?: { config: string; state: string };
  /** Id of a session to go on with. Default: a new one. */
  resume?: string;
  /** A name as `--model` takes it, or a model of the program's own. */
  model?: string | Model;
  mode?: Mode;
  /** Changes wait for one review (`session.land`). */
  rehearse?: boolean;
  tools?: readonly ProgramTool[];
  /** Which of the built-in tools there are, by name. Default: all. */
  builtins?: readonly string[];
  /** Kinds of sub-agents, beside those of files. */
  agents?: readonly ProgramAgent[];
  /** Tool servers for this session alone, by their names, as settings name them (`docs/mcp.md`). No file's servers are used. */
  mcpServers?: Readonly<Record<string, ServerSetting>>;
  /** The program's name: questions and rules tell of its tools by it (`mcp__<program>__<tool>`). Letters, digits, single `-` and `_`. Default: "program". */
  program?: string;
  /** Who is asked. Default: nobody, which denies what would be asked. */
  asker?: Asker;
  /** Rules as `--allow` and `--deny` take them. */
  allow?: readonly string[];
  deny?: readonly string[];
  /** Turns and tokens of one message, USD of the session. */
  maxTurns?: number;
  maxTokens?: number;
  maxCost?: number;
  appendSystemPrompt?: string;
  /** Hooks of the program's own, beside those of settings files: the same moments, the same answers. */
  hooks?: ProgramHooks;
  clock?: Clock;
}

/**
 * Opens a session in this process: a new one, or an old one to go on with. Close it.
 * @throws Error with one readable line; nothing stays open then.
 */
export async function programSession(options: ProgramOptions): Promise<Session> {
  const { env, addDirs = [], dirs = programDirs(env), clock = systemClock, model } = options;
  const own = typeof model === "object" ? model : undefined;
  const tools = toolsOf(options);
  const setup = setUp({
    folder: realpathSync(options.folder),
    addDirs,
    env,
    dirs,
    flags: flagsOf(options),
    rehearse: options.rehearse === true,
    tools,
    ...(options.agents === undefined
      ? {}
      : {
          agents: agentsGiven(
            options.agents,
            tools.map(({ name }) => name),
          ),
        }),
    version: programVersion(),
    clock,
    ownModel: (id) => (id === own?.id ? own : undefined),
    demoWordMs: 0,
    ...(options.hooks === undefined ? {} : { hooks: options.hooks }),
    ...(options.mcpServers === undefined ? {} : { servers: { given: serversOf(options) } }),
  });
  // A key that is missing is told now, not in the first answer.
  if (options.resume === undefined) setup.openModel(setup.model);
  return await setup.open(options.asker ?? denyAll("nobody is here to answer"), options.resume);
}

/** Runs one prompt in a session of its own, and closes it. */
export async function* programQuery(
  prompt: string | readonly ContentBlock[],
  options: ProgramOptions,
  signal?: AbortSignal,
): AsyncGenerator<SessionEvent, QueryResult> {
  const session = await programSession(options);
  try {
    return yield* session.submit(prompt, signal);
  } finally {
    await session.close();
  }
}

/** Runs a query to its end for those who don't watch it; what it came to. */
export async function toEnd(run: AsyncGenerator<SessionEvent, QueryResult>): Promise<QueryResult> {
  for (;;) {
    const step = await run.next();
    if (step.done === true) return step.value;
  }
}

function flagsOf(o: ProgramOptions): Flags {
  const model = typeof o.model === "object" ? o.model.id : o.model;
  return {
    allow: o.allow ?? [],
    deny: o.deny ?? [],
    ...(o.mode === undefined ? {} : { mode: o.mode }),
    ...(model === undefined ? {} : { model }),
    ...(o.maxTurns === undefined ? {} : { maxTurns: o.maxTurns }),
    ...(o.maxTokens === undefined ? {} : { tokens: o.maxTokens }),
    ...(o.maxCost === undefined ? {} : { usd: o.maxCost }),
    ...(o.appendSystemPrompt === undefined ? {} : { appendSystemPrompt: o.appendSystemPrompt }),
  };
}

/** @throws TypeError naming the server that can't be used. */
function serversOf({ mcpServers = {}, program = PROGRAM }: ProgramOptions): ServerConfig[] {
  return Object.entries(mcpServers).map(([name, given]) => {
    // Rules know both by `mcp__<name>__<tool>`.
    if (name === program) throw new TypeError(`mcpServers: ${name} is the program's own name; take another`);
    const read = readOne(name, given);
    if (typeof read === "string") throw new TypeError(`mcpServers: ${JSON.stringify(name)}: ${read}`);
    return configOf(name, read, "flag", "the program");
  });
}

/** The gate judges built-in tools by their names, so none of the program's may have one of these, even where that one is left out. */
function toolsOf({ tools = [], builtins, program = PROGRAM }: ProgramOptions): Tool[] {
  if (!/^[A-Za-z0-9]+(?:[_-][A-Za-z0-9]+)*$/.test(program))
    throw new TypeError(`program ${JSON.stringify(program)}: letters and digits, with single - and _ between them`);
  const known = new Set(builtinTools.map(({ name }) => name));
  const unknown = builtins?.find((name) => !known.has(name));
  if (unknown !== undefined)
    throw new TypeError(`builtins: there is no tool ${unknown}; there are ${[...known].join(", ")}`);
  for (const { name } of tools) {
    if (known.has(name)) throw new TypeError(`tool ${name}: a built-in tool has this name; take another`);
    known.add(name);
  }
  const own = tools.map((tool) => toolOf(programTool(tool), program));
  return [...builtinTools.filter(({ name }) => builtins?.includes(name) ?? true), ...own];
}
