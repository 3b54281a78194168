import { z } from "zod";
import { body } from "./event-body.ts";
import { Rule } from "./effect.ts";

/** What becomes of regenerable output that the copy keeps (P9). */
export const keptBodies = [
  /**
   * Output of the step `of` landed through the door as a step of its own, by the person's own rule. `rest`: changes of it that the copy
   * keeps, since no rule lands them; `left`: the files among them, by folder.
   */
  body("kept.landed", {
    operationId: z.string(),
    of: z.string(),
    callId: z.string().optional(),
    rule: Rule.optional(),
    files: z.number(),
    bytes: z.number(),
    paths: z.array(z.string()),
    rest: z.number(),
    left: z.array(z.object({ root: z.number(), path: z.string(), files: z.number() })).optional(),
  }),
] as const;
