import { spawn } from "@lydell/node-pty";
import { onTestFinished } from "vitest";
import { emulator, type Emulator } from "./emulator.ts";

export interface TerminalOptions {
  cols?: number;
  rows?: number;
  cwd?: string;
  /** Added to a small environment of PATH, HOME, LANG and TERM; CI and colour switches of the machine are never passed on. */
  env?: Readonly<Record<string, string>>;
  /** false: queries of the program (device attributes, cursor position) stay unanswered. Default true. */
  answers?: boolean;
}

export interface Terminal {
  readonly pid: number;
  readonly emulator: Emulator;
  /** Sends keys as bytes, in one write. */
  type(text: string): void;
  /**
   * Waits until the screen shows `what`, then returns the screen. Rejects with the last screen after `ms` (default 30 s,
   * so that a busy machine is no failure), or at once when the program has ended without showing it.
   */
  waitFor(what: string | RegExp | ((screen: string[]) => boolean), ms?: number): Promise<string[]>;
  /** The rows that can be seen now, after what arrived so far is drawn. */
  screen(): Promise<string[]>;
  scrollback(): Promise<string[]>;
  /** Scrollback and screen, rows that the terminal wrapped joined. */
  lines(): Promise<string[]>;
  /** As a person does: the emulator and the pty (SIGWINCH) together. */
  resize(cols: number, rows: number): void;
  /** Every byte that the program wrote. */
  raw(): string;
  /** What is on, by the bytes written: see `modesOf`. */
  modes(): Modes;
  /** Sends a signal to the program. */
  signal(name: NodeJS.Signals): void;
  /** Exit code, or 128 + the signal's number. */
  readonly exited: Promise<number>;
  /** The window is gone: no side of it is read or written any more. */
  hangUp(): void;
  /** Ends the program, if it runs. */
  close(): void;
}

export interface Modes {
  /** Bracketed paste (2004), focus reports (1004), cursor (25), autowrap (7), alternate screen (1049), synchronized output (2026). */
  paste: boolean;
  focus: boolean;
  cursor: boolean;
  autowrap: boolean;
  alternate: boolean;
  synchronized: boolean;
  /** Kitty keyboard pushes minus pops. */
  kitty: number;
  /** XTMODKEYS level of modifyOtherKeys. */
  otherKeys: number;
}

/** A terminal that shows nothing unusual: what a program must leave behind. */
export const RESTORED: Modes = {
  paste: false,
  focus: false,
  cursor: true,
  autowrap: true,
  alternate: false,
  synchronized: false,
  kitty: 0,
  otherKeys: 0,
};

/** The state that a stream of bytes leaves a terminal in. */
export function modesOf(raw: string): Modes {
  const on = new Map<string, boolean>([
    ["25", true],
    ["7", true],
  ]);
  for (const [, list, set] of raw.matchAll(/\x1b\[\?([\d;]+)([hl])/g)) {
    for (const n of (list ?? "").split(";")) on.set(n, set === "h");
  }
  const other = [...raw.matchAll(/\x1b\[>4;?(\d*)m/g)].at(-1)?.[1];
  return {
    paste: on.get("2004") ?? false,
    focus: on.get("1004") ?? false,
    cursor: on.get("25") ?? true,
    autowrap: on.get("7") ?? true,
    alternate: on.get("1049") ?? false,
    synchronized: on.get("2026") ?? false,
    kitty: [...raw.matchAll(/\x1b\[>\d+u/g)].length - [...raw.matchAll(/\x1b\[<\d*u/g)].length,
    otherKeys: Number(other ?? 0),
  };
}

/** Runs `file args` in a pty with an emulator behind it. The caller closes it; tests use `openTerminal`. */
export function startTerminal(file: string, args: readonly string[], options: TerminalOptions = {}): Terminal {
  const { cols = 80, rows = 24 } = options;
  const screen = emulator(cols, rows);
  const env = {
    PATH: process.env["PATH"] ?? "",
    HOME: process.env["HOME"] ?? "/",
    LANG: "C.UTF-8",
    TERM: "xterm-256color",
    ...options.env,
  };
  const pty = spawn(file, [...args], { cols, rows, cwd: options.cwd ?? process.cwd(), env, name: env.TERM });
  let raw = "";
  let ended = false;
  let drawn = Promise.resolve();
  const exited = new Promise<number>((resolve) => {
    pty.onExit(({ exitCode, signal }) => {
      ended = true;
      resolve(signal === undefined || signal === 0 ? exitCode : 128 + signal);
    });
  });
  pty.onData((data) => {
    raw += data;
    drawn = screen.write(data);
  });
  if (options.answers !== false) screen.onReply((data) => void (ended || pty.write(data)));
  const now = async <T>(read: () => T): Promise<T> => (await drawn, read());
  return {
    pid: pty.pid,
    emulator: screen,
    type: (text) => pty.write(text),
    waitFor: (what, ms = 30_000) =>
      waitUntil(
        what,
        ms,
        () => now(() => screen.screen()),
        () => ended,
      ),
    screen: () => now(() => screen.screen()),
    scrollback: () => now(() => screen.scrollback()),
    lines: () => now(() => screen.lines()),
    resize(c, r) {
      screen.resize(c, r);
      pty.resize(c, r);
    },
    raw: () => raw,
    modes: () => modesOf(raw),
    signal: (name) => process.kill(pty.pid, name),
    exited,
    hangUp: () => (pty as unknown as { destroy(): void }).destroy(),
    close() {
      if (!ended) pty.kill("SIGKILL");
    },
  };
}

/** `startTerminal` for a test: closed when the test is over. */
export function openTerminal(file: string, args: readonly string[], options: TerminalOptions = {}): Terminal {
  const terminal = startTerminal(file, args, options);
  onTestFinished(() => terminal.close());
  return terminal;
}

async function waitUntil(
  what: string | RegExp | ((screen: string[]) => boolean),
  ms: number,
  read: () => Promise<string[]>,
  ended: () => boolean,
): Promise<string[]> {
  const shows = (screen: string[]) =>
    typeof what === "function"
      ? what(screen)
      : typeof what === "string"
        ? screen.join("\n").includes(what)
        : what.test(screen.join("\n"));
  const deadline = Date.now() + ms;
  // Its last words may come behind the news of its end.
  let last = deadline;
  for (;;) {
    const over = ended();
    if (over) last = Math.min(last, Date.now() + 1000);
    const screen = await read();
    if (shows(screen)) return screen;
    if (Date.now() > last) {
      throw new Error(
        `${over ? "ended" : "timed out"} before ${String(what)} was shown:\n${screen.join("\n").trimEnd()}`,
      );
    }
    await new Promise((resolve) => setTimeout(resolve, 15));
  }
}
