import xterm from "@xterm/headless";

export interface Emulator {
  readonly cols: number;
  readonly rows: number;
  /** Resolves when the bytes are on the screen. */
  write(data: string | Uint8Array): Promise<void>;
  resize(cols: number, rows: number): void;
  /** The rows that can be seen, without trailing blanks. */
  screen(): string[];
  /** Rows that scrolled out above the screen, oldest first. */
  scrollback(): string[];
  /** Everything, scrollback first, with rows that the terminal wrapped joined again; blank rows at the end left out. */
  lines(): string[];
  cursor(): { x: number; y: number };
  /** DEC private modes that are on now, as the emulator holds them, and the buffer in use. */
  modes(): { paste: boolean; autowrap: boolean; focus: boolean; alternate: boolean };
  /** What the terminal would send back: replies to queries. */
  onReply(listener: (data: string) => void): void;
  close(): void;
}

/** A terminal without a window, with 10,000 rows of scrollback. */
export function emulator(cols = 80, rows = 24): Emulator {
  const terminal = new xterm.Terminal({ cols, rows, scrollback: 10_000, allowProposedApi: true });
  const row = (y: number) => terminal.buffer.active.getLine(y)?.translateToString(true).trimEnd() ?? "";
  const range = (from: number, to: number) => Array.from({ length: Math.max(0, to - from) }, (_, i) => row(from + i));
  return {
    get cols() {
      return terminal.cols;
    },
    get rows() {
      return terminal.rows;
    },
    write: (data) => new Promise((resolve) => terminal.write(data, resolve)),
    resize: (c, r) => terminal.resize(c, r),
    screen: () => range(terminal.buffer.active.baseY, terminal.buffer.active.baseY + terminal.rows),
    scrollback: () => range(0, terminal.buffer.active.baseY),
    lines: () => joined(terminal),
    cursor: () => ({ x: terminal.buffer.active.cursorX, y: terminal.buffer.active.cursorY }),
    modes: () => ({
      paste: terminal.modes.bracketedPasteMode,
      autowrap: terminal.modes.wraparoundMode,
      focus: terminal.modes.sendFocusMode,
      alternate: terminal.buffer.active.type === "alternate",
    }),
    onReply: (listener) => void terminal.onData(listener),
    close: () => terminal.dispose(),
  };
}

function joined(terminal: xterm.Terminal): string[] {
  const out: string[] = [];
  const buffer = terminal.buffer.active;
  for (let y = 0; y < buffer.length; y++) {
    const line = buffer.getLine(y);
    if (line === undefined) continue;
    const wraps = buffer.getLine(y + 1)?.isWrapped === true;
    const whole = line.translateToString(!wraps);
    // A wide character that did not fit left the row's last cell empty.
    const last = line.getCell(terminal.cols - 1);
    const text = wraps && last?.getChars() === "" && last.getWidth() === 1 ? whole.slice(0, -1) : whole;
    if (line.isWrapped && out.length > 0) out[out.length - 1] += text;
    else out.push(text);
  }
  while (out.at(-1)?.trim() === "") out.pop();
  return out.map((l) => l.trimEnd());
}
