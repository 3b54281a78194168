import { z } from "zod";

const dropped = z.array(z.object({ root: z.number(), path: z.string(), hunks: z.array(z.number()).optional() }));

/**
 * A further call of the same reply that a question is about (ADR 37). `shown`: SHA-256, hex, over exactly what it would come to, as it was
 * told to the person.
 */
export const Along = z.object({ callId: z.string(), shown: z.string() });
export type Along = z.infer<typeof Along>;

/** What the person's answer says of such a call. A yes holds for that result alone; a no for the call. */
export const AlongVerdict = Along.extend({
  outcome: z.enum(["allow", "deny"]),
  /** Paths of its changes that the person left out. */
  dropped: dropped.optional(),
  /** The person's words beside a no. */
  note: z.string().optional(),
});
export type AlongVerdict = z.infer<typeof AlongVerdict>;
