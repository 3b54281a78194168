import { lineWidth, type Line, line, truncate } from "./spans.ts";

/** Rows of a part for at most `max` rows; the parts of the region are asked in order of need. */
export type Part = (max: number) => readonly Line[];

export interface FrameParts {
  tail: Part;
  /** The row that says that something is going on. */
  working: Part;
  tools: Part;
  todo: Part;
  queue: Part;
  toast: Part;
  menu: Part;
  status: Part;
  /** Stands even where there is room for nothing else. */
  alarm?: Line | undefined;
  /** The composer; its caret counts from its own first row. */
  composer(max: number): { rows: readonly Line[]; caret: { x: number; y: number } };
  /** An open question takes the composer's place. */
  question?: ((max: number) => { rows: readonly Line[]; caret: { x: number; y: number } }) | undefined;
  /** The draft as one row, while a question is open and it is not empty. */
  draft: Part;
}

/** What Ink draws, from top to bottom (F-1). `caret` counts from the first row of all. */
export interface Frame {
  tail: readonly Line[];
  tools: readonly Line[];
  todo: readonly Line[];
  queue: readonly Line[];
  main: readonly Line[];
  menu: readonly Line[];
  status: readonly Line[];
  caret: { x: number; y: number };
  /** Rows that the tail may take; undefined while it has no place at all. */
  tailRoom?: number | undefined;
}

const EMPTY: Frame = {
  tail: [],
  tools: [],
  todo: [],
  queue: [],
  main: [],
  menu: [],
  status: [],
  caret: { x: 0, y: 0 },
};

/** The rows that the region may take in all (decision 2); only an open question may take more. */
export function regionRows(rows: number, question: boolean): number {
  return Math.max(1, question ? rows - 2 : Math.min(20, Math.floor(rows / 2)));
}

/** Shares the region's rows out: what the person types first, then the status, then what goes on (F-1, N-9). */
export function frame(parts: FrameParts, cols: number, rows: number): Frame {
  if (isTiny(cols, rows)) return tinyFrame(parts, cols, rows);
  let left = regionRows(rows, parts.question !== undefined);
  const take = (part: Part, max: number): readonly Line[] => {
    const got = left <= 0 || max <= 0 ? [] : part(Math.min(max, left));
    left -= got.length;
    return got;
  };
  const small = rows < 12;
  const bare = rows < 6;
  const status = take(parts.status, small ? 1 : 2);
  const draft = parts.question === undefined ? [] : take(parts.draft, 1);
  const asks = parts.question !== undefined;
  // Keys go by an open list, so it is never out of sight.
  const listed = asks || left < 2 ? 0 : parts.menu(Math.min(2, left - 1)).length;
  const main = parts.question?.(left) ?? parts.composer(Math.min(left - listed, 10, Math.max(1, Math.floor(rows / 3))));
  left -= main.rows.length;
  const menu = asks ? [] : take(parts.menu, 8);
  const toast = take(parts.toast, 1);
  const working = bare || asks ? [] : take(parts.working, 1);
  // What was written to steer stays in sight while a question is open, where there is room.
  const queue = bare ? [] : take(parts.queue, 4);
  const tailRoom = bare ? 0 : Math.min(left, small ? 2 : 8);
  const tail = bare || asks ? [] : take(parts.tail, small ? 2 : 8);
  const tools = bare || asks ? [] : take(parts.tools, 4);
  const todo = small || asks ? [] : take(parts.todo, 5);
  const above = [tail, [...working, ...tools], todo, [...queue, ...toast]] as const;
  const gap: Line[] = left > 0 && !small ? [[]] : [];
  const y = gap.length + above.reduce((n, part) => n + part.length, 0) + main.caret.y;
  return {
    tail: [...gap, ...above[0]],
    tools: above[1],
    todo: above[2],
    queue: above[3],
    main: [...main.rows, ...draft],
    menu,
    status,
    caret: { x: main.caret.x, y },
    ...(asks ? {} : { tailRoom }),
  };
}

/** Too small for more than a row to write on (N-9). */
export function isTiny(cols: number, rows: number): boolean {
  return cols < 20 || rows < 4;
}

/** A row to write on, and the mode where there is a row for it (F-3). */
function tinyFrame(parts: FrameParts, cols: number, rows: number): Frame {
  const width = Math.max(1, cols - 1);
  if (parts.question !== undefined) {
    const row = truncate([...(parts.alarm ?? []), ...line("question: make the window larger", "warning")], width);
    return { ...EMPTY, main: [row], caret: { x: 0, y: 0 } };
  }
  const { rows: written, caret } = parts.composer(1);
  const status = rows < 4 ? [] : parts.status(1).slice(0, 1);
  // The status row says it already.
  const alarm = status.length > 0 ? [] : (parts.alarm ?? []);
  return {
    ...EMPTY,
    main: written.slice(0, 1).map((row) => truncate([...alarm, ...row], width)),
    status: status.map((row) => truncate(row, width)),
    caret: { x: Math.min(lineWidth(alarm) + caret.x, width), y: 0 },
    tailRoom: 0,
  };
}

/** All rows in order. */
export function frameRows(of: Frame): Line[] {
  return [...of.tail, ...of.tools, ...of.todo, ...of.queue, ...of.main, ...of.menu, ...of.status];
}

/** True when no row of it fills the terminal's width (decision 3). */
export function narrowerThan(of: Frame, cols: number): boolean {
  return frameRows(of).every((row) => lineWidth(row) < cols);
}
