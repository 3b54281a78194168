import type { Clock } from "../../util/deps.ts";
import { BARE, type Cover, coverStep } from "./cover.ts";
import { emptyFrame, playOn } from "./frame.ts";
import { guarded } from "./guard.ts";
import { inkStream } from "./ink-stream.ts";
import { guardedLinks } from "./links.ts";
import { erase, replaceAll } from "./erase.ts";
import { ERASE_BELOW, fitted, NOTHING, step, type Painted, up } from "./paint.ts";
import { reach, roomAfter, someRoom } from "./room.ts";
import { wrappedRows } from "./width.ts";

/** The part of `process.stdout` that is used. */
export interface Terminal {
  columns: number;
  rows: number;
  readonly writableLength: number;
  /** Asks the system for the size now, and emits `resize` when it changed: Node's own, run before each write. */
  _refreshSize?(): void;
  write(data: string): boolean;
  on(event: "resize" | "error", listener: (error?: Error) => void): unknown;
  off(event: "resize" | "error", listener: (error?: Error) => void): unknown;
}

export interface Counters {
  writes: number;
  bytes: number;
  /** Frames that changed something. */
  frames: number;
  /** Times that the whole frame was erased and painted again: with transcript text, after a resize. */
  repaints: number;
  /** Tallest frame. */
  maxRows: number;
}

/**
 * The one writer of the terminal. `stream` is what Ink gets for stdout: its frames are played on a model and reach the
 * terminal as the difference to what stands there, one synchronized write each.
 */
export interface Out {
  readonly stream: NodeJS.WriteStream;
  readonly columns: number;
  readonly rows: number;
  readonly counters: Readonly<Counters>;
  /** Between `cork` and `uncork` everything becomes one write: transcript and frame change together. */
  cork(): void;
  uncork(): void;
  /** Prints rows above the frame, once and for good, in the terminal's own scrollback. Rows hold no line end. */
  above(rows: readonly string[]): void;
  /** A frame of one's own, before Ink is there. Ink's first frame takes its place without a flash. */
  frame(rows: readonly string[], cursor?: { x: number; y: number }): void;
  /** Erases the screen, prints `rows` and the frame anew; scrollback stays (Ctrl-L). */
  repaint(rows: readonly string[]): void;
  /** A sequence that neither moves nor draws (a title, a bell, the clipboard), at once. Lost while another program has the terminal. */
  aside(sequence: string): void;
  /** Erases the frame and holds everything back: another program has the terminal. */
  suspend(): void;
  resume(): void;
  /**
   * Paints the whole screen, which must be the alternate one by now; transcript and frame wait. undefined: it is over, `resume` shows them
   * again. The cursor is hidden where none is given.
   */
  cover(rows: readonly string[] | undefined, cursor?: { x: number; y: number }): void;
  /** Called with the clock's time after each write that reached the terminal. Returns what takes it away again. */
  onWritten(listener: (at: number) => void): () => void;
  /**
   * Called first when the size changed, inside the cork: lay out anew and render. Ink's own listeners come after. `spilt`: rows of the frame
   * may be out of reach above the window now.
   */
  onResize(listener: (spilt: boolean) => void): () => void;
  /** Erases the frame, prints the last rows, leaves the cursor below. Nothing is written afterwards. */
  close(rows?: readonly string[]): void;
}

export interface OutOptions {
  clock: Pick<Clock, "now">;
  /** The terminal is gone (EPIPE, EIO). */
  onGone?: (error: Error) => void;
  /** How the terminal reflows: see `erase`. xterm.js is such a one. */
  cursorStays?: boolean | undefined;
  /** Stands there already: the cursor is in it. */
  painted?: Painted | undefined;
}

/** Before a row: a turn begins here (OSC 133), which terminals can jump to. */
export const TURN_MARK = "\x1b]133;A\x07";
/** A link this far behind gets five frames a second; transcript text is kept in full. */
const BACKLOG = 64 << 10;
const SLOW_WRITE_MS = 50;
const SLOW_FRAME_MS = 200;
const SLOW_FOR_MS = 5000;

