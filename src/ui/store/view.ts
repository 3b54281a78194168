import type { Decision, Effect, Mode } from "../../events/effect.ts";
import type { Effort, Todo, Usage } from "../../events/event.ts";
import type { RateLimit } from "../../events/live-event.ts";
import type { Entry } from "./entry.ts";
import { NO_STREAM, type Stream } from "./stream.ts";

/** A call between its reply and its result. */
export interface RunningCall {
  callId: string;
  tool: string;
  input: Readonly<Record<string, unknown>>;
  /** undefined: it waits for its turn or for an answer. */
  startedAt?: number | undefined;
  /** The newest lines of its output, the unfinished one last. */
  lines: readonly string[];
  /** The sub-agent that it started. */
  agent?: RunningAgent;
  /** A row of the transcript says that it was denied. */
  denied?: true;
}
/** A sub-agent at work. `doing`: the call or the thought that it is at. */
export interface RunningAgent {
  agentId: string;
  agent: string;
  doing: string;
  calls: number;
  tokens: number;
}
export interface Retry {
  attempt: number;
  of: number;
  reason: string;
  /** When it is tried again, clock's milliseconds. */
  at: number;
}
/** `thinking` and `writing`: the reply streams. `waiting`: for its first sign. `running`: calls. `checking`: what was done. `asking`: for the person. */
export type Phase = "idle" | "waiting" | "thinking" | "writing" | "running" | "checking" | "asking";

/** What the screen shows besides the transcript and the draft: a fold of the session's events. */
export interface View {
  folder: string;
  mode: Mode;
  model: string;
  /** As it was chosen in the session. */
  effort?: Effort | undefined;
  /** Tokens of the newest request with its reply. */
  contextTokens: number;
  usage: ReadonlyMap<string, Usage & { replies: number }>;
  /** What the service told of its limits last, the tightest first. */
  limits: readonly RateLimit[];
  phase: Phase;
  turn: number;
  /** The query's start and the last sign of the model or a tool, clock's milliseconds. */
  startedAt?: number | undefined;
  lastSignAt: number;
  /** Tokens of this query, as far as replies told them; `typed`: characters of the open reply. */
  up: number;
  down: number;
  typed: number;
  /** Calls of the open turn that have no result yet, in the reply's order. */
  running: readonly RunningCall[];
  todos: readonly Todo[];
  /** The completion check that runs. */
  checking?: string | undefined;
  /** Hooks that run now. */
  hooks: readonly string[];
  /** An open permission question. */
  question?: { questionId: string; callId: string; effect: Effect; decision: Decision } | undefined;
  retry?: Retry | undefined;
  /** Open Markdown of the reply: the tail. */
  stream: Stream;
  /** What of the open reply's text is in the transcript. */
  committed: string;
  thinking: string;
  /** When the open thinking began, clock's milliseconds. */
  thinkingAt: number;
  /** Thinking blocks of the open reply that are in the transcript. */
  thoughts: number;
}

export const NO_VIEW: View = {
  folder: "",
  mode: "ask",
  model: "",
  contextTokens: 0,
  usage: new Map(),
  limits: [],
  phase: "idle",
  turn: 0,
  lastSignAt: 0,
  up: 0,
  down: 0,
  typed: 0,
  running: [],
  todos: [],
  hooks: [],
  stream: NO_STREAM,
  committed: "",
  thinking: "",
  thinkingAt: 0,
  thoughts: 0,
};

/** The view after an event, and what it adds to the transcript. */
export interface ViewStep {
  view: View;
  entries: readonly Entry[];
}

/** Nothing of a reply. */
export const NO_REPLY = {
  stream: NO_STREAM,
  committed: "",
  thinking: "",
  thinkingAt: 0,
  thoughts: 0,
  typed: 0,
} as const;
/** Nothing of a query. */
export const IDLE = {
  phase: "idle",
  running: [],
  hooks: [],
  question: undefined,
  checking: undefined,
  retry: undefined,
  startedAt: undefined,
} as const;
