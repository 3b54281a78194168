import { createHash } from "node:crypto";

/** A number from 0 up to below 1 that depends on these parts alone: the same run draws the same, in whatever order trials end. */
export function chance(...parts: readonly (string | number)[]): number {
  return createHash("sha256").update(JSON.stringify(parts)).digest().readUIntBE(0, 6) / 2 ** 48;
}

/** A list in an order that the seed decides. */
export function shuffled<T>(list: readonly T[], key: (item: T) => string, seed: number): T[] {
  return list
    .map((item) => ({ item, at: chance("order", seed, key(item)) }))
    .toSorted((a, b) => a.at - b.at)
    .map(({ item }) => item);
}
