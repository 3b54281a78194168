import { isChip, type EditorState } from "./buffer.ts";
import type { EditorOp } from "./edit.ts";

/** A text that was sent, as it stood in the composer: pastes by their characters, their texts beside (IN-14). */
export interface HistoryEntry {
  text: string;
  chips?: Readonly<Record<string, string>> | undefined;
}

/** What to keep of a draft. */
export function historyEntry({ chips, ...draft }: Pick<EditorState, "text" | "chips">): HistoryEntry {
  // A picture is not kept: only that there was one.
  const pictures = [...chips].filter(([, chip]) => chip.label !== undefined);
  const state = { chips, text: pictures.reduce((text, [char, chip]) => text.replaceAll(char, chip.text), draft.text) };
  const used = Array.from(state.text).flatMap((char) => {
    const chip = isChip(char) ? state.chips.get(char) : undefined;
    return chip === undefined ? [] : [[char, chip.text] as const];
  });
  return used.length === 0 ? { text: state.text } : { text: state.text, chips: Object.fromEntries(used) };
}

/** The edit that puts an entry in the draft's place. */
export function recallOp(entry: HistoryEntry): EditorOp {
  return { op: "set", text: entry.text, ...(entry.chips === undefined ? {} : { chips: entry.chips }) };
}

/** Adds an entry as the newest; the same text from before is gone (IN-8). Blank ones are left out. */
export function withEntry(entries: readonly HistoryEntry[], entry: HistoryEntry, max = 1000): readonly HistoryEntry[] {
  if (entry.text.trim() === "") return entries;
  return [...entries.filter((e) => !same(e, entry)), entry].slice(-max);
}

function same(a: HistoryEntry, b: HistoryEntry): boolean {
  return a.text === b.text && JSON.stringify(a.chips) === JSON.stringify(b.chips);
}

/** Where Up and Down are in the history. `at` counts from the oldest; the draft lies behind the newest. */
export interface Recall {
  at: number;
  /** What was typed before: only entries that begin with it come up. */
  prefix: string;
  draft: HistoryEntry;
}

/**
 * One step through the history, from the draft or from where `recall` is. `undefined`: there is nothing further. Below the
 * newest entry lies the draft, as it was.
 */
export function stepHistory(
  entries: readonly HistoryEntry[],
  recall: Recall | undefined,
  by: -1 | 1,
  draft: Pick<EditorState, "text" | "chips">,
): { recall: Recall | undefined; entry: HistoryEntry } | undefined {
  const from = recall ?? { at: entries.length, prefix: draft.text, draft: historyEntry(draft) };
  for (let at = from.at + by; at >= 0 && at < entries.length; at += by) {
    const entry = entries[at];
    // Behind `!` alone come the commands for the copy: one for the outside must not come up in their place (IN-12).
    if (from.prefix === "!" && entry?.text.startsWith("!!") === true) continue;
    if (entry?.text.startsWith(from.prefix) === true) return { recall: { ...from, at }, entry };
  }
  return by > 0 && recall !== undefined ? { recall: undefined, entry: recall.draft } : undefined;
}
