import { closeSync, constants, fstatSync, openSync } from "node:fs";
import type { Out } from "../print/print.ts";

/** stdout and stderr for the headless side. */
export interface Stdio extends Out {
  /** Aborted when nobody reads stdout any more: what comes then is for nobody. */
  readonly gone: AbortSignal;
  /** Notices that without having to write, where the machine can tell (a pipe on Linux). */
  watch(): void;
}

const LOOK_MS = 500;

/**
 * A reader that goes away (`| head`) is no error: what comes after it is dropped quietly, on stderr too, and `gone` tells whoever works
 * for it (U2).
 */
export function stdio(stdout: NodeJS.WriteStream & { fd: number }, stderr: NodeJS.WriteStream): Stdio {
  const gone = new AbortController();
  stdout.on("error", (error: NodeJS.ErrnoException) => {
    gone.abort();
    if (error.code !== "EPIPE" && error.code !== "EIO") throw error;
  });
  stderr.on("error", () => undefined);
  return {
    gone: gone.signal,
    watch() {
      const timer = setInterval(() => {
        if (!readerIsGone(stdout.fd)) return;
        clearInterval(timer);
        gone.abort();
      }, LOOK_MS);
      timer.unref();
    },
    out: (text) =>
      gone.signal.aborted
        ? Promise.resolve()
        : new Promise((resolve) => {
            stdout.write(text, () => resolve());
          }),
    err: (text) => void (gone.signal.aborted || stderr.write(text)),
  };
}

/** A pipe whose other end is closed can't be opened for writing once more. */
function readerIsGone(fd: number): boolean {
  try {
    if (process.platform !== "linux" || !fstatSync(fd).isFIFO()) return false;
    closeSync(openSync(`/proc/self/fd/${fd}`, constants.O_WRONLY | constants.O_NONBLOCK));
    return false;
  } catch (error) {
    return error instanceof Error && "code" in error && error.code === "ENXIO";
  }
}
