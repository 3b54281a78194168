import { z } from "zod";

/** What a fact of this type holds. */
export const body = <T extends string, S extends z.ZodRawShape>(type: T, shape: S) =>
  z.object({ type: z.literal(type), ...shape });
