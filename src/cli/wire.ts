import { realpathSync, statSync } from "node:fs";
import { join } from "node:path";
import { ModelError, openModel, type ModelAccess } from "../model/open.ts";
import type { Asker } from "../permissions/asker.ts";
import { openSession } from "../session/open.ts";
import { saveRule } from "../session/rules-files.ts";
import type { Session } from "../session/session.ts";
import { loadSettings, type Flags, type Settings } from "../session/settings.ts";
import { openStore, type Store } from "../session/store.ts";
import { builtinTools } from "../tools/builtin.ts";
import { folderHash } from "../workspace/journal.ts";
import { randomId, systemClock } from "../util/system.ts";
import type { RunOptions } from "./args.ts";
import { homeOf, programDirs, type Env } from "../session/environment.ts";
import { UsageError } from "./usage-error.ts";

/** Everything that a front-end needs to open sessions with these options. */
export interface Wired {
  store: Store;
  /** Real path. */
  folder: string;
  settings: Settings;
  /** Of a new session. */
  model: string;
  open(asker: Asker, resume?: string): Promise<Session>;
  /** Throws an Error with one line on what is missing, when a model can't be used (M3). */
  checkModel(id: string): void;
  /** Why the model of a new session can't be used (a `NoKeyError` where it is only a key), or undefined when it can. */
  missing(): ModelError | undefined;
  /** Sent texts of this project. */
  historyFile: string;
  /** Tokens; undefined where the model can't be used. */
  contextWindow(id: string): number | undefined;
}

/**
 * The one place that puts the parts together (DESIGN 2). `at`: a folder other than the current one, `dirs`: other folders for settings and
 * state; both for the tour.
 */
export function wire(options: RunOptions, version: string, at?: string, dirs = programDirs(process.env)): Wired {
  const { env } = process;
  const store = openStore(dirs);
  const folder = at === undefined ? currentFolder() : realpathSync(at);
  for (const dir of options.addDirs) {
    if (statSync(dir, { throwIfNoEntry: false })?.isDirectory() !== true)
      throw new UsageError(`--add-dir ${dir}: there is no such folder`);
  }
  const home = homeOf(env);
  const settings = loadSettings({ configDir: dirs.config, folder, home, flags: flagsOf(options) });
  const { limits, tools, prices, rules, effort, appendSystemPrompt } = settings;
  const named = env["ANTHROPIC_MODEL"];
  const model = settings.modelNamed || named === undefined || named === "" ? settings.model : named;
  const open = (id: string) =>
    openModel(id, {
      clock: systemClock,
      access: accessOf(env, settings.baseUrl),
      random: Math.random,
      ...(process.stdout.isTTY ? {} : { demoWordMs: 0 }),
    });
  const missing = () => {
    try {
      open(model);
      return undefined;
    } catch (error) {
      if (error instanceof ModelError) return error;
      throw error;
    }
  };
  return {
    store,
    folder,
    settings,
    model,
    checkModel: (id) => void open(id),
    missing,
    historyFile: join(store.folders, folderHash(folder), "history.jsonl"),
    contextWindow: (id) => {
      try {
        return open(id).contextWindow;
      } catch {
        return undefined;
      }
    },
    open: (asker, resume) =>
      openSession({
        folder,
        addDirs: options.addDirs,
        store,
        ...(resume === undefined ? {} : { resume }),
        ...(options.mode === undefined ? {} : { mode: options.mode }),
        ...(options.model === undefined ? {} : { model: options.model }),
        ...(options.rehearse ? { rehearse: true } : {}),
        defaults: { mode: settings.mode, model },
        config: {
          limits,
          tools,
          prices,
          rules,
          ...(effort === undefined ? {} : { effort }),
          ...(appendSystemPrompt === undefined ? {} : { appendSystemPrompt }),
        },
        tools: builtinTools,
        notices: settings.notices,
        openModel: open,
        asker,
        saveRule: (text) =>
          saveRule(text, { configDir: dirs.config, folder, home, clock: systemClock, makeId: randomId }),
        program: version,
        machine: {
          env,
          home,
          uid: process.getuid?.() ?? 0,
          gid: process.getgid?.() ?? 0,
          platform: process.platform,
          arch: process.arch,
        },
        clock: systemClock,
        makeId: randomId,
      }),
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
    deny: o.deny,
    ...(o.mode === undefined ? {} : { mode: o.mode }),
    ...(o.model === undefined ? {} : { model: o.model }),
    ...(o.maxTurns === undefined ? {} : { maxTurns: o.maxTurns }),
    ...(o.maxTokensTotal === undefined ? {} : { tokens: o.maxTokensTotal }),
    ...(o.maxCost === undefined ? {} : { usd: o.maxCost }),
    ...(o.appendSystemPrompt === undefined ? {} : { appendSystemPrompt: o.appendSystemPrompt }),
  };
}

/** The key goes from the environment into the model alone; children get an allow-list of variables without it. */
function accessOf(env: Env, baseUrl: string | undefined): ModelAccess {
  const optional = (key: keyof ModelAccess, value: string | undefined) =>
    value === undefined || value === "" ? {} : { [key]: value };
  return {
    ...optional("apiKey", env["ANTHROPIC_API_KEY"]),
    ...optional("authToken", env["ANTHROPIC_AUTH_TOKEN"]),
    ...optional("baseUrl", env["ANTHROPIC_BASE_URL"] ?? baseUrl),
  };
}
