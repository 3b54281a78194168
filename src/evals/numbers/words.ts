import type { Interval } from "./interval.ts";

/** `86 %`. */
export function percent(share: number | undefined): string {
  return share === undefined ? "–" : `${Math.round(100 * share)} %`;
}

/** `76 %–96 %`. */
export function percents({ low, high }: Interval): string {
  return `${percent(low)}–${percent(high)}`;
}

/** `+12`, `−3`, `+0.4`: points of a hundred, with a decimal where there would be none to see. */
export function points(share: number): string {
  const text = bare(share);
  return Number(text) === 0 ? "0" : `${share < 0 ? "−" : "+"}${text}`;
}

/** `+2 to +20 points`. */
export function pointRange({ low, high }: Interval): string {
  return `${points(low)} to ${points(high)} points`;
}

/** Without its sign. */
export function bare(share: number): string {
  const size = Math.abs(100 * share);
  return size < 0.95 ? String(Number(size.toFixed(1))) : String(Math.round(size));
}

/** `1 point`, `12 points`. */
export function pointWords(share: number): string {
  const size = bare(share);
  return `${size} ${size === "1" ? "point" : "points"}`;
}
