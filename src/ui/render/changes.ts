import type { ChangeEntry, ChangeSummary } from "../../events/effect.ts";
import { exact } from "./clean.ts";
import { counts } from "./diff.ts";
import { line, type Line, truncate } from "./spans.ts";
import { several } from "./units.ts";

/** What happened to an entry, as one sign. */
export const CHANGE_SIGNS: Readonly<Record<ChangeEntry["op"], string>> = {
  create: "+",
  modify: "~",
  delete: "−",
  rename: "→",
  chmod: "~",
  link: "+",
  type: "~",
};

/** A landed change set in a few rows: what git did in words, then the files (P3). */
export function changeList(summary: ChangeSummary, width: number, max: number): Line[] {
  const rows: Line[] = [
    ...summary.git.map((effect): Line => line(`git ${exact(effect.text).replaceAll("\n", " ")}`, "dim")),
    ...summary.entries.map((entry): Line => {
      const gone = entry.op === "delete";
      const from = entry.from === undefined ? "" : `${exact(entry.from)} → `;
      const path = `${from}${exact(entry.path)}`.replaceAll("\n", "\\u{a}");
      return [
        { text: `${CHANGE_SIGNS[entry.op]} `, style: gone ? "removed" : "added" },
        { text: path, style: gone ? "removed" : undefined },
        ...counts(entry.added ?? 0, entry.removed ?? 0),
      ];
    }),
  ];
  const shown = rows.length <= max ? rows : rows.slice(0, Math.max(0, max - 1));
  const left = rows.length - shown.length;
  return [...shown, ...(left > 0 ? [line(`+ ${several(left, "change")}`, "dim")] : [])].map((row) =>
    truncate(row, width),
  );
}
