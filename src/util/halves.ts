/**
 * A text without halves of surrogate pairs, which a cut leaves: no JSON reader but JavaScript's takes one. Left out and not replaced, so
 * that no sign is there that nobody wrote.
 */
export function withoutHalves(text: string): string {
  return text.isWellFormed() ? text : text.replace(/\p{Surrogate}/gu, "");
}

/** At most so many UTF-16 units from the beginning, never half a sign. */
export function startOf(text: string, most: number): string {
  return text.length <= most ? text : text.slice(0, most).replace(/[\ud800-\udbff]$/, "");
}
