import type { Mode, Rule } from "../events/effect.ts";
import type { Checks } from "../loop/check.ts";
import type { Limits } from "../loop/deps.ts";
import type { AgentKind } from "./agents-define.ts";
import type { AgentOptions } from "./agent-options.ts";
import type { Effort } from "../events/event.ts";
import type { WorkState } from "../events/state.ts";
import type { OwnModels } from "../model/known.ts";
import type { Model } from "../model/model.ts";
import type { Asker } from "../permissions/asker.ts";
import type { SandboxKind } from "../sandbox/sandbox.ts";
import type { Tool, ToolSettings } from "../tools/tool.ts";
import type { Clock, MakeId } from "../util/deps.ts";
import type { Secrets } from "../util/secrets/secrets.ts";
import type { Managed } from "./settings-managed.ts";
import type { RuleFiles } from "./policy-live.ts";
import type { ReadHooks } from "./hook-files.ts";
import type { ReadServers } from "./mcp-files.ts";
import type { Prices } from "./prices.ts";
import type { Store } from "./store.ts";
import type { FolderTrust, TrustBy } from "./trust.ts";

/** What settings and command line say about a session; read once when it opens. */
export interface SessionConfig {
  limits: Limits;
  tools: ToolSettings;
  prices: Prices;
  /** Beside the roots, for commands to read; absolute. */
  shown?: readonly string[];
  /** Completion checks (S9). */
  checks?: Checks;
  /** Rules of files and of the command line; those of the session are in its log. */
  rules: readonly Rule[];
  /** What the machine's settings decide for good. */
  managed?: Managed;
  /** Where those of files stand, `file:line`; a rule by its identity. */
  places?: ReadonlyMap<Rule, string>;
  effort?: Effort;
  /** What settings say of models. */
  models?: OwnModels;
  /** Stands by for the model where it can't be had. */
  fallbackModel?: string;
  appendSystemPrompt?: string;
  /** In the place of the built-in prompt. */
  systemPrompt?: string;
  /** false: the model keeps no notes of its own (C2). */
  autoMemory?: boolean;
}

export interface OpenOptions {
  /** Where `agent` was started. */
  folder: string;
  addDirs: readonly string[];
  store: Store;
  /** Of the new session; without it one is made. */
  id?: string;
  /** Id of a session to go on with. */
  resume?: string;
  /** Not with that one itself, but with a copy of it: whole, or up to before a message (its seq). */
  fork?: { before?: number };
  /** For a new session; for a resumed one only where the person named it. */
  mode?: Mode;
  model?: string;
  effort?: Effort;
  /** Changes wait in the copy for one review (W6). */
  rehearse?: boolean;
  /** Asked for `--bypass` (P8): throws with a word for the person where it may not be in these roots. */
  bypass?: (roots: readonly string[]) => void;
  /** What was said of the folder; without it nothing that the folder brings is used (H5). */
  trust?: FolderTrust;
  /** It is trusted, whatever was said of it. */
  trusted?: TrustBy;
  /** The part of long work that a new session is (C8). */
  work?: WorkState;
  /** Name of the agent that judges each message's work (C9). */
  judge?: string;
  /** It is a sub-agent's. */
  agent?: AgentOptions;
  /** Used for a new session when none is named. */
  defaults: { mode: Mode; model: string };
  config: SessionConfig;
  tools: readonly Tool[];
  /** Kinds of sub-agents of the program that opens the session. */
  agents?: readonly AgentKind[];
  /** Reads the hooks of settings files, and those of the program that opens the session. Throws a SettingsError. */
  hooks?(): ReadHooks;
  /** Reads the servers of settings files and of the folder. Throws a SettingsError. */
  servers?(): ReadServers;
  /** Said with the session's own notices: what settings left out. */
  notices?: readonly string[];
  /** Throws Error with one readable line for a name that it doesn't know. */
  openModel(id: string): Model;
  asker: Asker;
  /** Saves "always" among the person's own rules for this project. */
  saveRule(text: string): Promise<Rule>;
  /** The file that it writes. */
  savedTo?: string;
  /** Where rules lie, for /permissions; without it they can be looked at only. */
  ruleFiles?: RuleFiles;
  /** What is a key here, and what stands for it. Default: what is known by its form. */
  secrets?: Secrets;
  program: string;
  machine: Machine;
  clock: Clock;
  makeId: MakeId;
}

export interface Machine {
  env: Readonly<Record<string, string | undefined>>;
  home: string;
  uid: number;
  gid: number;
  /** As Node names them: linux, darwin; x64, arm64. */
  platform: NodeJS.Platform;
  arch: NodeJS.Architecture;
  /** Leaves out sandbox backends, for trials and tests. */
  sandboxes?: readonly SandboxKind[];
}
