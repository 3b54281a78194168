import type { ContentBlock } from "../events/block.ts";
import type { Rule } from "../events/effect.ts";
import type { EndReason, LogEvent, SessionEvent, Touch } from "../events/event.ts";
import type { EventLog } from "../events/log.ts";
import type { JudgeState, SessionState } from "../events/state.ts";
import type { Hook } from "../hooks/hook.ts";
import type { Hooks } from "../hooks/hooks.ts";
import type { HookInput } from "../hooks/moment.ts";
import type { Ran } from "../hooks/run-hook.ts";
import type { Model, ModelRequest } from "../model/model.ts";
import type { Asker } from "../permissions/asker.ts";
import type { Sandbox } from "../sandbox/sandbox.ts";
import type { Tool, ToolContext } from "../tools/tool.ts";
import type { Clock, MakeId } from "../util/deps.ts";
import type { Above, Unrecorded } from "./above.ts";
import type { Checks } from "./check.ts";
import type { Held } from "./held.ts";
import type { Judged } from "./judging.ts";
import type { CompactSettings } from "./compact-settings.ts";
import type { Budget, CostOf } from "./ledger.ts";
import type { Change } from "../workspace/change.ts";
import type { SummaryFacts, Workspace } from "../workspace/workspace.ts";

/** Limits of one query (S2, S3); undefined means none. */
export interface Limits {
  turns: number;
  /** Of the whole session. */
  session?: Budget;
  parallel: number;
  /** How deep sub-agents may start sub-agents; 0: there are none. */
  agentDepth?: number;
  /** Characters of a result that reach the model; the rest is in a file (L9). */
  resultChars: number;
  tokens?: number;
  usd?: number;
  timeMs?: number;
  /** How the conversation is kept within the window; default `COMPACT`. */
  compact?: CompactSettings;
}

/**
 * All that the loop uses. Mode, model and rules are read from `log.state` at each decision, never captured: a switch on the
 * screen counts from the next decision on.
 */
export interface LoopDeps {
  log: EventLog;
  tools: readonly Tool[];
  workspace: Workspace;
  sandbox(): Promise<Sandbox>;
  asker: Asker;
  clock: Clock;
  makeId: MakeId;
  limits: Limits;
  /** The model that `state.model` names. */
  model(): Model;
  /** The one that stands by where that one can't be had (S10). */
  fallback?(): Model | undefined;
  /** Steps 3 of a turn: the request out of the fold. */
  request(state: SessionState, model: Model): ModelRequest;
  /** Text that goes ahead of the next turn: mode, time, folder (C1). Empty: nothing new to tell. */
  notes(state: SessionState): readonly string[];
  /** Rules of files and command line; those of the session are in the state. */
  rules(): readonly Rule[];
  saveRule(rule: string): Promise<Rule>;
  /** The file that `saveRule` writes, as it is told in questions. */
  savedTo?: string | undefined;
  facts(state: SessionState): SummaryFacts;
  /** Whether a change is regenerable output (P9). */
  regenerable(change: Change): boolean;
  context(call: { callId: string; operationId: string }, signal: AbortSignal, asker: Asker): Promise<ToolContext>;
  /** Keeps a long result in a file that the model can read; gives its path. */
  spill(callId: string, text: string): Promise<string>;
  /** The person's own programs, run at certain moments (H1). */
  hooks?: Hooks;
  /** Runs one of them in the copy (H6); here, since what it changes goes through the gates that run hooks themselves. */
  hookInCopy?(
    hook: Hook,
    command: string,
    input: HookInput,
    deps: LoopDeps,
    signal: AbortSignal,
    at: HookAt,
  ): AsyncGenerator<SessionEvent, Ran>;
  /** Completion checks (S9); none where there are none. */
  checks?: Checks;
  /** What the program holds this session and its agents to (C8, C9). */
  held(): Held;
  /** Has a second agent judge (C9): it reads, and writes nothing. */
  judge?(by: JudgeState, task: string, signal: AbortSignal): AsyncGenerator<SessionEvent, Judged>;
  /** USD of a model's usage, where its price is known. */
  cost: CostOf;
  /** Facts that others made true meanwhile, appended: a step that was undone elsewhere (W8). */
  news?(): Promise<readonly LogEvent[]>;
  /** Notes of the model's own that fit a message which comes while it works, as facts (C2). */
  recall?(words: string): Promise<readonly LogEvent[]>;
  inbox: { take(): readonly Prompt[] };
  /** The session that started this one, where this is a sub-agent's. */
  above?: Above;
  /** What its own sub-agents use just now. */
  unrecorded?(): Unrecorded;
}

/** A message of the person's. `touched`: files that are attached to it. */
export interface Prompt {
  content: readonly ContentBlock[];
  touched?: readonly Touch[] | undefined;
}

/** The call that a moment of hooks is about; `operationId`: its step, whose files they may change (H6). */
export interface HookAt {
  callId?: string;
  operationId?: string;
}

/** Why a query ends, with one line for the person. */
export interface Stop {
  reason: EndReason;
  detail?: string;
}
