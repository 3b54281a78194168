import type { ChangeEntry, Mark } from "../../events/effect.ts";
import type { Style } from "../theme.ts";
import { CHANGE_SIGNS } from "./changes.ts";
import { exact } from "./clean.ts";
import { counts } from "./diff.ts";
import type { Line, Span } from "./spans.ts";
import { bytes, several } from "./units.ts";

/** Marks that raise the risk: what carries one must have been seen. */
const GRAVE: readonly Mark[] = [
  "delete",
  "empty",
  "uncommitted",
  "executable",
  "setid",
  "closed",
  "open-to-all",
  "special",
  "link-out",
  "type-change",
  "control",
  "hardlink",
];
const MARK_WORDS: Readonly<Record<Mark, string>> = {
  delete: "deleted",
  empty: "emptied",
  uncommitted: "loses uncommitted work",
  executable: "new executable",
  setid: "set-id bit",
  closed: "you lose access",
  "open-to-all": "all users may change it",
  special: "special file",
  "link-out": "link out of the folder",
  "type-change": "replaced by another kind",
  control: "protected path",
  own: "made in this session",
  regenerable: "regenerable",
  hardlink: "has other names (hard link)",
  committed: "kept in git",
};

/** Every deletion, whoever made the file, and whatever else raises the risk (P5). */
export function mustSee(entry: ChangeEntry): boolean {
  return entry.op === "delete" || entry.marks.some((mark) => GRAVE.includes(mark));
}

/** A deletion and nothing else: the head of its diff says so. */
export function toldByDiff({ op, marks }: ChangeEntry): boolean {
  return op === "delete" && marks.every((mark) => mark === "delete" || mark === "own");
}

/** Something of it raises the risk. */
export function isGrave(entry: ChangeEntry): boolean {
  return graveMarks(entry).length > 0;
}

function graveMarks(entry: ChangeEntry): Mark[] {
  const own = entry.marks.includes("own");
  return entry.marks.filter((mark) => GRAVE.includes(mark) && !(own && (mark === "delete" || mark === "empty")));
}

/** One row that names a change: its sign, path, lines, and what it is marked as. */
export function entryLine(entry: ChangeEntry): Line {
  const grave = graveMarks(entry);
  const style: Style | undefined = grave.length > 0 ? "removed" : undefined;
  const name = (text: string) => exact(text).replaceAll("\n", "\\u{a}");
  const spans: Span[] = [];
  spans.push({ text: `${CHANGE_SIGNS[entry.op]} `, style: entry.op === "delete" ? "removed" : "added" });
  if (entry.from !== undefined) spans.push({ text: `${name(entry.from)} → ` });
  spans.push({ text: name(entry.path) + (entry.type === "folder" ? "/" : ""), style });
  if (entry.target !== undefined) spans.push({ text: ` → ${name(entry.target)}` });
  spans.push(...counts(entry.added ?? 0, entry.removed ?? 0));
  if (entry.files !== undefined) spans.push({ text: ` ${several(entry.files, "file")}` });
  if (entry.binary === true)
    spans.push({ text: ` binary${entry.size === undefined ? "" : ` ${bytes(entry.size)}`}`, style: "dim" });
  const words = entry.marks.filter((m) => m !== "delete" || entry.op !== "delete").map((m) => MARK_WORDS[m]);
  if (entry.op === "delete") words.unshift("deleted");
  if (words.length > 0)
    spans.push({ text: ` ${[...new Set(words)].join(", ")}`, style: grave.length > 0 ? "error" : "dim" });
  return spans;
}
