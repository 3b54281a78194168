import { InvalidArgumentError } from "commander";
import { parseTime } from "../util/time.ts";

/** A number above 0. */
export function positive(value: string): number {
  const n = Number(value);
  if (!Number.isFinite(n) || n <= 0) throw new InvalidArgumentError("it must be a number above 0.");
  return n;
}

/** Milliseconds; a number alone is seconds. */
export function duration(value: string): number {
  const ms = parseTime(value);
  if (ms === undefined) throw new InvalidArgumentError("it must be a time above 0, such as 90s, 10m or 1.5h.");
  return ms;
}
