import type { Menu } from "../input/complete/menu.ts";
import { cleanRow, exact } from "./clean.ts";
import { type Line, line, textOfLine, truncate, truncateMiddle, widthOf } from "./spans.ts";
import { money } from "./units.ts";

/** Part of a list that keeps the chosen entry in sight. */
export function windowOf(chosen: number, total: number, max: number): [from: number, to: number] {
  const from = Math.max(0, Math.min(chosen - Math.floor(max / 2), total - max));
  return [from, Math.min(total, from + max)];
}

/** The completion menu: one row each, the chosen one in sight, and what there is beside it (IN-10, IN-11). */
export function menuLines({ kind, items }: Menu, chosen: number | undefined, width: number, max: number): Line[] {
  if (items.length === 0) return [truncate(line("  no such command · Esc closes", "dim"), width)];
  const [from, to] = windowOf(chosen ?? 0, items.length, max);
  // A narrow window has room for both: what may follow a name gives way to what it is for.
  const narrow = width < 60 && kind !== "file";
  const most = narrow ? Math.max(14, Math.floor(width * 0.45)) : 28;
  const wide = Math.min(most, Math.max(...items.map(({ label }) => widthOf(exact(label))))) + 2;
  return items.slice(from, to).map(({ label, more }, at) => {
    const here = from + at === chosen;
    const words = exact(label).replaceAll("\n", "⏎");
    const cut = narrow && more !== undefined ? textOfLine(truncate(line(words), wide)) : words;
    const left = kind === "file" ? truncateMiddle(words, width - 2) : cut.padEnd(more === undefined ? 0 : wide);
    return truncate(
      [
        { text: here ? "› " : "  ", style: "selected" },
        { text: left, style: here ? "selected" : undefined },
        { text: more === undefined ? "" : ` ${more}`, style: "dim" },
      ],
      width,
    );
  });
}

/** One session of the picker. */
export interface SessionRow {
  id: string;
  name?: string | undefined;
  /** How its first prompt begins. */
  title: string;
  folder: string;
  /** It is of the folder that the person is in, so its folder says nothing. */
  here?: boolean;
  /** Milliseconds since it was used. */
  age: number;
  prompts: number;
  /** Files that wait for a review; 0: git's state. */
  pending?: number | undefined;
  /** Of git, when it was last opened. */
  branch?: string | undefined;
  usd?: number | undefined;
  /** What was written in it, or the beginning of that: not shown, but searched. */
  words?: string;
}

/** The session picker: one row each, the chosen one in sight (N-6). */
export function sessionRows(list: readonly SessionRow[], chosen: number, width: number, max: number): Line[] {
  // One folder for all of them says nothing either.
  const several = new Set(list.map((row) => row.folder)).size > 1;
  const [from, to] = windowOf(chosen, list.length, max);
  return list.slice(from, to).map((row, at) => {
    const here = from + at === chosen;
    const messages = `${String(row.prompts).padStart(3)} ${row.prompts === 1 ? "message " : "messages"}`;
    const facts = `${ageWords(row.age).padStart(6)} ago · ${messages} · `;
    return truncate(
      [
        { text: here ? "› " : "  ", style: "selected" },
        { text: facts, style: "dim" },
        { text: pendingWords(row), style: "warning" },
        { text: titleWords(row), style: here ? "selected" : undefined },
        { text: moreWords(row), style: "dim" },
        { text: several && row.here !== true ? ` ${cleanRow(row.folder)}` : "", style: "dim" },
      ],
      width,
    );
  });
}

/** A session on one row for lists of lines. */
export function sessionWords(row: SessionRow): string {
  const where = row.here === true ? "" : `, ${cleanRow(row.folder)}`;
  return `${pendingWords(row)}${titleWords(row)} (${ageWords(row.age)} ago, ${row.prompts} ${row.prompts === 1 ? "message" : "messages"}${where})`;
}

function moreWords({ branch, usd }: SessionRow): string {
  return [
    branch === undefined ? "" : ` · ${cleanRow(branch)}`,
    usd === undefined || usd === 0 ? "" : ` · ${money(usd)}`,
  ].join("");
}

/** Its name and how its first prompt begins. */
export function titleWords({ name, title }: SessionRow): string {
  const words = cleanRow(title) || "(no prompt yet)";
  return name === undefined ? words : `${cleanRow(name)}: ${words}`;
}

function pendingWords({ pending }: SessionRow): string {
  if (pending === undefined) return "";
  return pending === 0 ? "git's state pending · " : `${pending} pending · `;
}

/** `5 min`, `3 h`, `12 d`. */
export function ageWords(ms: number): string {
  const minutes = Math.max(0, Math.floor(ms / 60_000));
  if (minutes < 60) return `${minutes} min`;
  if (minutes < 48 * 60) return `${Math.floor(minutes / 60)} h`;
  return `${Math.floor(minutes / (24 * 60))} d`;
}
