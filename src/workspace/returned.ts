import type { Fingerprint } from "./change.ts";
import { sameContent, sameInode } from "./fingerprint.ts";
import type { EntryState } from "./journal.ts";

/**
 * What a pass that was rolled back took away and put back: the same bytes, but with a new ctime, by which they would seem
 * changed. `<root>/<path>` → as it was, as it is.
 */
export type Returned = ReadonlyMap<string, { was: Fingerprint; is: Fingerprint }>;

/** What a step's newest pass put back. What anybody else changed meanwhile is not in it. */
export function returnedBy(state: EntryState | undefined): Returned {
  if (state?.end?.done !== false) return new Map();
  const { prints } = state.end;
  return new Map(
    state.pass.ops.flatMap((op, n) => {
      const [was, is] = [op.kind === "move" ? op.before : undefined, prints[n]];
      if (was === undefined || is === undefined || is === null || !sameInode(is, was)) return [];
      return [[`${op.root}/${op.path}`, { was, is }] as const];
    }),
  );
}

/** The content is that of `then`, as it was or as it was put back. */
export function sameOrReturned(now: Fingerprint, then: Fingerprint, key: string, returned: Returned): boolean {
  if (sameContent(now, then)) return true;
  const back = returned.get(key);
  return back !== undefined && sameContent(back.was, then) && sameContent(now, back.is);
}
