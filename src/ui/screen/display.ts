import type { Painted } from "../views/App.tsx";

/** What the screen is drawn on. The real one is Ink behind the stdout proxy; tests keep what they are given. */
export interface Display {
  size(): { cols: number; rows: number };
  /** Adds rows to the transcript and draws the region under them, in one write; returns when it is with the terminal. */
  paint(above: readonly string[], region: Painted): void;
  /** Wipes what can be seen and draws it anew: the rows, then the region (Ctrl-L). */
  repaint(rows: readonly string[], region: Painted): void;
  /** Gives the terminal to another program while `run` is under way. */
  lend<R>(run: () => Promise<R>): Promise<R>;
  suspend(): void;
  /** Paints the whole screen, on the terminal's alternate one; transcript and region wait behind it. */
  cover(rows: readonly string[], caret?: { x: number; y: number }): void;
  /** Back to the screen as it was, with what came meanwhile. */
  uncover(): void;
  /** A sequence that neither moves nor draws: the clipboard, a mark. */
  aside(sequence: string): void;
  /** Takes the region away, leaves the rows as the last thing on screen, restores the terminal. */
  close(rows: readonly string[]): void;
}
