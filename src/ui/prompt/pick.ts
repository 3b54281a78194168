import { fuzzy } from "../commands/find.ts";
import { type Key, keyId } from "../input/key.ts";
import { type SessionRow, sessionRows } from "../render/menu.ts";
import { line, type Line, truncate } from "../render/spans.ts";
import { field, type Field, fieldKey } from "./field.ts";
import { typedRow } from "./layout.ts";

/** The session picker: a list that typing filters (N-6). */
export interface Pick {
  list: readonly SessionRow[];
  filter: Field;
  /** Place in the filtered list. */
  chosen: number;
}

/** Opens it on the newest session. */
export function openPick(list: readonly SessionRow[]): Pick {
  return { list, filter: field(), chosen: 0 };
}

/**
 * The sessions that fit what is typed, newest first: those that hold every word, in what is shown or in what was written in them; where
 * there are none, those whose name, title or folder is near to it, nearest first.
 */
export function filtered({ list, filter }: Pick): readonly SessionRow[] {
  const words = filter.text.toLowerCase().split(/\s+/).filter(Boolean);
  if (words.length === 0) return list;
  const exact = list.filter((row) => {
    const shown = shownText(row).toLowerCase();
    const said = row.words?.toLowerCase() ?? "";
    return words.every((word) => shown.includes(word) || said.includes(word));
  });
  if (exact.length > 0) return exact;
  const rows = new Map(list.map((row) => [shownText(row), row]));
  return fuzzy([...rows.keys()])
    .find(filter.text)
    .flatMap(({ item }) => rows.get(item) ?? []);
}

function shownText({ name, title, folder, id }: SessionRow): string {
  return `${name ?? ""} ${title} ${folder} ${id}`.trim();
}

/** One key. `done`: the person chose, or left without (`id` undefined). */
export function pickKey(pick: Pick, key: Key): { pick: Pick; done?: { id: string | undefined } } {
  const rows = filtered(pick);
  const move = (by: number) => ({
    pick: { ...pick, chosen: Math.max(0, Math.min(rows.length - 1, pick.chosen + by)) },
  });
  switch (keyId(key)) {
    case "up":
    case "ctrl+p":
      return move(-1);
    case "down":
    case "ctrl+n":
      return move(1);
    case "pageup":
      return move(-8);
    case "pagedown":
      return move(8);
    case "return": {
      const id = rows[Math.min(pick.chosen, rows.length - 1)]?.id;
      return id === undefined ? { pick } : { pick, done: { id } };
    }
    case "escape":
    case "ctrl+c":
    case "ctrl+d":
      return { pick, done: { id: undefined } };
    default: {
      const filter = fieldKey(pick.filter, key);
      return filter === undefined ? { pick } : { pick: { ...pick, filter, chosen: 0 } };
    }
  }
}

/** What is typed, and the list under it in at most `max` rows. */
export function pickRows(
  pick: Pick,
  width: number,
  max: number,
): { head: Line[]; list: Line[]; caret: { x: number; y: number } } {
  const rows = filtered(pick);
  const typed = typedRow("Which session? ", pick.filter, width);
  const hint: Line =
    pick.filter.text === ""
      ? truncate([...typed.row, ...line(" type to filter · ↑↓ Enter · Esc leaves", "dim")], width)
      : typed.row;
  const none = truncate(line("  none fits", "dim"), width);
  const list = rows.length === 0 ? [none] : sessionRows(rows, Math.min(pick.chosen, rows.length - 1), width, max);
  return { head: [hint], list, caret: { x: typed.x, y: 0 } };
}
