import { constants } from "node:os";

export interface SignalOptions {
  /** Terminal as it was; called first, at once, in every way of ending. */
  restore(): void;
  /** Takes the region away before a crash is told: its words would stand in the middle of it. */
  clear?(): void;
  /** Saves and stops what runs, before a signal ends the program; it has `GRACE_MS`. */
  finish?(signal: NodeJS.Signals): Promise<void>;
  /** Ends the program; `cli/` gives it. */
  exit(code: number): void;
  /** `kill -TSTP` from outside: the same as Ctrl-Z. */
  suspend(): void;
}

/** How long a signal waits for the session to be saved and its tools to end. */
export const GRACE_MS = 1000;
const ENDING = ["SIGTERM", "SIGHUP", "SIGINT", "SIGQUIT"] as const;

/**
 * Handlers for every way in which the program may be ended, so that the terminal is given back in each but SIGKILL. Must be
 * there before Ink, whose own handler would raise the signal again. Returns what takes them away.
 */
export function handleSignals(options: SignalOptions): () => void {
  let ending = false;
  const end = (signal: NodeJS.Signals) => {
    options.restore();
    const code = 128 + constants.signals[signal];
    // The second signal doesn't wait.
    if (ending || options.finish === undefined) return options.exit(code);
    ending = true;
    const timer = setTimeout(() => options.exit(code), GRACE_MS);
    options.finish(signal).then(
      () => (clearTimeout(timer), options.exit(code)),
      () => (clearTimeout(timer), options.exit(code)),
    );
  };
  const restore = () => options.restore();
  for (const signal of ENDING) process.on(signal, end);
  const suspend = () => options.suspend();
  process.on("SIGTSTP", suspend);
  const crash = () => {
    try {
      options.clear?.();
    } finally {
      restore();
    }
  };
  // Before Node prints a crash, so that it can be read; and at every other exit.
  process.on("uncaughtExceptionMonitor", crash);
  process.on("exit", restore);
  return () => {
    for (const signal of ENDING) process.off(signal, end);
    process.off("SIGTSTP", suspend);
    process.off("uncaughtExceptionMonitor", crash);
    process.off("exit", restore);
  };
}

/**
 * While another program has the terminal its keys are signals to all of the group: Ctrl-C and Ctrl-\ are for that program alone, Ctrl-Z
 * stops this one with it as it would any other.
 */
export async function whileLent<R>(run: () => Promise<R>): Promise<R> {
  const names = ["SIGINT", "SIGQUIT", "SIGTSTP"] as const;
  const own = names.map((name) => [name, process.listeners(name)] as const);
  const deaf = () => undefined;
  for (const name of names) process.removeAllListeners(name);
  process.on("SIGINT", deaf);
  process.on("SIGQUIT", deaf);
  try {
    return await run();
  } finally {
    process.off("SIGINT", deaf);
    process.off("SIGQUIT", deaf);
    for (const [name, listeners] of own) for (const listener of listeners) process.on(name, listener);
  }
}

/**
 * Stops the program as Ctrl-Z does in a shell, its launchers in the same process group with it, and returns when it goes on. Where no
 * shell could wake it again the system ignores the signal, and this returns at once. The terminal must be given back before.
 */
export function stopProcess(): void {
  const handlers = process.listeners("SIGTSTP");
  process.removeAllListeners("SIGTSTP");
  // Something must wait in the loop, or the program would end when it wakes.
  const awake = setInterval(() => undefined, 1000);
  process.kill(0, "SIGTSTP");
  clearInterval(awake);
  for (const handler of handlers) process.on("SIGTSTP", handler);
}
