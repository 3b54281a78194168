import type { Clock } from "../util/deps.ts";
import { EMPTY, type EditorState } from "./input/editor/buffer.ts";
import { edit } from "./input/editor/edit.ts";
import { layout } from "./input/editor/layout.ts";
import type { InputEvent } from "./input/key.ts";
import { actionOf, DEFAULT_KEYMAP, editOf } from "./input/keymap.ts";
import { readInput, type InputReader } from "./input/reader.ts";
import { firstFrame, SIGN, statusRow, type FirstFrame } from "./first-frame.ts";
import type { Modes } from "./term/modes.ts";
import { createOut, type Out } from "./term/out.ts";

export interface BootOptions {
  stdin: NodeJS.ReadStream;
  stdout: NodeJS.WriteStream;
  clock: Clock;
  /** Writes to the terminal at once, for modes: `writeSync` on its descriptor. */
  writeSync(data: string): void;
  /** The row below the composer: the mode in words, at least (P8). */
  status: string;
  /** Its colour, where it must not be without one. */
  paint?: ((text: string) => string) | undefined;
  /** How the terminal reflows: see `createOut`. */
  cursorStays?: boolean | undefined;
  /** Painted already, with this status. */
  first?: FirstFrame | undefined;
  /** The terminal is gone. */
  onGone(): void;
  /** Ctrl-C twice before anything else is there: the terminal is restored, the program should end with 130. */
  onInterrupt(): void;
}

export type Past = (width: number, rows: number) => readonly string[];
type Reply = Extract<InputEvent, { kind: "reply" }>;

/** What the main screen takes over: the terminal's one writer, its one reader, its modes. */
export interface Boot {
  out: Out;
  reader: InputReader;
  modes: Modes;
  /** Called with what the terminal answers, until the screen takes over. */
  onReply(listener: (event: Reply) => void): void;
  /** Rows that stand above the composer until the screen takes over and prints them for good: the newest of a conversation, at most `rows`. */
  show(past: Past): void;
  /**
   * Ends the boot screen. Everything that was typed so far comes to `listener` at once, in order and with its own
   * times, then all that follows. The painted shell stands until Ink's first frame takes its place.
   */
  handOver(listener: (events: readonly InputEvent[]) => void): void;
}

/**
 * A composer that echoes, everything kept, before Ink and React are loaded (IN-18). `main.tsx` is to be imported after
 * this.
 */
export function boot(options: BootOptions): Boot {
  const { stdin, stdout, clock } = options;
  const { modes, painted } = options.first ?? firstFrame(options);
  const out = createOut(stdout, { clock, onGone: () => options.onGone(), painted, cursorStays: options.cursorStays });
  const kept: InputEvent[] = [];
  let draft = EMPTY;
  let interrupts = 0;
  let tell: ((event: Reply) => void) | undefined;
  let past: Past = () => [];
  const paint = () => out.frame(...shell(draft, options, out, past));
  const reader = readInput(stdin, clock, () => options.onGone(), { typedAhead: true });
  const offResize = out.onResize(paint);
  paint();
  reader.listen((events) => {
    for (const event of events) {
      kept.push(event);
      if (event.kind === "reply") tell?.(event);
      draft = echoed(draft, event, out.columns);
      if (!isInterrupt(event) || ++interrupts < 2) continue;
      out.close();
      modes.restoreSync();
      options.onInterrupt();
    }
    paint();
  });
  return {
    out,
    reader,
    modes,
    onReply(listener) {
      tell = listener;
      for (const event of kept) if (event.kind === "reply") listener(event);
    },
    show(rows) {
      past = rows;
      paint();
    },
    handOver(listener) {
      offResize();
      reader.hold();
      if (kept.length > 0) listener(kept.splice(0));
      reader.listen(listener);
    },
  };
}

function isInterrupt(event: InputEvent): boolean {
  return event.kind === "key" && event.key.ctrl && event.key.name === "c";
}

/** What an event does to the draft that is shown. The main screen does the real thing with the same events later. */
function echoed(draft: EditorState, event: InputEvent, width: number): EditorState {
  if (event.kind === "paste") return edit(draft, { op: "paste", text: event.text }, { at: event.at, width });
  if (event.kind !== "key") return draft;
  const env = { at: event.at, width };
  const action = actionOf(DEFAULT_KEYMAP, "composer", event.key);
  const op = action === undefined ? undefined : editOf(action);
  if (op !== undefined) return edit(draft, op, env);
  const { text } = event.key;
  if (action === "send") return edit(draft, { op: "insert", text: "\n" }, env);
  return text === undefined ? draft : edit(draft, { op: "insert", text }, env);
}

function shell(
  draft: EditorState,
  { status, paint }: BootOptions,
  out: Out,
  past: Past,
): [string[], { x: number; y: number }] {
  const { rows, row, x } = layout(draft, Math.max(2, out.columns - SIGN.length));
  const room = Math.max(1, Math.min(10, Math.floor(out.rows / 3)));
  const from = Math.max(0, row - room + 1);
  const composer = rows.slice(from, from + room).map((r, i) => (from + i === 0 ? SIGN : "  ") + r.text);
  const below = statusRow(status, out.columns, out.rows, paint);
  const above = pastRows(past, out, composer.length + below.length);
  return [[...above, ...composer, ...below], { x: x + SIGN.length, y: above.length + row - from }];
}

/** As they will stand: a blank row between them and the composer where the screen has one; one row of the terminal stays free. */
function pastRows(past: Past, { columns, rows }: Out, taken: number): string[] {
  const gap = rows < 12 ? [] : [""];
  const room = rows - 1 - taken - gap.length;
  const shown = room <= 0 || columns < 20 ? [] : past(columns - 1, room);
  return shown.length === 0 ? [] : [...shown, ...gap];
}
