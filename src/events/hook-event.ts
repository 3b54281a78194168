import { z } from "zod";
import { body } from "./event-body.ts";
import { Touch } from "./touch.ts";

const callId = z.string();

/** Programs of the person's that run at certain moments (H1). */
export const hookBodies = [
  /** These begin now, durably so before the first of them does: what has begun is never run again (E3). */
  body("hook.started", { event: z.string(), names: z.array(z.string()), callId: callId.optional() }),
  /**
   * What a hook came to. `exit` null: it did not end by itself, or is a function of the program's own. `failed`: why its answer does not count.
   * `decision`, `reason`: as they count, "ask" where a PreToolUse hook failed. `input`: what it made of the call's. `stop`: the query ends.
   */
  body("hook.ran", {
    event: z.string(),
    name: z.string(),
    callId: callId.optional(),
    exit: z.number().nullable(),
    note: z.string().optional(),
    source: z.string().optional(),
    durationMs: z.number().optional(),
    failed: z.string().optional(),
    decision: z.enum(["allow", "ask", "deny"]).optional(),
    reason: z.string().optional(),
    input: z.record(z.string(), z.unknown()).optional(),
    /** For the model, as data. */
    context: z.string().optional(),
    /** For the person. */
    message: z.string().optional(),
    stop: z.string().optional(),
    /** At the last hook of its moment: files of the step of this operation that these hooks changed behind its landing; part of the step from here on (H6). */
    operationId: z.string().optional(),
    touched: z.array(Touch).optional(),
  }),
  /** The hooks that count from here on (H3); none: an empty list. */
  body("hooks.set", {
    hash: z.string(),
    by: z.enum(["start", "person"]),
    hooks: z.array(z.object({ event: z.string(), matcher: z.string(), name: z.string(), source: z.string() })),
  }),
] as const;
