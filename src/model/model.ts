import type { ReplyBlock } from "../events/block.ts";
import type { Usage } from "../events/event.ts";
import type { RateLimit } from "../events/live-event.ts";
import type { Message } from "../events/message.ts";

export type { Message, RequestBlock } from "../events/message.ts";

export interface ToolSpec {
  name: string;
  description: string;
  input_schema: Record<string, unknown>;
}

export interface ModelRequest {
  /** In a stable order; a cache breakpoint goes behind the last one (C1). */
  system: readonly { text: string }[];
  /** Sorted by name. */
  tools: readonly ToolSpec[];
  messages: readonly Message[];
  maxTokens: number;
  effort?: "low" | "medium" | "high";
  /** Another model stands by: faults that pass are soon given up. */
  standby?: boolean;
}

/**
 * Deltas, then exactly one terminal event: `reply` or `failed`. A model never throws; an abort ends in `failed` with kind "aborted".
 * `partial` is what had arrived. `retrying` may come before anything else or after a void reply: what was shown of it is discarded.
 */
export type ModelEvent =
  | { type: "text"; text: string }
  | { type: "thinking"; text: string }
  | { type: "input"; callId: string; tool: string; json: string }
  /** What the service's limits are at, with each answer that tells. */
  | { type: "limits"; limits: readonly RateLimit[] }
  /** `usage`: what the attempt that is void had used. */
  | { type: "retrying"; attempt: number; of: number; inMs: number; reason: string; discarded: boolean; usage?: Usage }
  | {
      type: "reply";
      blocks: ReplyBlock[];
      usage: Usage;
      stopReason: string;
      messageId?: string;
      model: string;
      attempts: number;
      /** Why it broke off, where what came of it is kept all the same: whole calls, or a text to go on from (stop reason "broken-off"). */
      brokeOff?: string;
    }
  | { type: "failed"; kind: FailureKind; message: string; retryable: boolean; partial: ReplyBlock[]; usage: Usage };

/** `message` is one readable line that says what to do (S10). */
export type FailureKind =
  | "aborted"
  | "auth"
  | "bad-request"
  | "not-found"
  | "too-long"
  | "rate-limit"
  | "overloaded"
  | "network"
  | "stalled"
  | "server"
  | "no-key"
  | "script";

export interface Model {
  /** As the person names it. */
  readonly id: string;
  /** Tokens. */
  readonly contextWindow: number;
  readonly maxOutput: number;
  stream(request: ModelRequest, signal: AbortSignal): AsyncIterable<ModelEvent>;
}
