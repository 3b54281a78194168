import type { RateLimit } from "../events/live-event.ts";

type Heads = { get(name: string): string | null; forEach(each: (value: string, name: string) => void): void };

/**
 * What the service's headers say of its limits, the tightest first: `anthropic-ratelimit-<what>-limit|remaining|reset`, the unified ones of a
 * plan (`anthropic-ratelimit-unified-<window>-utilization|reset`), and `x-ratelimit-limit|remaining|reset-<what>` of others. What can't be
 * read is left out. `now`: milliseconds since 1970.
 */
export function rateLimits(headers: Heads, now: number): RateLimit[] {
  const found = new Map<string, { limit?: number; remaining?: number; used?: number; reset?: string }>();
  const note = (name: string, part: object): void => void found.set(name, { ...found.get(name), ...part });
  headers.forEach((value, header) => {
    const own = /^anthropic-ratelimit-(?:unified-)?([a-z0-9-]+?)-(limit|remaining|reset|utilization)$/.exec(header);
    const other = /^x-ratelimit-(limit|remaining|reset)-([a-z0-9-]+)$/.exec(header);
    const name = own?.[1] ?? other?.[2];
    const part = own?.[2] ?? other?.[1];
    if (name === undefined || value.trim() === "") return;
    if (part === "reset") return note(name, { reset: value });
    const n = Number(value);
    if (Number.isFinite(n) && n >= 0) note(name, { [part === "utilization" ? "used" : String(part)]: n });
  });
  return [...found]
    .flatMap(([name, { limit, remaining, used, reset }]): RateLimit[] => {
      const left =
        used !== undefined
          ? 1 - used
          : limit !== undefined && limit > 0 && remaining !== undefined
            ? remaining / limit
            : undefined;
      if (left === undefined) return [];
      const resetAt = reset === undefined ? undefined : timeOf(reset, now);
      return [
        {
          name: name.replaceAll("-", " "),
          left: Math.min(1, Math.max(0, left)),
          ...(limit === undefined || remaining === undefined ? {} : { limit, remaining }),
          ...(resetAt === undefined ? {} : { resetAt }),
        },
      ];
    })
    .toSorted((a, b) => a.left - b.left);
}

const UNITS: Readonly<Record<string, number>> = { ms: 1, s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 };

/** An ISO time, seconds since 1970, or a while from now such as `6m0s`, `120ms` and `1.5s`. */
function timeOf(value: string, now: number): number | undefined {
  const text = value.trim();
  const pieces = [...text.matchAll(/(\d+(?:\.\d+)?)(ms|s|m|h|d)/g)];
  if (pieces.length > 0 && pieces.map(([piece]) => piece).join("") === text)
    return now + pieces.reduce((sum, [, n, unit]) => sum + Number(n) * (UNITS[unit ?? ""] ?? 0), 0);
  const seconds = Number(text);
  // A small number is a while, a large one a date.
  if (Number.isFinite(seconds)) return seconds > 1e9 ? seconds * 1000 : now + seconds * 1000;
  const date = Date.parse(text);
  return Number.isNaN(date) ? undefined : date;
}
