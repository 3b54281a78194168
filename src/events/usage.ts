import type { Usage } from "./event.ts";

export const NO_USAGE: Usage = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 };

/** Both together. */
export function sumOf(a: Usage, b: Usage): Usage {
  const hour = (a.cacheWrite1h ?? 0) + (b.cacheWrite1h ?? 0);
  return {
    input: a.input + b.input,
    output: a.output + b.output,
    cacheRead: a.cacheRead + b.cacheRead,
    cacheWrite: a.cacheWrite + b.cacheWrite,
    ...(hour > 0 ? { cacheWrite1h: hour } : {}),
  };
}

/** Tokens of the request alone, whatever the cache had of it. */
export function promptTokens({ input, cacheRead, cacheWrite }: Usage): number {
  return input + cacheRead + cacheWrite;
}
