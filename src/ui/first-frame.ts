import { createModes, type Modes } from "./term/modes.ts";
import { ERASE_BELOW, fitted, NOTHING, step, type Painted } from "./term/paint.ts";

export interface FirstFrameOptions {
  stdin: Pick<NodeJS.ReadStream, "setRawMode">;
  /** Size of the terminal. */
  stdout: { columns: number; rows: number };
  /** Writes to the terminal at once: `writeSync` on its descriptor. */
  writeSync: (this: void, data: string) => void;
  /** The row below the composer: the mode in words, at least (P8). */
  status: string;
  /** Its colour, where it must not be without one. */
  paint?: ((text: string) => string) | undefined;
}

/** The terminal in raw mode with an empty composer on it. What is typed waits in the kernel until somebody reads. */
export interface FirstFrame {
  modes: Modes;
  painted: Painted;
  /** Erases it and gives the terminal back. Not once somebody else paints over it. */
  giveBack(): void;
}

/** Before the first row of the composer. */
export const SIGN = "› ";

/**
 * The first thing that a person sees (IN-18). Imports nothing that takes time: no Unicode tables, no streams, no module of
 * Node's own.
 */
export function firstFrame({ stdin, stdout, writeSync, status, paint }: FirstFrameOptions): FirstFrame {
  const modes = createModes({ write: writeSync, setRaw: (raw) => void stdin.setRawMode(raw) });
  modes.enable("paste", "focus", "kitty", "otherKeys");
  const { columns, rows } = stdout;
  const frame = { rows: [SIGN, ...statusRow(status, columns, rows, paint)], x: SIGN.length, y: 0, shown: true };
  const painted = fitted(frame, columns, rows);
  try {
    writeSync(step(NOTHING, painted));
  } catch {
    // A terminal that is gone is noticed by who reads it.
  }
  return {
    modes,
    painted,
    giveBack() {
      try {
        writeSync(ERASE_BELOW);
      } catch {
        // As above.
      }
      modes.restoreSync();
    },
  };
}

/** The row below the composer, where there is room for one. */
export function statusRow(
  status: string,
  columns: number,
  rows: number,
  paint: (text: string) => string = (text) => text,
): string[] {
  return rows < 3 ? [] : [paint(status.slice(0, Math.max(0, columns - 1)))];
}
