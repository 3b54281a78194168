import type { RateLimit } from "../../events/live-event.ts";
import { cleanRow } from "./clean.ts";
import { grouped } from "./units.ts";

/** From this share on a limit is worth a place in the status line. */
const LOW = 0.2;

/** `input tokens: 12 % left (1,200 of 10,000), full again Tue 14:05`. */
export function limitWords(limit: RateLimit): string {
  const { remaining, limit: most, resetAt } = limit;
  const counted = remaining === undefined || most === undefined ? "" : ` (${grouped(remaining)} of ${grouped(most)})`;
  return `${leftWords(limit)}${counted}${resetAt === undefined ? "" : `, full again ${timeWords(resetAt)}`}`;
}

/** The tightest limit in a few words, where less than a fifth of it is left and it was not filled up since. */
export function lowWords(limits: readonly RateLimit[], now: number): string | undefined {
  const low = limits.find(({ left, resetAt }) => left < LOW && (resetAt === undefined || resetAt > now));
  return low === undefined ? undefined : leftWords(low);
}

function leftWords({ name, left }: RateLimit): string {
  return `${cleanRow(name)}: ${Math.floor(left * 100)} % left`;
}

/** The person's own time; no limit lasts longer than a week. */
function timeWords(at: number): string {
  const date = new Date(at);
  const two = (n: number) => String(n).padStart(2, "0");
  return `${date.toLocaleDateString("en-GB", { weekday: "short" })} ${two(date.getHours())}:${two(date.getMinutes())}`;
}
