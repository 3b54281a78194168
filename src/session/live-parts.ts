import type { EventLog } from "../events/log.ts";
import type { LoopDeps } from "../loop/deps.ts";
import type { Sandbox } from "../sandbox/sandbox.ts";
import type { Ignored } from "../workspace/ignored.ts";
import type { Workspace } from "../workspace/workspace.ts";
import type { LiveAgents } from "./agents-live.ts";
import type { LiveHooks } from "./live-hooks.ts";
import type { LiveServers } from "./mcp-live.ts";
import type { LiveTexts } from "./live-texts.ts";
import type { OpenOptions } from "./options.ts";
import type { LiveRules } from "./policy-live.ts";
import type { TrustLook } from "./trust.ts";

/** What an open session is made of. */
export interface LiveParts {
  options: OpenOptions;
  log: EventLog;
  workspace: Workspace;
  sandbox: Sandbox;
  ignored: Ignored;
  /** Rules of files and flags that are in force. */
  rules: LiveRules;
  /** Facts that others made true meanwhile; see `watchSteps`. */
  news?: LoopDeps["news"];
  /** What others did to this session's steps while it was closed. */
  caught?: readonly string[];
  /** The folder belongs to a git repository. */
  git: boolean;
  /** Its work tree, where the roots show only a part of it. */
  wider?: string;
  /** Said with the notices: what was left of a review. */
  reviewed?: readonly string[];
  /** The folder as it was when the session was opened. */
  trust?: TrustLook;
  hooks?: LiveHooks;
  /** Instructions, notes and skills. */
  texts?: LiveTexts;
  /** Its sub-agents. */
  agents: LiveAgents;
  /** Tool servers, where any is named. */
  servers?: LiveServers;
}
