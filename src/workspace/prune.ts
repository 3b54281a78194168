import type { Door } from "./door.ts";
import { removeAll } from "./land-copy.ts";

/** Steps that the journal remembers beyond those that can be undone; older ones are forgotten whole. */
const REMEMBERED = 150;

/**
 * Keeps what undo occupies within its bounds: the oldest steps lose what they took away, and can't be undone any more.
 * Gives one sentence for the person when that happened.
 */
export async function prune(door: Door): Promise<string | undefined> {
  const { state, journal, keep } = door;
  const entries = journal.entries().toReversed();
  let [steps, bytes, lost] = [0, 0, 0];
  for (const [n, entry] of entries.entries()) {
    const slots = `${entry.folder}/slots`;
    if (state.lstat(slots) !== undefined) {
      steps += 1;
      bytes += journal.bytesOf(entry);
      // The newest step can be undone whatever it occupies.
      if (n > 0 && (steps > keep.steps || bytes > keep.bytes)) {
        await removeAll(state, slots);
        lost += 1;
      }
    }
    if (n >= keep.steps + REMEMBERED) await journal.remove(entry);
  }
  if (lost === 0) return undefined;
  const what = lost === 1 ? "the oldest step" : `the ${lost} oldest steps`;
  return `${what} can no longer be undone: undo keeps ${keep.steps} steps and ${Math.round(keep.bytes / 1e6)} MB`;
}
