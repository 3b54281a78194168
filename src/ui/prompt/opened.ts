import type { OpenedFile, Question } from "../../permissions/asker.ts";
import { visible } from "../../util/visible.ts";
import type { Key } from "../input/key.ts";
import { diffHead } from "../render/diff.ts";
import { line, type Line, truncate, wrap } from "../render/spans.ts";
import { grouped } from "../render/units.ts";
import type { Style } from "../theme.ts";

/** A file whose diff is too long, or that is no text, opened in a question (P5). */
export interface Opened {
  /** Its place among the question's diffs. */
  at: number;
  /** First row on screen. */
  scroll: number;
  /** Undefined while it is read. */
  file?: OpenedFile;
  /** Why it can't be read. */
  failed?: string;
}

/** Places of the files that can be opened, in the order in which they are listed. */
export function openable({ diffs, open }: Question): number[] {
  return open === undefined ? [] : diffs.flatMap((diff, at) => (diff.hidden === undefined ? [] : [at]));
}

/** The file behind the one that is open, round and round; undefined: there is none. */
export function nextFile(question: Question, at: number | undefined): number | undefined {
  const all = openable(question);
  return all.find((n) => at !== undefined && n > at) ?? all[0];
}

/** How far a key scrolls, in rows. */
export function scrollOf(key: Key, { rows, window }: { rows: number; window: number }): number | undefined {
  const page = Math.max(1, window - 1);
  if (key.ctrl) return key.name === "d" ? page : key.name === "u" ? -page : undefined;
  const steps: Readonly<Record<string, number>> = {
    pagedown: page,
    space: page,
    pageup: -page,
    home: -rows,
    end: rows,
  };
  return steps[key.name];
}

/** One key while a file is open: none of them answers. "close": back to the question. A number: that file is to be opened. */
export function openedKey(
  question: Question,
  opened: Opened,
  key: Key,
  sight: { rows: number; window: number },
): Opened | "close" | number {
  if (key.name === "escape" || (key.name === "q" && !key.ctrl)) return "close";
  if (key.name === "o") return nextFile(question, opened.at) ?? opened;
  const line = key.ctrl ? undefined : key.name === "down" ? 1 : key.name === "up" ? -1 : undefined;
  const by = line ?? scrollOf(key, sight) ?? 0;
  return { ...opened, scroll: Math.max(0, Math.min(sight.rows - sight.window, opened.scroll + by)) };
}

/** What is open, in at most `max` rows, with how to go on. */
export function openedRows(
  question: Question,
  opened: Opened,
  width: number,
  max: number,
): { rows: Line[]; sight: { rows: number; window: number } } {
  const diff = question.diffs[opened.at];
  const body = bodyOf(opened, width);
  const window = Math.max(1, max - 2);
  const from = Math.max(0, Math.min(opened.scroll, body.length - window));
  const shown = body.slice(from, from + window);
  const what = opened.file === undefined ? [] : line(` · ${opened.file.what}`, "dim");
  const place =
    body.length > window ? `rows ${from + 1}–${from + shown.length} of ${grouped(body.length)} · PgDn PgUp · ` : "";
  const more = openable(question).length > 1 ? " · o next file" : "";
  const head = truncate([...(diff === undefined ? [] : diffHead(diff)), ...what], width);
  const hint = truncate(line(`${place}Esc back to the question${more}`, "dim"), width);
  return { rows: [head, ...shown, hint].slice(-Math.max(1, max)), sight: { rows: body.length, window } };
}

const bodies = new WeakMap<OpenedFile, { width: number; rows: Line[] }>();

/** Raw rows in their exact bytes, what can't be seen written out; laid out once for a width. */
function bodyOf({ file, failed }: Opened, width: number): Line[] {
  if (failed !== undefined) return wrap(line(visible(failed, ""), "error"), { width });
  return file === undefined ? [line("reading …", "dim")] : openedBody(file, width);
}

/** All rows of a file that was opened. */
export function openedBody(file: OpenedFile, width: number): Line[] {
  const kept = bodies.get(file);
  if (kept?.width === width) return kept.rows;
  const isDiff = file.what === "diff";
  const rest = line(isDiff ? "  " : "");
  const rows = file.rows.flatMap((row) =>
    wrap(line(visible(row, "\t").replaceAll("\t", "→   "), isDiff ? styleOf(row) : undefined), {
      width,
      rest,
      hard: true,
    }),
  );
  const cut = file.cut === undefined ? [] : wrap(line(`only ${file.cut} are shown`, "warning"), { width });
  const all = [...rows, ...cut];
  bodies.set(file, { width, rows: all });
  return all;
}

function styleOf(row: string): Style | undefined {
  if (row.startsWith("+")) return "added";
  if (row.startsWith("-")) return "removed";
  return row.startsWith("@@") ? "dim" : undefined;
}
