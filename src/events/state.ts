import type { AlongVerdict } from "./along.ts";
import type { ContentBlock, ReplyBlock } from "./block.ts";
import type { ChangeSummary, Decision, Effect, Mode, Rule } from "./effect.ts";
import type { MemoryScope } from "./memory-event.ts";
import type { ShellState } from "./shell-state.ts";
import type { Effort, EndReason, GroupEnd, Root, SavedOutcome, Todo, Touch, Usage } from "./event.ts";

/** What a note of files and skills tells of: their ids, and hashes of what was told. `scope`: of memory. */
export interface Told {
  kind: "memory" | "recall" | "skills" | "skill";
  parts: readonly { id: string; hash: string; scope?: MemoryScope }[];
}

/** One entry of the conversation, in order; `messages.ts` makes the request's messages out of them. */
export type Item =
  | { kind: "prompt"; seq: number; when: "start" | "steer"; content: readonly ContentBlock[] }
  | { kind: "note"; seq: number; text: string; told?: Told }
  | {
      kind: "reply";
      seq: number;
      turn: number;
      blocks: readonly ReplyBlock[];
      /** The one that was asked, as the person names it. */
      model: string;
      stopReason: string;
      cut?: string;
    };

/** Where a call stands. `callId` is the model's own; ids are unique over a session, repaired on arrival if not (L4). */
export interface CallState {
  callId: string;
  tool: string;
  input: Record<string, unknown>;
  /** seq of the reply that asked for it. */
  replySeq: number;
  turn: number;
  operationId?: string;
  attempt: number;
  /** An open question of this call. */
  question?: { questionId: string; effect: Effect; decision: Decision };
  needs?: "allow" | "deny";
  verdict?: "allow" | "deny";
  /** A person said yes to its changes. */
  answered?: true;
  /** A person's answer to the question of another call of the reply, which was about this one too. */
  along?: AlongVerdict & { questionId: string };
  dropped?: readonly { root: number; path: string; hunks?: readonly number[] | undefined }[];
  /** Beside a no. */
  note?: string;
  /** The person's words beside a yes, told with the result. */
  said?: readonly string[];
  /** `input` is the person's, not the model's. */
  edited?: true;
  /** Of a file that the person changed before it landed: how, line by line. */
  differs?: string;
  ends?: boolean;
  withRegenerable?: boolean;
  proposed?: { outcome: SavedOutcome; summary: ChangeSummary };
  landed?: boolean;
  /** `keys`: how many keys its text has placeholders for. */
  result?: SavedOutcome & { durationMs: number; keys?: number };
  /** What PreToolUse hooks said of it (H1), and what the first of them that did so made of its input. `stop`: the query ends. */
  hooks?: {
    verdicts: readonly { action: "ask" | "deny"; reason: string; hook: string }[];
    input?: Record<string, unknown>;
    by?: string;
    /** In words for the person. */
    stop?: string;
  };
  /** The hooks behind it have begun. */
  after?: true;
  /** The session's state behind the result, as a hash: what it changed, where the shell stands, which background shells run (S5). */
  mark?: string;
}

/** A step's change set and what became of it. */
export interface StepState {
  operationId: string;
  callId?: string;
  summary?: ChangeSummary;
  /** `pended`: a layer of the session's copy that waits for the review. `squashed`: another step's layer holds what was left of it. */
  status: "proposed" | "pended" | "squashed" | "landed" | "kept" | "dropped" | "conflicted" | "undone";
  /** Its regenerable part is a layer of the session's copy. */
  kept: boolean;
  /** What of that is still there, once a rule landed a part of it. */
  left?: readonly { root: number; path: string; files: number }[];
  /** A review's sum: the layers that it was made of. */
  from?: readonly string[];
  at: string;
}

/** A background shell of the session. Only while the program that started it runs can one be without an end. */
export interface GroupState {
  groupId: string;
  callId: string;
  operationId: string;
  command: string;
  cwd: string;
  end?: GroupEnd;
  /** The model knows of the end. */
  told?: boolean;
}

export interface QueryState {
  startSeq: number;
  startedAt: string;
  turn: number;
  usage: Usage;
  /** The session's sums by model when it began: what came since is this query's (S3). */
  usageBefore: SessionState["usage"];
  /** Milliseconds that it worked, without what a person took to answer and without the time between two runs of the program. */
  workedMs: number;
  /** Seq of the newest words of the person. */
  spokenSeq: number;
  /** What `limit.warned` named in this query: a second time is a stop (S5). */
  warned: readonly string[];
  /** The files' mark when it began. */
  filesBefore: string;
  /** Turns of sub-agents: they count to its limit. */
  agentTurns?: number;
  /** How often completion checks ran in it. */
  checkRound: number;
  /** How often Stop hooks ran in it. */
  stopRounds?: number;
  ended?: EndReason;
}

/** A sub-agent of the session (C5). Without `ended` it works, or a crash stopped it. */
export interface AgentState {
  agentId: string;
  callId: string;
  agent: string;
  description: string;
  model: string;
  startedAt: string;
  ended?: EndReason;
  /** All that its ends told. */
  turns: number;
  calls: number;
  durationMs: number;
  steps: number;
  usage: SessionState["usage"];
}

