import xterm from "@xterm/headless";

/** A terminal that notices everything which text must not do to it. */
export interface Watched {
  /** Writes text below what stands there; resolves with what it did beside printing. */
  write(text: string): Promise<string[]>;
}

const COLS = 120;
const ROWS = 40;
const MARK = "MARK";

/** Parts of the emulator that its public side doesn't tell. */
interface Core {
  buffer: { scrollTop: number; scrollBottom: number; tabs: Record<number, boolean> };
  coreService: { isCursorHidden: boolean; decPrivateModes: object };
  _charsetService: { glevel: number; charset: unknown };
}

/** The emulator with listeners for titles, clipboard, bells and replies. */
export function watched(): Watched {
  const terminal = new xterm.Terminal({ cols: COLS, rows: ROWS, scrollback: 2000, allowProposedApi: true });
  const core = Reflect.get(terminal, "_core") as Core;
  let done: string[] = [];
  terminal.onTitleChange((title) => done.push(`title ${title}`));
  terminal.onBell(() => done.push("bell"));
  terminal.onData((data) => done.push(`reply ${JSON.stringify(data)}`));
  // Of all that programs send with OSC; 52 is the clipboard.
  for (let code = 0; code < 2000; code++)
    terminal.parser.registerOscHandler(code, (data) => {
      done.push(`OSC ${code} ${data.slice(0, 40)}`);
      return false;
    });
  const modes = (): string =>
    JSON.stringify([
      terminal.modes,
      core.coreService.isCursorHidden,
      core.coreService.decPrivateModes,
      core.buffer.scrollTop,
      core.buffer.scrollBottom,
      core.buffer.tabs,
      core._charsetService.glevel,
      terminal.buffer.active.type,
      terminal.options.cursorStyle,
    ]);
  const put = (text: string): Promise<void> => new Promise((resolve) => terminal.write(text, resolve));
  const row = (y: number): string => terminal.buffer.active.getLine(y)?.translateToString(true) ?? "";
  const at = (): number => terminal.buffer.active.baseY + terminal.buffer.active.cursorY;
  return {
    async write(text) {
      // The first row of a cleared screen: what comes below it may grow, it must stay.
      await put(`\x1bc${MARK}\r\n`);
      done = [];
      const [before, from] = [modes(), at()];
      const rows = text.replaceAll("\n", "\r\n");
      await put(`${rows}\r\nqx`);
      const lines = text.split("\n").length;
      const all = [...done];
      if (modes() !== before) all.push(`modes ${before} became ${modes()}`);
      // Scrolled out it is the first of what is kept; a text that long is none of the tests'.
      if (row(0) !== MARK) all.push(`the row above became ${JSON.stringify(row(0))}`);
      if (at() < from + lines) all.push(`the cursor is in row ${at()}, not below ${from + lines - 1}`);
      if (row(at()) !== "qx") all.push(`what comes behind it became ${JSON.stringify(row(at()))}`);
      return all;
    },
  };
}
