import type { Door } from "./door.ts";
import { removeAll } from "./land-copy.ts";

/** What undo may occupy in one root's journal. */
export const UNDO_KEEP: { steps: number; bytes: number } = { steps: 50, bytes: 2e9 };

/** Steps that the journal remembers beyond those that can be undone; older ones are forgotten whole. */
const REMEMBERED = 150;
/** A journal with fewer steps has forgotten none. */
export const JOURNAL_STEPS = UNDO_KEEP.steps + REMEMBERED;

/**
 * Keeps what undo occupies within its bounds: the oldest steps lose what they took away, and can't be undone any more.
 * Gives one sentence for the person when that happened.
 */
export async function prune(door: Door): Promise<string | undefined> {
  const { state, journal, keep } = door;
  const entries = journal.entries().toReversed();
  const lost: string[] = [];
  let [steps, bytes] = [0, 0];
  for (const [n, entry] of entries.entries()) {
    const slots = `${entry.folder}/slots`;
    if (state.lstat(slots) !== undefined) {
      const size = journal.bytesOf(entry);
      // The newest step can be undone whatever it occupies, and takes no room from the others.
      if (n > 0 && (steps + 1 > keep.steps || bytes + size > keep.bytes)) {
        await removeAll(state, slots);
        lost.unshift(entry.operationId);
      } else [steps, bytes] = [steps + 1, n > 0 ? bytes + size : 0];
    }
    if (n >= keep.steps + REMEMBERED) await journal.remove(entry);
  }
  if (lost.length === 0) return undefined;
  const names = lost.length > 3 ? `${lost.slice(0, 3).join(", ")} and ${lost.length - 3} more` : lost.join(", ");
  const what = lost.length === 1 ? `an older step (${names})` : `${lost.length} older steps (${names})`;
  return `${what} can no longer be undone: undo keeps the newest ${keep.steps} steps and ${Math.round(keep.bytes / 1e6).toLocaleString("en-US")} MB of this folder. The files themselves are as they are.`;
}
