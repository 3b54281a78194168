import { constants } from "node:os";

const SIGNALS = ["SIGINT", "SIGTERM", "SIGHUP"] as const;

/**
 * Stops the work of a headless run when a signal comes, so that children end and the log is whole; the exit code is then 128 + n. A second
 * signal that comes more than half a second later exits at once (the first may arrive twice: from the terminal and from the launcher).
 */
export function stopOnSignals(): { signal: AbortSignal; code: () => number | undefined } {
  const abort = new AbortController();
  let code: number | undefined;
  let first = 0;
  for (const name of SIGNALS) {
    process.on(name, () => {
      const again = code !== undefined && Date.now() - first > 500;
      code ??= 128 + constants.signals[name];
      if (again) process.exit(code);
      if (first === 0) first = Date.now();
      abort.abort();
    });
  }
  return { signal: abort.signal, code: () => code };
}
