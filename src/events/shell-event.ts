import { z } from "zod";
import { body } from "./event-body.ts";

/** The session's shell, and what the person types into it. */
export const shellBodies = [
  /** `by`: a command that the person typed; else one of the model's, or a way back to an earlier point. */
  body("shell.moved", { cwd: z.string(), env: z.record(z.string(), z.string()), by: z.literal("person").optional() }),
  /** A command that the person ran by `!` (in the copy) or `!!` (outside). */
  body("shell.ran", {
    operationId: z.string(),
    command: z.string(),
    outside: z.boolean(),
    exit: z.number().nullable(),
    output: z.string(),
    /** The backend that it was run on again, since an overlay refused what it did. */
    retriedOn: z.string().optional(),
    /** Placeholders in it that stand for keys. */
    keys: z.number().optional(),
  }),
] as const;
