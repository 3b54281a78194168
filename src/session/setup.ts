import { userInfo } from "node:os";
import type { WorkState } from "../events/state.ts";
import type { ProgramHooks } from "../hooks/read.ts";
import type { Model } from "../model/model.ts";
import { plainName } from "../model/known.ts";
import { ModelError, ModelNameError, NoKeyError, openModel, type ModelDeps } from "../model/open.ts";
import type { Asker } from "../permissions/asker.ts";
import type { Tool } from "../tools/tool.ts";
import type { Clock } from "../util/deps.ts";
import { randomId } from "../util/system.ts";
import { accessOf } from "./access.ts";
import type { AgentKind } from "./agents-define.ts";
import { homeOf, type Env } from "./environment.ts";
import { readHooks } from "./hook-files.ts";
import type { ServerConfig } from "../mcp/config.ts";
import { readServers, type ReadServers, type ServerPlace } from "./mcp-files.ts";
import { openSession } from "./open.ts";
import type { Machine, OpenOptions } from "./options.ts";
import { retryDeps } from "./retry-settings.ts";
import { personSettingsFile } from "./rules-files.ts";
import { addRule, changeRule, saveRule } from "./rules-write.ts";
import type { Session } from "./session.ts";
import { refuseAllows, unlockedFlags } from "./settings-managed.ts";
import { stampOf } from "./policy-news.ts";
import { loadSettings, settingsFiles, type Flags, type Settings } from "./settings.ts";
import { openStore, type Store } from "./store.ts";
import { keptKeys } from "./stored-keys.ts";
import { findKeyring } from "../util/keyring.ts";
import { loadKey } from "../events/key.ts";
import { keysOf } from "../util/secrets/environment.ts";
import { makeSecrets, type Secrets } from "../util/secrets/secrets.ts";
import { bypassGuard } from "./bypass.ts";
import { FolderTrust } from "./trust.ts";

/** What a program brings that opens sessions: the `agent` command, or one that uses the library. */
export interface SetupOptions {
  /** Real path. */
  folder: string;
  addDirs: readonly string[];
  /** The program's own environment: key and address of the service, search path, home. */
  env: Env;
  /** For settings and state. */
  dirs: { config: string; state: string };
  /** What was typed. */
  flags: Flags;
  rehearse: boolean;
  /** Of the session that the program begins with; see `OpenOptions`. */
  work?: WorkState;
  judge?: string;
  /** Id of the first session, where it is a new one. */
  sessionId?: string;
  /** Asked for on the command line alone (P8). */
  bypass?: boolean;
  /** What the folder brings is used in this process, whatever was said of it before. */
  trustFolder?: boolean;
  tools: readonly Tool[];
  /** Kinds of sub-agents of the program's own. */
  agents?: readonly AgentKind[];
  /** Understudy's version. */
  version: string;
  clock: Clock;
  /** A model of the program's own; undefined for a name that it doesn't know. */
  ownModel?(id: string): Model | undefined;
  /** Milliseconds between two words of the demo model. */
  demoWordMs?: number;
  /** A person sees what goes on, and can stop it. */
  watched?: boolean;
  /** Hooks of the program's own. */
  hooks?: ProgramHooks;
  /** Tool servers are used: `given` by the program, and those of files; without `typed` (files that were named) no file is read. Default: none. */
  servers?: { typed?: readonly string[]; given?: readonly ServerConfig[] };
}

/** Everything that sessions with these options have in common. */
export interface Setup {
  store: Store;
  settings: Settings;
  /** What the person says of the folder. */
  trust: FolderTrust;
  /** What is a key here, and what stands for it. */
  secrets: Secrets;
  /** Of a new session. */
  model: string;
  /** Throws ModelError with one readable line. */
  openModel(id: string): Model;
  /** `fork`: not the session `resume` itself, but a copy of it; see `OpenOptions`. */
  open(asker: Asker, resume?: string, fork?: OpenOptions["fork"]): Promise<Session>;
}

/**
 * The one place that puts the parts together.
 * @throws StoreError or SettingsError naming folder or file.
 */
