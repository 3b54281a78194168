import type { ContentBlock } from "../events/block.ts";
import type { Mode } from "../events/effect.ts";
import type { Effort, EndReason, SessionEvent, Usage } from "../events/event.ts";
import type { SessionState } from "../events/state.ts";
import type { Prompt } from "../loop/deps.ts";
import type { SessionAgents } from "./agents-live.ts";
import type { Beside } from "./beside.ts";
import type { SessionContext } from "./context.ts";
import type { CostReport } from "./cost.ts";
import type { LongWork } from "./long-work.ts";
import type { SessionHooks } from "./live-hooks.ts";
import type { Looks } from "./looks.ts";
import type { Budget, LimitName, Scope, Used } from "../loop/ledger.ts";
import type { PersonQuestion } from "../tools/tool.ts";
import type { SessionServers } from "./mcp-live.ts";
import type { OwnShell } from "./outside.ts";
import type { Permissions } from "./policy-permissions.ts";
import type { LandHow } from "./rehearse-land.ts";
import type { SessionSettings } from "./session-settings.ts";
import type { SessionTrust } from "./session-trust.ts";
import type { SandboxKind } from "../sandbox/sandbox.ts";
import type { FileDiff, TurnKind } from "../workspace/workspace.ts";

export interface QueryResult {
  reason: EndReason;
  detail?: string;
  /** The last reply's text. */
  text: string;
  turns: number;
  usage: Usage;
  durationMs: number;
  /** Open questions of the model's, when reason is "waiting": as many answers go on. */
  questions?: readonly PersonQuestion[];
  /** The sentence by which the model says that tests pass, where none ran since the last change (S9). */
  unverified?: string;
  /** Completion checks that ran, as they last ended. */
  checks?: readonly { name: string; command: string; exit: number | null; tree: string }[];
  /** `by`: nobody, where the person could not be asked; `rule`: what would have allowed it then, where a rule may. */
  denials: readonly { tool: string; subject: string; reason: string; by?: string; rules?: readonly string[] }[];
}

