/**
 * A part of the conversation by where it comes from: a prompt, note or reply by the seq of its item, a call's result by the call's id.
 * `at`: which block of it, as it was recorded; without it, the whole.
 */
export type Part = { seq: number; at?: number } | { callId: string; at?: number };

/** The same for the same part, whatever its kind. */
export function partKey(part: {
  seq?: number | undefined;
  callId?: string | undefined;
  at?: number | undefined;
}): string {
  const whole = part.callId === undefined ? String(part.seq) : `call ${part.callId}`;
  return part.at === undefined ? whole : `${whole} ${part.at}`;
}
