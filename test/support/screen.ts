import { EventEmitter } from "node:events";
import type { Terminal } from "../../src/ui/term/out.ts";
import { emulator, type Emulator } from "./emulator.ts";

/** A terminal in memory for `createOut`: what is written lands on an emulator. */
export interface FakeTerminal extends Terminal {
  writableLength: number;
  readonly emulator: Emulator;
  /** Every write, in order. */
  readonly written: string[];
  /** Resolves when all that was written is drawn. */
  drawn(): Promise<void>;
  /** The window is resized, and the program hears of it. */
  resize(cols: number, rows: number): Promise<void>;
  /** The window is resized; the program hears of it when `hear` is called. */
  resizeSilently(cols: number, rows: number): Promise<void>;
  hear(): void;
}

/** See `FakeTerminal`. */
export function fakeTerminal(cols = 80, rows = 24): FakeTerminal {
  const screen = emulator(cols, rows);
  const events = new EventEmitter();
  const written: string[] = [];
  let last = Promise.resolve();
  const fake = {
    columns: cols,
    rows,
    writableLength: 0,
    emulator: screen,
    written,
    write(data: string) {
      written.push(data);
      last = screen.write(data);
      return true;
    },
    on: (event: string, listener: (error?: Error) => void) => events.on(event, listener),
    off: (event: string, listener: (error?: Error) => void) => events.off(event, listener),
    drawn: () => last,
    async resizeSilently(c: number, r: number) {
      await last;
      screen.resize(c, r);
    },
    _refreshSize() {
      if (fake.columns !== screen.cols || fake.rows !== screen.rows) fake.hear();
    },
    hear() {
      fake.columns = screen.cols;
      fake.rows = screen.rows;
      events.emit("resize");
    },
    async resize(c: number, r: number) {
      await fake.resizeSilently(c, r);
      fake.hear();
      await last;
    },
  };
  return fake;
}
