import { median } from "../measure.ts";

/** Figures of several goes. */
export interface Spread {
  median: number;
  least: number;
  most: number;
  n: number;
}

export function spreadOf(values: readonly number[]): Spread | undefined {
  if (values.length === 0 || values.some(Number.isNaN)) return undefined;
  return { median: median(values), least: Math.min(...values), most: Math.max(...values), n: values.length };
}

/** The value that a share of the values (0 to 1) doesn't exceed. */
export function quantile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.max(0, Math.ceil(share * sorted.length) - 1))] ?? Number.NaN;
}
