import { z } from "zod";

/**
 * Tokens as the API counts them; `input` leaves out what was read from or written to the cache. `cacheWrite1h`: how many of `cacheWrite` were
 * written for an hour, which costs more.
 */
export const Usage = z.object({
  input: z.number(),
  output: z.number(),
  cacheRead: z.number(),
  cacheWrite: z.number(),
  cacheWrite1h: z.number().optional(),
});
/** Of one reply, or a sum: then `long` is what requests above `LONG_PROMPT` tokens used of it. */
export type Usage = z.infer<typeof Usage> & { long?: z.infer<typeof Usage> | undefined };

export const NO_USAGE: Usage = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 };

/** From so many tokens of one request on some models have another price, for all of that request. */
export const LONG_PROMPT = 100_000;

/** Both together. What of it long requests used is kept apart in `long`, wherever the sum alone would not tell. */
export function sumOf(a: Usage, b: Usage): Usage {
  const sum = plainSum(a, b);
  return promptTokens(sum) > LONG_PROMPT ? { ...sum, long: plainSum(longOf(a), longOf(b)) } : sum;
}

/** What of a sum came since it stood at `before`. */
export function lessOf(sum: Usage, before: Usage): Usage {
  const rest = plainSum(sum, negative(before));
  return promptTokens(rest) > LONG_PROMPT ? { ...rest, long: plainSum(longOf(sum), negative(longOf(before))) } : rest;
}

/** What requests of more than `LONG_PROMPT` tokens used of it: of one reply's usage all or nothing, of a sum what it kept apart. */
export function longOf(usage: Usage): Usage {
  return usage.long ?? (promptTokens(usage) > LONG_PROMPT ? usage : NO_USAGE);
}

/** Tokens of the request alone, whatever the cache had of it. */
export function promptTokens({ input, cacheRead, cacheWrite }: Usage): number {
  return input + cacheRead + cacheWrite;
}

function plainSum(a: Usage, b: Usage): Usage {
  const hour = (a.cacheWrite1h ?? 0) + (b.cacheWrite1h ?? 0);
  return {
    input: a.input + b.input,
    output: a.output + b.output,
    cacheRead: a.cacheRead + b.cacheRead,
    cacheWrite: a.cacheWrite + b.cacheWrite,
    ...(hour === 0 ? {} : { cacheWrite1h: hour }),
  };
}

function negative(u: Usage): Usage {
  return {
    input: -u.input,
    output: -u.output,
    cacheRead: -u.cacheRead,
    cacheWrite: -u.cacheWrite,
    ...(u.cacheWrite1h === undefined ? {} : { cacheWrite1h: -u.cacheWrite1h }),
  };
}