/** The part of long work that the session is (C8). `list`: path in the folder. */
export interface WorkState {
  stage: "init" | "feature";
  list: string;
  feature?: { id: string; check: string };
}

/** The second agent that judges (C9). `contract`: what was agreed for this message; `given`: verdicts of the session; `against`: noes in a row. */
export interface JudgeState {
  agent: string;
  rounds: number;
  given: number;
  against: number;
  contract?: string;
}

/** The newest run of a completion check. */
export interface CheckState {
  name: string;
  command: string;
  exit: number | null;
  tree: string;
  /** The files' mark when it ran. */
  mark: string;
  /** `SessionState.changed` at the newest run that passed: what changed since is what it has not seen. */
  green?: SessionState["changed"];
}

/** Limits that the person set in the session; null: none. */
export interface LimitsSet {
  turns?: number | null;
  tokens?: number | null;
  usd?: number | null;
  timeMs?: number | null;
}

/**
 * The fold of a session's log: what the screen shows, the model is sent, the gate reads. Immutable.
 * Shape kept small on purpose: whatever can be derived from these fields is derived where it is needed.
 */
export interface SessionState {
  seq: number;
  mac: string;
  id: string;
  folder: string;
  roots: readonly Root[];
  name?: string;
  /** Of git, when the folder was last opened. */
  branch?: string;
  /** The session that this one is a copy of, up to event `seq`. */
  forkedFrom?: { sessionId: string; seq: number };
  mode: Mode;
  /** Changes wait in the copy for one review (W6). */
  rehearsing: boolean;
  model: string;
  /** As the person chose it in the session. */
  effort?: Effort;
  /** The first choice, while another model stands in for it (S10). */
  fellFrom?: string;
  /** Approvals, mode and unfinished calls of a log whose chain does not verify are not honoured (E1). */
  foreign: boolean;
  items: readonly Item[];
  /** Items before this index are no longer sent (compacted or cleared). */
  firstItem: number;
  summary?: string;
  /** Calls whose result text was cleared from the context. */
  cleared: ReadonlySet<string>;
  /** Notes in place of what the service refused, by `partKey`. */
  mended: ReadonlyMap<string, string>;
  /** Thinking of replies before this seq is no longer sent: its signatures were refused. */
  thinkingFrom: number;
  /** Goes whole into every summary. */
  pins: readonly { id: string; text: string; seq: number }[];
  /** Where the conversation began anew (`/clear`). */
  resets: readonly number[];
  /**
   * The newest compaction. `before`: tokens ahead of it; `judged`: the service has counted since; `helpless`: so many in a row won little by
   * its figures; `restored`: what it dropped was brought back.
   */
  compaction?: { seq: number; before: number; judged: boolean; helpless: number; restored?: true };
  /** Every call of the session by id, in order of the replies. */
  calls: ReadonlyMap<string, CallState>;
  steps: readonly StepState[];
  rules: readonly Rule[];
  /** What the folder brings may be used (H5): said anew by each process that opens the session. */
  trusted: boolean;
  /** `--bypass` was typed for this run (P8). */
  bypass: boolean;
  todos: readonly Todo[];
  /** Last touch by absolute path: what Edit compares with (T4). */
  touched: ReadonlyMap<string, Touch>;
  /** Files that this session made: absolute path → hash when it last wrote them (P3). */
  made: ReadonlyMap<string, string>;
  /**
   * What the session changed and what stands of it, landed or pending: absolute path (a whole folder's with `/` at its end, or `git`) → the steps that changed it, oldest first, each
   * with what it made of it as a hash. What was undone or dropped is not in it.
   */
  changed: ReadonlyMap<string, readonly { operationId: string; value: string }[]>;
  /** Hash over `changed`, and over the newest regenerable output: the same content gives the same mark, whatever way led there. */
  marks: { files: string; kept: string };
  /** Completion checks by name, as they last ran (S9). */
  checks: ReadonlyMap<string, CheckState>;
  work?: WorkState;
  judge?: JudgeState;
  shell: ShellState;
  /** Background shells, in the order of their start. */
  groups: readonly GroupState[];
  /** Sub-agents in the order of their start; one that is asked further stays in its place. */
  agents: readonly AgentState[];
  /** Hooks that have begun and not ended. */
  hooks?: readonly { event: string; name: string; callId?: string }[];
  /** Failures in a row by tool; a success of that tool resets its count (S4). */
  failures: ReadonlyMap<string, number>;
  query?: QueryState;
  turns: number;
  /** As `QueryState.workedMs`, of all queries. */
  workedMs: number;
  /** Between two runs of the program, or while a person thinks: the next event's time is no work. */
  idle: boolean;
  /** Session limits of which 80 % was told. */
  warned: readonly string[];
  limits: { message: LimitsSet; session: LimitsSet };
  /** Sums by model. */
  usage: ReadonlyMap<string, Usage & { replies: number }>;
  /** Tokens of the newest request, as the API counted: input + cache + output. */
  contextTokens: number;
  /** Seq of the fact that said so: what came since is not in it. */
  sizedAt: number;
  startedAt: string;
  lastAt: string;
  prompts: number;
}
