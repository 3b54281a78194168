import type { ModelRequest } from "./model.ts";
import type { Patience } from "./watchdog.ts";

/** A service that streams pings every few seconds; one that lives says something within a minute. */
const FIRST_MS = 50_000;
const STALL_MS = 50_000;
/** A model may think for minutes while only pings come. */
const PINGS_MS = 10 * 60_000;
/** A slow local machine reads so many tokens of a prompt in a second, a service so many. */
const LOCAL_TOKENS = 100;
const SERVICE_TOKENS = 10_000;
const CHARS_PER_TOKEN = 3.5;
/** So many times as long at most, at the later attempts. */
const MOST_TIMES = 4;
const MOST_MS = 20 * 60_000;

/**
 * How long an attempt's silence is put up with (S10). The first byte comes when the prompt is read, so that its length counts, most on a
 * machine of one's own; a later attempt waits longer, so that a server that is merely slow gets its chance.
 */
export function patienceFor(
  { system, tools, messages }: ModelRequest,
  baseUrl: string | undefined,
  attempt: number,
): Patience {
  const perSecond = baseUrl !== undefined && isNear(baseUrl) ? LOCAL_TOKENS : SERVICE_TOKENS;
  const words = JSON.stringify([system, tools, messages], (key, value: unknown) => (key === "data" ? "" : value));
  const reading = (words.length / CHARS_PER_TOKEN / perSecond) * 1000;
  const firstMs = Math.round((FIRST_MS + reading) * Math.min(attempt, MOST_TIMES));
  return { firstMs: Math.min(firstMs, MOST_MS), stallMs: STALL_MS, pingsMs: PINGS_MS };
}

/** True for a server on this machine or in the house: it may run the model itself. */
function isNear(baseUrl: string): boolean {
  if (!URL.canParse(baseUrl)) return false;
  const host = new URL(baseUrl).hostname;
  return (
    !/[.:]/.test(host) ||
    /\.(local|lan|internal|home|localhost)$/.test(host) ||
    /^(127|10)\.|^192\.168\.|^172\.(1[6-9]|2\d|3[01])\.|^169\.254\.|^100\.(6[4-9]|[7-9]\d|1[01]\d|12[0-7])\./.test(
      host,
    ) ||
    /^\[(::1|f[cd]|fe80)/.test(host)
  );
}