/** One conversation. What a front-end needs; none of them holds logic of the loop. */
export interface Session {
  readonly id: string;
  state(): SessionState;
  /** What happened and what changed, to be looked at. */
  readonly looks: Looks;
  readonly sandbox: { kind: SandboxKind; contained: boolean; why: readonly string[] };
  /** Said when it was opened: recovery, repairs, foreign log, what the journal knows more. */
  readonly notices: readonly string[];
  /** Something is left to do from before: an unfinished query (E3), with one line about it. */
  unfinished(): string | undefined;
  /** Runs one prompt to its end. One at a time. */
  submit(
    content: string | readonly ContentBlock[] | Prompt,
    signal?: AbortSignal,
  ): AsyncGenerator<SessionEvent, QueryResult>;
  /** What goes on beside the conversation. */
  readonly beside: Beside;
  /** What the model is sent of the conversation, and what makes it less (C3, C4, C7). */
  readonly context: SessionContext;
  /** Goes on with an unfinished query, or with the answers to its open questions, in their order. */
  goOn(signal?: AbortSignal, answers?: string | readonly string[]): AsyncGenerator<SessionEvent, QueryResult>;
  /** Open questions of the model's, which no process waits with (S6). */
  questions(): readonly PersonQuestion[];
  /** What is used of which limits (S3). */
  limits(): LimitsReport;
  /** Sets a limit for this session, above settings and flags; undefined takes it off. */
  setLimit(scope: Scope, name: LimitName, value: number | undefined): Promise<void>;
  /** Text typed while it works: read behind the next results (S11). */
  steer(said: string | Prompt): void;
  /** Takes back what was not read yet, oldest first. */
  takeBack(): readonly string[];
  queued(): readonly string[];
  setMode(mode: Mode): Promise<void>;
  /** Another model for the turns to come; says what that means. Throws for one that can't be used. */
  setModel(model: string): Promise<string>;
  /** How long the model thinks; undefined: as settings say. Says what that means. */
  setEffort(effort?: Effort): Promise<string>;
  effort(): Effort | undefined;
  /** Rules and decisions, and what changes them (P6). */
  permissions(): Permissions;
  /** Whether what the folder brings is used (H5). */
  readonly trust: SessionTrust;
  readonly hooks: SessionHooks;
  /** The settings files (U6). */
  readonly settings: SessionSettings;
  /** Sub-agents: those at work, those that have ended. */
  readonly agents: SessionAgents;
  /** Tool servers (U4). */
  readonly servers: SessionServers;
  /** Long work that it was opened for (C8). */
  readonly longWork: LongWork | undefined;
  rename(name: string): Promise<void>;
  clear(): Promise<void>;
  /** `!command` in the copy; its changes land unasked (U8). */
  shell(
    command: string,
    signal: AbortSignal,
  ): AsyncGenerator<SessionEvent, { exit: number | null; output: string; note: string }>;
  /** Commands of the person's own shell, outside (`!!`). */
  readonly own: OwnShell;
  /** Undoes a landed step (the newest not yet undone), or says what is in the way. */
  undo(operationId?: string, how?: UndoHow): Promise<ChangeReport>;
  redo(operationId?: string, how?: UndoHow): Promise<ChangeReport>;
  /** What that would do, each way that there is; undefined where there is no such step. */
  previewStep(kind: TurnKind, operationId?: string): Promise<StepPreview | undefined>;
  /** What landed in this session, oldest first. */
  steps(): Promise<readonly StepRow[]>;
  /** Messages that the person can go back to, oldest first. */
  rewindPoints(): readonly RewindPoint[];
  previewRewind(to: number): Promise<RewindPreview>;
  /** Goes back to before a message: its files, its conversation, or both. Not while a query runs. */
  rewind(to: number, what: RewindWhat, how?: UndoHow): Promise<ChangeReport>;
  /** Reviews and lands what is pending (W6), asking the person unless `how` says otherwise; without that what is kept of regenerable output. */
  land(how?: LandHow, signal?: AbortSignal): Promise<ChangeReport>;
  /** Changes wait in the copy for one review, or land step by step again. */
  setRehearsal(on: boolean): Promise<ChangeReport>;
  /** The background shells that run, and ports of theirs that are open on 127.0.0.1. */
  background(): {
    shells: readonly { id: string; command: string }[];
    ports: readonly { port: number; at: number }[];
  };
  /** Calls back when one was started or has ended. */
  onBackground(listener: () => void): void;
  /** Ends a background shell; the model is told with the next message. */
  stopShell(id: string): Promise<ChangeReport>;
  /** Opens a port of the copy's for the person's browser; without one, says which are open. */
  openPort(port?: number): Promise<ChangeReport>;
  cost(): CostReport;
  close(): Promise<void>;
}

/** What is used and what may be, of a message and of the session. */
export interface LimitsReport {
  budgets: Readonly<Record<Scope, Budget>>;
  used: Readonly<Record<Scope, Used>>;
}

export interface ChangeReport {
  ok: boolean;
  /** One line for the person. */
  text: string;
  paths: readonly string[];
}

/** `along`: with later steps that stand in the way; `merge`: lines of both sides are kept. */
export type UndoHow = "alone" | "along" | "merge";

/** One way to undo or redo: what would change, what stands in the way. Paths are for people. */
export interface WayPreview {
  /** In the order in which they are undone. */
  steps: readonly { operationId: string; at: string; text: string }[];
  diffs: readonly FileDiff[];
  conflicts: readonly { path: string; why: string }[];
  merged: readonly string[];
}

export interface StepPreview {
  kind: TurnKind;
  asked: readonly string[];
  alone: WayPreview;
  /** Both only where `alone` meets a conflict that they take away. */
  along?: WayPreview;
  merged?: WayPreview;
}

/** A step as it is listed. */
export interface StepRow {
  operationId: string;
  at: string;
  undone: boolean;
  /** It can be undone or redone. */
  kept: boolean;
  text: string;
}

/** A message of the person's, and what landed until the next one. */
export interface RewindPoint {
  to: number;
  text: string;
  at: string;
  steps: number;
  files: number;
}

export type RewindWhat = "files" | "conversation" | "both";

export interface RewindPreview {
  to: number;
  /** Messages and replies that leave the conversation. */
  prompts: number;
  replies: number;
  /** Steps that landed since and would be undone; undefined where there are none. */
  files?: StepPreview;
  /** What had effects that no undo takes back. */
  outside: readonly string[];
  /** Steps since then that wait in a rehearsal, and go on waiting. */
  pending: number;
  /** Steps since then that are undone already, and stay so. */
  undone: number;
}
