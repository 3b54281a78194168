import { fuzzy } from "../commands/find.ts";
import { actionOf, DEFAULT_KEYMAP } from "../input/keymap.ts";
import { type Key, keyId } from "../input/key.ts";
import { exactRow } from "../render/clean.ts";
import { type SessionRow, sessionRows, titleWords } from "../render/menu.ts";
import { line, type Line, truncate, wrap } from "../render/spans.ts";
import { field, type Field, fieldKey } from "./field.ts";
import { typedRow } from "./layout.ts";

/** The session picker: a list that typing filters (N-6). */
export interface Pick {
  list: readonly SessionRow[];
  filter: Field;
  /** Place in the filtered list. */
  chosen: number;
  /** Those of other folders too. */
  all: boolean;
  /** What the index found for a filter, by id: in all that was written, not only in what the rows hold. */
  found?: { text: string; ids: ReadonlySet<string> } | undefined;
  /** What is done with the chosen one. */
  open?:
    | { kind: "preview"; id: string; rows?: readonly string[] | undefined }
    | { kind: "rename"; id: string; name: Field }
    | { kind: "delete"; id: string }
    | undefined;
  /** What became of it. */
  note?: string | undefined;
}

/** What a key wants to be done beyond the list. */
export type PickAct =
  | { act: "preview" | "delete"; id: string }
  | { act: "rename"; id: string; name: string }
  | { act: "search"; text: string };

export interface PickStep {
  pick: Pick;
  /** The person chose, or left without (`id` undefined). */
  done?: { id: string | undefined };
  act?: PickAct;
}

/** Opens it on the newest session of this folder, or on all where it has none. */
export function openPick(list: readonly SessionRow[]): Pick {
  return { list, filter: field(), chosen: 0, all: !list.some((row) => row.here === true) };
}

/**
 * The sessions that fit what is typed, newest first: those that hold every word, in what is shown or in what was written in them; where
 * there are none, those whose name, title or folder is near to it, nearest first. Where this folder has none, those of all folders.
 */
export function filtered(pick: Pick): readonly SessionRow[] {
  const own = pick.all
    ? []
    : fitting(
        pick,
        pick.list.filter((row) => row.here === true),
      );
  return own.length > 0 ? own : fitting(pick, pick.list);
}

function fitting({ filter, found }: Pick, list: readonly SessionRow[]): readonly SessionRow[] {
  const words = filter.text.toLowerCase().split(/\s+/).filter(Boolean);
  if (words.length === 0) return list;
  const ids = found?.text === filter.text ? found.ids : undefined;
  const exact = list.filter((row) => {
    const shown = shownText(row).toLowerCase();
    const said = row.words?.toLowerCase() ?? "";
    return ids?.has(row.id) === true || words.every((word) => shown.includes(word) || said.includes(word));
  });
  if (exact.length > 0) return exact;
  const rows = new Map(list.map((row) => [shownText(row), row]));
  return fuzzy([...rows.keys()])
    .find(filter.text)
    .flatMap(({ item }) => rows.get(item) ?? []);
}

function shownText({ name, title, folder, id, branch = "" }: SessionRow): string {
  return `${name ?? ""} ${title} ${folder} ${branch} ${id}`.trim();
}

/** One key. Letters go to the filter; with a session open they are commands. */
export function pickKey(before: Pick, key: Key, action = actionOf(DEFAULT_KEYMAP, "overlay", key)): PickStep {
  const { note: _, ...pick } = before;
  if (pick.open !== undefined) return openKey(pick, pick.open, key);
  const rows = filtered(pick);
  const here = rows[Math.min(pick.chosen, rows.length - 1)];
  const move = (by: number) => ({
    pick: { ...pick, chosen: Math.max(0, Math.min(rows.length - 1, pick.chosen + by)) },
  });
  switch (action) {
    case "up":
      return move(-1);
    case "down":
      return move(1);
    case "page-up":
      return move(-8);
    case "page-down":
      return move(8);
    case "pick":
      return here === undefined ? { pick } : { pick, done: { id: here.id } };
    case "escape":
    case "interrupt":
      return { pick, done: { id: undefined } };
    default:
      break;
  }
  switch (keyId(key)) {
    case "tab":
      return { pick: { ...pick, all: !pick.all, chosen: 0 } };
    case "ctrl+r":
      return here === undefined
        ? { pick }
        : { pick: { ...pick, open: { kind: "rename", id: here.id, name: field(here.name ?? "") } } };
    case "ctrl+d":
      return { pick, done: { id: undefined } };
    default:
      break;
  }
  // A blank between two words of a filter is one; a Space ahead of all words shows the session.
  if (key.name === "space" && pick.filter.text === "" && here !== undefined)
    return { pick: { ...pick, open: { kind: "preview", id: here.id } }, act: { act: "preview", id: here.id } };
  if (keyId(key) === "delete" && pick.filter.at === field(pick.filter.text).at && here !== undefined)
    return { pick: { ...pick, open: { kind: "delete", id: here.id } } };
  const filter = fieldKey(pick.filter, key);
  if (filter === undefined) return { pick };
  const text = filter.text.trim();
  return {
    pick: { ...pick, filter, chosen: 0 },
    ...(text === "" ? {} : { act: { act: "search", text: filter.text } }),
  };
}

