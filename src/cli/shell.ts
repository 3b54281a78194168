import { writeSync } from "node:fs";
import { boot, type Boot } from "../ui/boot.ts";
import { cursorStaysIn } from "../ui/term/caps.ts";
import { systemClock } from "../util/system.ts";
import type { FirstPaint } from "./first-paint.ts";

/** What was painted first, until the screen takes it over. */
export interface Shell {
  boot: Boot;
  /** The terminal went away: as if the person left. Set by who takes over. */
  onGone(leave: () => void): void;
  /** Gives the terminal back, when something must be said or asked without the screen. */
  give(): void;
  /** It was not given back. */
  isOpen(): boolean;
}

/** A composer before anything heavy is loaded: keys are echoed and kept (IN-18). */
export function openShell(status: string, first?: FirstPaint): Shell {
  let leave = () => process.exit(0);
  const painted = boot({
    stdin: process.stdin,
    stdout: process.stdout,
    clock: systemClock,
    writeSync: (data) => void writeSync(process.stdout.fd, data),
    status,
    first,
    cursorStays: cursorStaysIn(process.env),
    onGone: () => leave(),
    onInterrupt: () => process.exit(130),
  });
  let given = false;
  return {
    boot: painted,
    isOpen: () => !given,
    onGone: (then) => (leave = then as () => never),
    give() {
      if (given) return;
      given = true;
      painted.reader.close();
      painted.out.close();
      painted.modes.restoreSync();
    },
  };
}
