import { z } from "zod";
import { body } from "./event-body.ts";

/** What the person makes of a call before it runs. */
export const callBodies = [
  /**
   * In answer to a question: the person's own words in place of the model's. `input` is what runs from here on, and is judged anew, hooks
   * included; the call's result says so to the model (UX P-3).
   */
  body("call.edited", {
    callId: z.string(),
    questionId: z.string(),
    input: z.record(z.string(), z.unknown()),
    /** Of a file that it writes: how the text differs from what was proposed, for the model. */
    differs: z.string().optional(),
    /** The person's words beside it. */
    note: z.string().optional(),
  }),
] as const;
