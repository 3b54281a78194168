/** How a conversation is kept within the model's window (C3); all of it from settings. */
export interface CompactSettings {
  /** At this share of the window it is made shorter, by rules and then by a summary. */
  at: number;
  /** A smaller window than the model's, in tokens. */
  window?: number;
  /** false: only `/compact` sums up. */
  auto: boolean;
  /** What takes the place of older messages: a summary ahead of the last turns, or a handoff alone. */
  policy: "summary" | "handoff";
}

export const COMPACT: CompactSettings = { at: 0.5, auto: true, policy: "summary" };
