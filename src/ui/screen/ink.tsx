import { type Instance, render } from "ink";
import type { Out } from "../term/out.ts";
import { App, type Painted } from "../views/App.tsx";
import type { Display } from "./display.ts";

/** What lending and suspending the terminal needs beside the writer. */
export interface TerminalModes {
  /** The terminal as it was: cooked, its modes off, input not read. */
  off(): void;
  on(): void;
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
        return await run();
      } finally {
        back();
      }
    },
    suspend() {
      lent();
      modes.stop();
      back();
    },
    close(rows) {
      together(() => {
        draw(NO_REGION);
        instance?.unmount();
      });
      out.close(rows);
    },
  };
}
