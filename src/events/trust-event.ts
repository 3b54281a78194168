import { z } from "zod";
import { body } from "./event-body.ts";

/** What the person granted beyond mode and rules: trust in the folder, questions left out. Each counts until the session is opened anew. */
export const trustBodies = [
  /**
   * What the folder brings may be used from here on (H5). `by`: an earlier yes that still fits, an answer now, `--trust-folder`. `parts`:
   * SHA-256 over the executable parts, hex.
   */
  body("trust.given", {
    folder: z.string(),
    by: z.enum(["store", "person", "flag"]).optional(),
    parts: z.string().optional(),
  }),
  body("trust.ended", { folder: z.string(), reason: z.string() }),
  /** `--bypass` (P8): what the policy would ask is allowed from here on, or asked again. */
  body("bypass.changed", { on: z.boolean(), by: z.enum(["flag", "person"]) }),
] as const;
