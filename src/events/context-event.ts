import { z } from "zod";
import { body } from "./event-body.ts";
import { Usage } from "./usage.ts";

const callId = z.string();
/** What stands in place of a part of the conversation. */
const Noted = z.object({
  seq: z.number().optional(),
  callId: callId.optional(),
  at: z.number().optional(),
  note: z.string(),
});

/** What is still sent of the conversation, and how. */
export const contextBodies = [
  /**
   * Results of these calls are no longer sent as they came; `parts`: what stands in place of each (see `Part`). `rule`: by which; `length`:
   * the conversation was too long for the service. Tokens before and after are estimates out of the newest real figures.
   */
  body("context.cleared", {
    callIds: z.array(callId),
    before: z.number(),
    after: z.number(),
    turn: z.number().optional(),
    rule: z.enum(["budget", "pictures", "repeated", "old", "length"]).optional(),
    parts: z.array(Noted).optional(),
  }),
  /**
   * What the service refused in a request, or would: from here on a note stands in place of each part (see `Part`). `thinking`: all of it
   * so far is left out. `why`: for the person.
   */
  body("context.mended", {
    why: z.string(),
    parts: z.array(Noted),
    thinking: z.boolean().optional(),
  }),
  /**
   * `summary` stands in place of all before `keptFrom`: the model's words, and what the program itself put behind them. `usage`: what the
   * model took for it. `dropped`: the receipt; `file` holds what is no longer sent, in full. `handoff`: the conversation begins anew from a file.
   * `instead`: why the model's words are missing in it.
   */
  body("context.compacted", {
    summary: z.string(),
    keptFrom: z.number(),
    before: z.number(),
    after: z.number(),
    turn: z.number().optional(),
    trigger: z.enum(["auto", "manual", "length"]).optional(),
    asked: z.string().optional(),
    handoff: z.string().optional(),
    instead: z.string().optional(),
    model: z.string().optional(),
    usage: Usage.optional(),
    requests: z.number().optional(),
    durationMs: z.number().optional(),
    dropped: z
      .object({
        from: z.number(),
        to: z.number(),
        prompts: z.number(),
        replies: z.number(),
        results: z.number(),
        file: z.string(),
      })
      .optional(),
  }),
  /** What compaction or clearing `of` (a seq) took out is sent again; `keptFrom` and `summary` as of `context.rewound`, `parts` of results. */
  body("context.restored", {
    of: z.number(),
    keptFrom: z.number(),
    summary: z.string().optional(),
    parts: z.array(z.object({ callId, at: z.number().optional() })).optional(),
    before: z.number(),
    after: z.number(),
  }),
  /** The person's: goes whole into every summary and handoff. */
  body("context.pinned", { id: z.string(), text: z.string() }),
  body("context.unpinned", { id: z.string() }),
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
