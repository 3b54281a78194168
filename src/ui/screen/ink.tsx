import { type Instance, render } from "ink";
import { whileLent } from "../term/signals.ts";
import type { Out } from "../term/out.ts";
import { App, type Painted } from "../views/App.tsx";
import type { Display } from "./display.ts";

/** What lending and suspending the terminal needs beside the writer. */
export interface TerminalModes {
  /** The terminal as it was: cooked, its modes off, input not read. */
  off(): void;
  on(): void;
  /** The terminal's other screen, which leaves nothing behind. */
  alternate(on: boolean): void;
  /** Stops the program as Ctrl-Z does in a shell; returns when it goes on. */
  stop(): void;
}

const NO_REGION: Painted = {
  tail: [],
  tools: [],
  todo: [],
  queue: [],
  main: [],
  menu: [],
  status: [],
  caret: { x: 0, y: 0 },
};

/** Ink behind the stdout proxy: transcript and region change in one write. */
export function inkDisplay(out: Out, stdin: NodeJS.ReadStream, modes: TerminalModes): Display {
  let instance: Instance | undefined;
  let covered = false;
  const draw = (region: Painted) => {
    if (instance !== undefined) return instance.rerender(<App frame={region} />);
    instance = render(<App frame={region} />, {
      stdout: out.stream,
      stdin,
      interactive: true,
      maxFps: 1000,
      incrementalRendering: true,
      exitOnCtrlC: false,
      patchConsole: false,
    });
  };
  const together = (work: () => void) => {
    out.cork();
    try {
      work();
    } finally {
      out.uncork();
    }
  };
  const lent = () => {
    out.suspend();
    modes.off();
  };
  const back = () => {
    modes.on();
    out.resume();
  };
  return {
    size: () => ({ cols: out.columns, rows: out.rows }),
    paint: (above, region) =>
      together(() => {
        out.above(above);
        draw(region);
      }),
    repaint: (rows, region) =>
      together(() => {
        out.repaint(rows);
        draw(region);
      }),
    async lend(run) {
      lent();
      try {
        return await whileLent(run);
      } finally {
        back();
      }
    },
    suspend() {
      lent();
      modes.stop();
      // A signal that came meanwhile is heard first: woken in the background to be ended, the program has no terminal to take, and would be
      // stopped again for the try. The second turn of the loop is the first that has looked for signals.
      setImmediate(() => setImmediate(back));
    },
    cover(rows, caret) {
      if (!covered) {
        out.suspend();
        modes.alternate(true);
      }
      covered = true;
      out.cover(rows, caret);
    },
    uncover() {
      if (!covered) return;
      covered = false;
      out.cover(undefined);
      modes.alternate(false);
      out.resume();
    },
    aside: (sequence) => out.aside(sequence),
    close(rows) {
      this.uncover();
      together(() => {
        draw(NO_REGION);
        instance?.unmount();
      });
      out.close(rows);
    },
  };
}
