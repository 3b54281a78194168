import { z } from "zod";

/** A file that a call read or wrote: what Edit and Write compare with before they change it (T4). */
export const Touch = z.object({
  /** Absolute path. */
  path: z.string(),
  /** SHA-256 of the bytes, hex; empty for a deleted file. */
  hash: z.string(),
  how: z.enum(["read", "written", "deleted"]),
  /** Only part of it was read, or was before it was changed in places. */
  partial: z.boolean().optional(),
  /** Which lines of how many, first and last of each range, in order; the fold adds up what is read in parts. */
  lines: z.object({ of: z.number(), ranges: z.array(z.tuple([z.number(), z.number()])) }).optional(),
});
export type Touch = z.infer<typeof Touch>;