function openKey(pick: Pick, open: NonNullable<Pick["open"]>, key: Key): PickStep {
  const back: PickStep = { pick: { ...pick, open: undefined } };
  const id = keyId(key);
  if (id === "escape" || id === "ctrl+c") return back;
  switch (open.kind) {
    case "preview":
      if (id === "return") return { ...back, done: { id: open.id } };
      if (id === "d" || id === "delete") return { pick: { ...pick, open: { kind: "delete", id: open.id } } };
      return id === "space" ? back : { pick };
    case "delete":
      return id === "y" ? { ...back, act: { act: "delete", id: open.id } } : back;
    case "rename": {
      if (id === "return") return { ...back, act: { act: "rename", id: open.id, name: open.name.text } };
      const name = fieldKey(open.name, key);
      return { pick: name === undefined ? pick : { ...pick, open: { ...open, name } } };
    }
  }
}

/** What is typed, and the list under it in at most `max` rows; or the session that is open. */
export function pickRows(
  pick: Pick,
  width: number,
  max: number,
): { head: Line[]; list: Line[]; caret: { x: number; y: number } } {
  const { open } = pick;
  if (open !== undefined) return openRows(pick, open, width, max);
  const rows = filtered(pick);
  const typed = typedRow("Which session? ", pick.filter, width);
  const hint =
    pick.note ??
    `type to filter · Tab ${pick.all ? "this folder" : "all folders"} · Space shows · Ctrl-R renames · Enter`;
  const head: Line =
    pick.filter.text === "" || pick.note !== undefined
      ? truncate(
          [...typed.row, { text: ` ${exactRow(hint)}`, style: pick.note === undefined ? "dim" : "warning" }],
          width,
        )
      : typed.row;
  const none = truncate(line("  none fits", "dim"), width);
  const list = rows.length === 0 ? [none] : sessionRows(rows, Math.min(pick.chosen, rows.length - 1), width, max);
  return { head: [head], list, caret: { x: typed.x, y: 0 } };
}

function openRows(
  { list }: Pick,
  open: NonNullable<Pick["open"]>,
  width: number,
  max: number,
): { head: Line[]; list: Line[]; caret: { x: number; y: number } } {
  const row = list.find(({ id }) => id === open.id);
  const title = row === undefined ? open.id : titleWords(row);
  const at = (head: Line, rows: readonly Line[], x = 0) => ({
    head: [truncate(head, width)],
    list: rows.slice(0, max).map((one) => truncate(one, width)),
    caret: { x: Math.min(x, width), y: 0 },
  });
  switch (open.kind) {
    case "delete":
      return at(line(`Delete “${title}” for good? y deletes it · any other key keeps it`, "warning"), []);
    case "rename": {
      const typed = typedRow("Its name: ", open.name, width);
      return at([...typed.row, { text: "  Enter · Esc", style: "dim" }], [line(`  ${title}`, "dim")], typed.x);
    }
    case "preview": {
      const said =
        open.rows === undefined ? [line("  reading …", "dim")] : open.rows.flatMap((text) => saidRows(text, width));
      return at(
        [
          { text: title, style: "bold" },
          { text: " · Enter goes on · d deletes · Space back", style: "dim" },
        ],
        said,
      );
    }
  }
}

function saidRows(text: string, width: number): Line[] {
  return wrap(line(exactRow(text)), { width, first: line("  "), rest: line("    ") }).slice(0, 2);
}
