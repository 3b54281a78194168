import { z } from "zod";
import { body } from "./event-body.ts";
import { Usage } from "./usage.ts";

const callId = z.string();

/** What is still sent of the conversation, and how. */
export const contextBodies = [
  body("context.cleared", { callIds: z.array(callId), before: z.number(), after: z.number() }),
  /**
   * What the service refused in a request, or would: from here on a note stands in place of each part (see `Part`). `thinking`: all of it
   * so far is left out. `why`: for the person.
   */
  body("context.mended", {
    why: z.string(),
    parts: z.array(
      z.object({ seq: z.number().optional(), callId: callId.optional(), at: z.number().optional(), note: z.string() }),
    ),
    thinking: z.boolean().optional(),
  }),
  body("context.compacted", { summary: z.string(), keptFrom: z.number(), before: z.number(), after: z.number() }),
  /** `/btw`: a question beside the conversation, with its answer. It was paid for, and no later request knows of it. */
  body("aside.asked", {
    question: z.string(),
    answer: z.string(),
    model: z.string(),
    usage: Usage,
    durationMs: z.number(),
  }),
  /** `/clear`: what came before is no longer sent. */
  body("context.reset", {}),
  /**
   * `/rewind`: the conversation is again as it was before event `to`; what came from there on is no longer sent or shown. `keptFrom`: seq
   * of the first item that was sent then; `summary`: of what was before it.
   */
  body("context.rewound", { to: z.number(), keptFrom: z.number(), summary: z.string().optional() }),
] as const;
