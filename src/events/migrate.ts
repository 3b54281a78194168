/** The format version that this program writes: the `v` of a line. A new one comes with its step in `UPGRADES` and a log in fixtures/logs. */
export const FORMAT = 1;

/** What a line's body is in the next version; its long texts are in their places. Pure, and total: what it can't read it leaves as it is. */
export type Upgrade = (body: Readonly<Record<string, unknown>>) => Record<string, unknown>;
/** From version n to n + 1. */
export type Upgrades = ReadonlyMap<number, Upgrade>;

/**
 * A version is needed when an older program would read a new line wrongly, or a new one an old line; a new kind of event or an optional
 * field is no reason, and so far there was no other.
 */
export const UPGRADES: Upgrades = new Map();

/**
 * A line's body as version `to` says it. Each line knows its own version, so a log that an older program began is gone on with as it is:
 * no byte of it is rewritten, its chain stays whole. undefined for a version that nothing leads on from.
 */
export function upgraded(
  v: number,
  body: Record<string, unknown>,
  upgrades: Upgrades = UPGRADES,
  to = FORMAT,
): Record<string, unknown> | undefined {
  let now = body;
  for (let at = v; at !== to; at++) {
    const step = upgrades.get(at);
    if (step === undefined) return undefined;
    now = step(now);
  }
  return now;
}