/** Wraps a terminal. See `Out`. */
export function createOut(terminal: Terminal, options: OutOptions): Out {
  const { clock } = options;
  const counters: Counters = { writes: 0, bytes: 0, frames: 0, repaints: 0, maxRows: 0 };
  const written = new Set<(at: number) => void>();
  const resized = new Set<(spilt: boolean) => void>();
  const model = emptyFrame();
  let painted = options.painted ?? NOTHING;
  let pending: string[] = [];
  let erasing = "";
  let corks = 0;
  let open = false;
  let own = false;
  let held = false;
  let closed = false;
  let cover: Cover | undefined;
  // Another program has the terminal while a view covers the screen.
  let lent = false;
  let slowUntil = -Infinity;
  /** The terminal's size when it was painted, and where in it. */
  let size = { cols: painted.cols || terminal.columns, rows: terminal.rows };
  let room = someRoom(painted.rows.length, terminal.rows);
  let timer: NodeJS.Timeout | undefined;

  const send = (data: string) => {
    const before = clock.now();
    terminal.write(data);
    const after = clock.now();
    counters.writes++;
    counters.bytes += Buffer.byteLength(data);
    if (after - before > SLOW_WRITE_MS || terminal.writableLength > BACKLOG) slowUntil = after + SLOW_FOR_MS;
    for (const listener of written) listener(after);
  };
  const flush = () => {
    clearTimeout(timer);
    timer = undefined;
    if (held || closed) return;
    // A frame for a size that is no more would be wrapped; the signal that tells of it may be late.
    terminal._refreshSize?.();
    const frame = fitted(model, terminal.columns, terminal.rows);
    const next = { ...frame, rows: frame.rows.map(guarded) };
    const above = pending.map((row) => `${markedRow(row)}\r\n`).join("");
    const used = pending.reduce((sum, row) => sum + wrappedRows(row, terminal.columns), 0);
    const whole = above !== "" || erasing !== "";
    const data = whole ? erasing + replaceAll(painted, terminal.columns, above, next) : step(painted, next);
    pending = [];
    erasing = "";
    if (data === "") return;
    painted = next;
    size = { cols: terminal.columns, rows: terminal.rows };
    room = roomAfter(room, used, next.rows.length, size.rows);
    counters.frames++;
    if (whole) counters.repaints++;
    counters.maxRows = Math.max(counters.maxRows, next.rows.length);
    send(data);
  };
  const schedule = () => {
    if (corks > 0 || open) return;
    if (clock.now() >= slowUntil) flush();
    else timer ??= setTimeout(flush, SLOW_FRAME_MS);
  };
  /** Ink's writes; its synchronized groups are one frame. */
  const take = (data: string) => {
    // Ink believes in an empty screen at its first write.
    if (own) Object.assign(model, emptyFrame());
    own = false;
    if (data.endsWith("\x1b[?2026h")) open = true;
    if (data.startsWith("\x1b[?2026l")) open = false;
    playOn(model, data);
    schedule();
  };
  const stream = inkStream(take, terminal);
  const cork = () => void corks++;
  const uncork = () => {
    corks = Math.max(0, corks - 1);
    schedule();
  };
  const together = (work: () => void) => {
    cork();
    try {
      work();
    } finally {
      uncork();
    }
  };
  const erased = (): boolean => {
    const now = { cols: terminal.columns, rows: terminal.rows };
    const reached = reach(painted, room, size, now, options.cursorStays === true);
    erasing += up(reached.up) + ERASE_BELOW;
    painted = { ...NOTHING, shown: painted.shown };
    room = reached.room;
    size = now;
    return reached.spilt;
  };
  const onResize = () => {
    if (closed) return;
    together(() => {
      // Where the frame's top is now can be told only before anything else is written.
      const spilt = !held && erased();
      if (cover !== undefined) cover = BARE;
      for (const listener of resized) listener(spilt);
      stream.emit("resize");
    });
    // Not to be put off: another resize would make the erase wrong.
    if (corks === 0) flush();
  };
  const onError = (error?: Error) => {
    closed = true;
    options.onGone?.(error ?? new Error("terminal closed"));
  };
  // It was resized while nobody listened.
  if (painted !== NOTHING && painted.cols !== terminal.columns) erased();
  terminal.on("resize", onResize);
  terminal.on("error", onError);
  const subscribe = <T>(set: Set<T>, listener: T) => {
    set.add(listener);
    return () => void set.delete(listener);
  };
  return {
    stream,
    get columns() {
      return terminal.columns;
    },
    get rows() {
      return terminal.rows;
    },
    counters,
    cork,
    uncork,
    above(rows) {
      if (rows.length === 0) return;
      pending.push(...rows);
      schedule();
    },
    frame(rows, cursor) {
      Object.assign(
        model,
        emptyFrame(),
        { rows: [...rows, ""] },
        cursor === undefined ? {} : { ...cursor, shown: true },
      );
      own = true;
      schedule();
    },
    repaint(rows) {
      erasing = `\x1b[H${ERASE_BELOW}`;
      painted = { ...NOTHING, shown: painted.shown };
      room = { ...room, least: terminal.rows, most: terminal.rows };
      pending.unshift(...rows);
      schedule();
    },
    aside(sequence) {
      // Not by `send`: no frame is shown with it, so no question is.
      if ((!held || cover !== undefined) && !lent && !closed) terminal.write(sequence);
    },
    suspend() {
      lent = cover !== undefined;
      if (held) return;
      flush();
      held = true;
      if (!closed) send(`${erase(painted, terminal.columns)}\x1b[?25h`);
      painted = NOTHING;
      room = someRoom(0, terminal.rows);
    },
    resume() {
      lent = false;
      // Whoever had the terminal meanwhile left nothing of the whole screen.
      if (cover !== undefined) return void (cover = BARE);
      held = false;
      schedule();
    },
    cover(rows, cursor) {
      if (rows === undefined) return void (cover = undefined);
      if (closed || lent) return;
      const { columns, rows: height } = terminal;
      terminal._refreshSize?.();
      // Whoever hears of the new size has painted for it.
      if (terminal.columns !== columns || terminal.rows !== height) return;
      const next = { rows: rows.map(guarded), cols: terminal.columns, height: terminal.rows, cursor };
      const data = coverStep(cover ?? BARE, next);
      cover = next;
      if (data !== "") send(data);
    },
    onWritten: (listener) => subscribe(written, listener),
    onResize: (listener) => subscribe(resized, listener),
    close(rows = []) {
      if (closed) return;
      held = false;
      cover = undefined;
      pending.push(...rows);
      Object.assign(model, emptyFrame(), { shown: true });
      flush();
      closed = true;
      terminal.off("resize", onResize);
    },
  };
}

/** A row that begins a turn keeps its mark, links lead where they may; no text brings one along, its escapes are gone when it is painted. */
function markedRow(row: string): string {
  const [mark, rest] = row.startsWith(TURN_MARK) ? [TURN_MARK, row.slice(TURN_MARK.length)] : ["", row];
  return mark + guardedLinks(rest, guarded);
}
