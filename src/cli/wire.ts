import { realpathSync, statSync } from "node:fs";
import { join } from "node:path";
import type { ServerConfig } from "../mcp/config.ts";
import { ModelError } from "../model/open.ts";
import { programDirs } from "../session/environment.ts";
import type { Flags } from "../session/settings.ts";
import { setUp, type Setup } from "../session/setup.ts";
import { builtinTools } from "../tools/builtin.ts";
import { systemClock } from "../util/system.ts";
import { folderHash } from "../workspace/journal.ts";
import type { RunOptions } from "./args.ts";
import { maskFailures } from "./failure.ts";
import { UsageError } from "./usage-error.ts";

/** Everything that a front-end needs to open sessions with these options. */
export interface Wired extends Setup {
  /** Real path. */
  folder: string;
  /** Throws an Error with one line on what is missing, when a model can't be used (M3). */
  checkModel(id: string): void;
  /** Why the model of a new session can't be used (a `NoKeyError` where it is only a key), or undefined when it can. */
  missing(): ModelError | undefined;
  /** Sent texts of this project. */
  historyFile: string;
  /** Tokens; undefined where the model can't be used. */
  contextWindow(id: string): number | undefined;
}

/** What a front-end without a terminal says of itself. */
export interface WireMore {
  /** Tool servers beside those of files. */
  given?: readonly ServerConfig[];
  /** A person sees what goes on, and can stop it. */
  watched?: boolean;
}

/**
 * Sessions as they were asked for on the command line. `at`: a folder other than the current one (an editor's, the tour's), `dirs`: other
 * folders for settings and state.
 */
export function wire(
  options: RunOptions,
  version: string,
  at?: string,
  dirs = programDirs(process.env),
  { given = [], watched = !options.print && process.stdin.isTTY && process.stdout.isTTY }: WireMore = {},
): Wired {
  const folder = at === undefined ? currentFolder() : realpathSync(at);
  for (const dir of options.addDirs) {
    if (statSync(dir, { throwIfNoEntry: false })?.isDirectory() !== true)
      throw new UsageError(`--add-dir ${dir}: there is no such folder`);
  }
  const setup = setUp({
    folder,
    addDirs: options.addDirs,
    env: process.env,
    dirs,
    flags: flagsOf(options),
    rehearse: options.rehearse,
    ...(options.work === undefined ? {} : { work: options.work }),
    ...(options.judge === undefined ? {} : { judge: options.judge }),
    ...(options.sessionId === undefined ? {} : { sessionId: options.sessionId }),
    bypass: options.bypass,
    trustFolder: options.trustFolder,
    ...(options.mcpConfig === undefined ? {} : { servers: { typed: options.mcpConfig, given } }),
    tools: builtinTools,
    version,
    clock: systemClock,
    ...(process.stdout.isTTY ? {} : { demoWordMs: 0 }),
    watched,
  });
  maskFailures((text) => setup.secrets.mask(text));
  const missing = () => {
    try {
      setup.openModel(setup.model);
      return undefined;
    } catch (error) {
      if (error instanceof ModelError) return error;
      throw error;
    }
  };
  return {
    ...setup,
    folder,
    checkModel: (id) => void setup.openModel(id),
    missing,
    historyFile: join(setup.store.folders, folderHash(folder), "history.jsonl"),
    contextWindow: (id) => {
      try {
        return setup.openModel(id).contextWindow;
      } catch {
        return undefined;
      }
    },
  };
}

function currentFolder(): string {
  try {
    return realpathSync(process.cwd());
  } catch (error) {
    throw new UsageError("the folder that you are in is gone; go to one that is there and start again", {
      cause: error,
    });
  }
}

function flagsOf(o: RunOptions): Flags {
  return {
    allow: o.allow,
    ask: o.ask,
    deny: o.deny,
    allowedTools: o.allowedTools,
    disallowedTools: o.disallowedTools,
    ...(o.mode === undefined ? {} : { mode: o.mode }),
    ...(o.model === undefined ? {} : { model: o.model }),
    ...(o.effort === undefined ? {} : { effort: o.effort }),
    ...(o.fallbackModel === undefined ? {} : { fallbackModel: o.fallbackModel }),
    ...(o.maxTurns === undefined ? {} : { maxTurns: o.maxTurns }),
    ...(o.maxTokensTotal === undefined ? {} : { tokens: o.maxTokensTotal }),
    ...(o.maxCost === undefined ? {} : { usd: o.maxCost }),
    ...(o.maxTime === undefined ? {} : { timeMs: o.maxTime }),
    ...(o.appendSystemPrompt === undefined ? {} : { appendSystemPrompt: o.appendSystemPrompt }),
    ...(o.systemPrompt === undefined ? {} : { systemPrompt: o.systemPrompt }),
  };
}
