/** A time to wait: "3 s", "12 minutes", "24 hours". Rounded up. */
export function span(ms: number): string {
  if (ms < 100_000) return `${Math.ceil(ms / 1000)} s`;
  return ms < 100 * 60_000 ? `${Math.ceil(ms / 60_000)} minutes` : `${Math.ceil(ms / 3_600_000)} hours`;
}

/** Said behind why a reply broke off, where what came of it is not asked for anew. */
export const KEPT = "What came whole of it is kept.";
