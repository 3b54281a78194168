import { z } from "zod";
import { body } from "./event-body.ts";
import { EndReason } from "./end-reason.ts";
import { Usage } from "./usage.ts";

const callId = z.string();
const agentId = z.string();

/** Sub-agents (C5): each has a log of its own, under its id. */
export const agentBodies = [
  /** It begins, or is asked further (`again`). Durable before anything of it runs, so that it is never begun twice (E3). */
  body("agent.started", {
    agentId,
    callId,
    agent: z.string(),
    description: z.string(),
    model: z.string(),
    again: z.boolean().optional(),
  }),
  /**
   * What it came to. `usage`, `turns`, `calls`, `durationMs`: since its last end, with what its own agents used; they count to this session's limits.
   * `waitedMs`: of that a person was asked. `steps`: of its changes that this log took over. `head`: its log's last mac.
   */
  body("agent.ended", {
    agentId,
    callId,
    reason: EndReason,
    detail: z.string().optional(),
    turns: z.number(),
    calls: z.number(),
    usage: z.record(z.string(), Usage.extend({ long: Usage.optional(), replies: z.number() })),
    durationMs: z.number(),
    waitedMs: z.number().optional(),
    steps: z.number(),
    head: z.string(),
  }),
] as const;