export function setUp(options: SetupOptions): Setup {
  const { folder, env, dirs, clock } = options;
  const store = openStore(dirs);
  const home = homeOf(env);
  const place = { configDir: dirs.config, folder, addDirs: options.addDirs, home };
  const settings = loadSettings({ ...place, flags: options.flags });
  const { flags } = unlockedFlags(options.flags, settings.managed);
  const secrets = makeSecrets({ key: loadKey(store.key), values: keysOf(env), on: settings.maskKeys });
  const named = env["ANTHROPIC_MODEL"];
  const model = plainName(settings.modelNamed || named === undefined || named === "" ? settings.model : named);
  const kept = keptKeys({ config: dirs.config, keyring: () => findKeyring(env, process.platform) }, (key) =>
    secrets.learn(key),
  );
  const open = (id: string) => options.ownModel?.(id) ?? openModel(id, modelDeps(options, settings, kept));
  const ruleDeps = { configDir: dirs.config, folder, home, clock, makeId: randomId };
  const save = (text: string) => {
    refuseAllows(settings.managed);
    return saveRule(text, ruleDeps);
  };
  const trust = folderTrust(options, home);
  const bypass = options.bypass === true ? bypassGuard(options, home, settings.noBypass) : undefined;
  const all: Omit<OpenOptions, "asker"> = {
    folder,
    addDirs: options.addDirs,
    store,
    trust,
    ...(bypass === undefined ? {} : { bypass }),
    ...(flags.mode === undefined ? {} : { mode: flags.mode }),
    ...(flags.model === undefined ? {} : { model: plainName(flags.model) }),
    ...(flags.effort === undefined ? {} : { effort: flags.effort }),
    ...(options.rehearse ? { rehearse: true } : {}),
    ...(options.work === undefined ? {} : { work: options.work }),
    ...(options.judge === undefined ? {} : { judge: options.judge }),
    defaults: { mode: settings.mode, model },
    config: {
      ...configOf(standingBy(settings, open)),
      ...(flags.systemPrompt === undefined ? {} : { systemPrompt: flags.systemPrompt }),
    },
    ...(options.sessionId === undefined ? {} : { id: options.sessionId }),
    tools: settings.notes ? options.tools : options.tools.filter(({ name }) => name !== "Remember"),
    ...(options.agents === undefined ? {} : { agents: options.agents }),
    notices: settings.notices,
    hooks: () => readHooks({ configDir: dirs.config, folder, home }, options.hooks),
    ...(options.servers === undefined
      ? {}
      : { servers: () => serversOf(options.servers ?? {}, { configDir: dirs.config, folder }) }),
    openModel: open,
    saveRule: save,
    savedTo: personSettingsFile(dirs.config, folder),
    ruleFiles: {
      read: () => loadSettings({ ...place, flags: options.flags }),
      stamp: () => stampOf(settingsFiles(place)),
      add: async (rule) => void (await addRule(rule, ruleDeps)),
      change: (rule, to) => changeRule(rule, to, ruleDeps),
    },
    secrets,
    program: options.version,
    machine: machineOf(env, home),
    clock,
    makeId: randomId,
  };
  // What was typed is for the session that the program began with; another keeps what was chosen in it.
  const { model: _model, effort: _effort, bypass: _bypass, work: _work, judge: _judge, id: _id, ...later } = all;
  let begun = false;
  return {
    store,
    settings,
    trust,
    secrets,
    model,
    openModel: open,
    async open(asker, resume, fork) {
      const which = { ...(resume === undefined ? {} : { resume }), ...(fork === undefined ? {} : { fork }) };
      const session = await openSession({ ...(begun ? later : all), asker, ...which });
      begun = true;
      await typedLimits(session, flags);
      return session;
    },
  };
}

function serversOf({ typed, given = [] }: NonNullable<SetupOptions["servers"]>, place: ServerPlace): ReadServers {
  return typed === undefined ? { own: given, brought: [], notices: [] } : readServers({ ...place, typed, given });
}

function folderTrust({ dirs, folder, clock, trustFolder = false }: SetupOptions, home: string): FolderTrust {
  const homes = [home, userInfo().homedir];
  const uid = process.getuid?.() ?? 0;
  return new FolderTrust({ configDir: dirs.config, folder, homes, uid, clock, makeId: randomId, flag: trustFolder });
}

/** What was typed now wins over what was set in the session before. */
async function typedLimits(session: Session, { maxTurns, tokens, timeMs, usd }: Flags): Promise<void> {
  const typed = [
    ["message", "turns", maxTurns],
    ["message", "tokens", tokens],
    ["message", "timeMs", timeMs],
    ["session", "usd", usd],
  ] as const;
  const { limits } = session.state();
  for (const [scope, name, value] of typed) {
    if (value !== undefined && limits[scope][name] !== undefined) await session.setLimit(scope, name, value);
  }
}

function configOf({
  limits,
  checks,
  tools,
  prices,
  shown,
  rules,
  places,
  managed,
  effort,
  models,
  fallbackModel,
  appendSystemPrompt,
  notes,
}: Settings): OpenOptions["config"] {
  return {
    limits,
    tools,
    prices,
    shown,
    rules,
    places,
    ...(managed === undefined ? {} : { managed }),
    ...(checks === undefined ? {} : { checks }),
    ...(effort === undefined ? {} : { effort }),
    ...(models === undefined ? {} : { models }),
    ...(fallbackModel === undefined ? {} : { fallbackModel }),
    ...(appendSystemPrompt === undefined ? {} : { appendSystemPrompt }),
    autoMemory: notes,
  };
}

/**
 * A model that stands by is looked at once: without its key it never could.
 * @throws ModelError naming it, where its name or file is wrong.
 */
function standingBy(settings: Settings, open: (id: string) => Model): Settings {
  const { fallbackModel, ...rest } = settings;
  if (fallbackModel === undefined) return settings;
  try {
    open(fallbackModel);
    return settings;
  } catch (error) {
    if (error instanceof NoKeyError) return rest;
    if (!(error instanceof ModelError)) throw error;
    const told = `The fallback model: ${error.message}`;
    throw error instanceof ModelNameError
      ? new ModelNameError(told, { cause: error })
      : new ModelError(told, { cause: error });
  }
}

function machineOf(env: Env, home: string): Machine {
  return {
    env,
    home,
    uid: process.getuid?.() ?? 0,
    gid: process.getgid?.() ?? 0,
    platform: process.platform,
    arch: process.arch,
  };
}

function modelDeps(
  { clock, env, demoWordMs, watched = false }: SetupOptions,
  { baseUrl, models, retry, managed }: Settings,
  kept: ReturnType<typeof keptKeys>,
): ModelDeps {
  // The machine's word on the address stands above the environment's.
  const named = managed?.locked.has("baseUrl") === true ? { ...env, ANTHROPIC_BASE_URL: undefined } : env;
  return {
    clock,
    access: accessOf(named, baseUrl, kept),
    random: Math.random,
    ...(models === undefined ? {} : { models }),
    ...retryDeps(retry, watched),
    ...(demoWordMs === undefined ? {} : { demoWordMs }),
  };
}
