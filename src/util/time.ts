const UNITS: Record<string, number> = { "": 1000, s: 1000, m: 60_000, min: 60_000, h: 3_600_000 };

/** Milliseconds of "90s", "10m", "1.5h"; a number alone is seconds. undefined: no time, or none above 0. */
export function parseTime(text: string): number | undefined {
  const [, number, unit = ""] = /^\s*(\d+(?:\.\d+)?)\s*(s|m|min|h)?\s*$/.exec(text) ?? [];
  const ms = Math.round(Number(number) * (UNITS[unit] ?? Number.NaN));
  return Number.isFinite(ms) && ms > 0 ? ms : undefined;
}
