import { z } from "zod";
import { body } from "./event-body.ts";

/** Limits and completion checks: what stops a query or sends it on. */
export const limitBodies = [
  /** `limit`: `message.tokens`, `session.usd` and the like at 80 % (S3), `round:` with what repeats (S5), `undo`. */
  /** `words`: of the person's, which were held back and are theirs to send anew. */
  body("limit.warned", { limit: z.string(), text: z.string(), words: z.string().optional() }),
  /** The person's own word on a limit, above settings and flags (S3). `value`: turns, tokens, USD or milliseconds; null: none. */
  body("limit.changed", {
    scope: z.enum(["message", "session"]),
    limit: z.enum(["turns", "tokens", "usd", "timeMs"]),
    value: z.number().positive().nullable(),
  }),
  /**
   * A completion check (S9), of the tree with this hash. `exit` 0: passed; null: it was ended (`ended` says by what) or could not run.
   * `output`: shortened. `changed`: files that it changed and that are no regenerable output; all of its changes are dropped. `round`: how often checks
   * ran in this query.
   */
  body("check.ran", {
    command: z.string(),
    exit: z.number().nullable(),
    output: z.string(),
    name: z.string().optional(),
    tree: z.string().optional(),
    changed: z.array(z.string()).optional(),
    ended: z.string().optional(),
    round: z.number().optional(),
    durationMs: z.number().optional(),
  }),
] as const;
