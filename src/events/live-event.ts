import type { SessionEvent } from "./event.ts";

/** A limit of the service, as its last answer told it. */
export interface RateLimit {
  /** In the service's word: requests, tokens, input tokens, 5h. */
  name: string;
  /** The share that is left, 0 to 1. */
  left: number;
  limit?: number;
  remaining?: number;
  /** Milliseconds since 1970. */
  resetAt?: number;
}

/** Live events: shown, never saved. */
export type LiveEvent =
  /** The tightest first. */
  | { type: "limits.told"; limits: readonly RateLimit[] }
  | { type: "text.delta"; text: string }
  | { type: "thinking.delta"; text: string }
  | { type: "input.delta"; callId: string; tool: string; json: string }
  | { type: "reply.started"; turn: number }
  /** A completion check; its output comes as `tool.output` with this id. */
  | { type: "check.started"; checkId: string; name: string; command: string }
  | { type: "tool.output"; callId: string; text: string }
  /** What a sub-agent does: a fact of its own log, or live. */
  | { type: "agent.event"; agentId: string; callId: string; event: SessionEvent }
  | { type: "request.retrying"; attempt: number; of: number; inMs: number; reason: string }
  /** What was shown of the reply so far is void: it is asked for anew. */
  | { type: "reply.discarded"; reason: string };
