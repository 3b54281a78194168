/** What the deny rules for Read keep from commands (P6). */
export interface Hides {
  /** Says which rules these are: what was found by others is found anew. */
  key: string;
  /** A path relative to its root, or absolute outside of all. `below`: not itself, but something in it may be. */
  touches(path: string): "yes" | "below" | "no";
}
