import type { RawPath } from "../util/bytes.ts";
import type { Conflict, Fingerprint } from "./change.ts";
import type { Door } from "./door.ts";
import { fingerprint, hashedIn, sameContent } from "./fingerprint.ts";
import { entriesOf, isKept, lastDone, type StepAt } from "./journal-steps.ts";
import { perform } from "./land.ts";
import type { Journal } from "./journal.ts";
import { codeOf } from "./land-disk.ts";
import { targetOf } from "./land-move.ts";
import { type Turns, turnsIn } from "./returned.ts";
import { planTurn, slotOf, type Turning } from "./undo-op.ts";
import { openSight } from "./undo-sight.ts";
import type { TurnKind, UndoReport } from "./workspace.ts";

/** Said of a step whose old content went when undo's store was full. */
export const EXPIRED = "it can't be undone any more: what it took away is no longer kept";

/**
 * Takes a landed step back ("undo") or brings it back ("redo"), through the same door as a landing: all or nothing, never over
 * what changed since. Done already is fine. The caller holds the locks and has recovered what was open; `door` is that of the journal
 * that the step lies in.
 */
export async function turn(
  door: Door,
  operationId: string,
  kind: TurnKind,
  { merge = false, group }: { merge?: boolean | undefined; group?: string } = {},
): Promise<UndoReport> {
  const { state, end } = lastDone(door.journal, operationId);
  const { pass, entry } = state;
  const paths = end.changes.map(({ root, path }) => ({ root, path }));
  const done = { ok: true, operationId, paths, conflicts: [], merged: [] };
  const isUndone = pass.kind === "undo";
  if (isUndone === (kind === "undo")) return done;
  const failed = (conflicts: readonly Conflict[]): UndoReport => ({ ...done, ok: false, paths: [], conflicts });
  const step: StepAt = { door, operationId, state, end, first: pass };
  if (!isKept(step)) return failed(expired(step));
  const attempt = async (apart: boolean): Promise<UndoReport> => {
    const sight = openSight(door.disk, hashedIn(pass.ops.length));
    const plan = await planTurn({ ...memory(door), step, sight, merge });
    if (plan.conflicts.length > 0) return failed(plan.conflicts);
    const number = door.journal.newest(entry) + 1;
    const options = { entry, number, roots: pass.roots, apart, moves: () => true };
    const result = await perform(door, options, plan, {
      kind,
      changes: end.changes,
      // Every second turn lists them itself: reading one back never goes far.
      ...(pass.listed === undefined ? { listed: pass.number } : {}),
      merged: plan.merged,
      ...(group === undefined ? {} : { group }),
    });
    return result.done ? { ...done, merged: plan.merged } : failed(result.conflicts);
  };
  try {
    return await attempt(false);
  } catch (error) {
    // As in a landing: one file system by its number, two by its mounts.
    if (codeOf(error) !== "EXDEV") throw error;
    return attempt(true);
  }
}

/** Every path of a step that can't be undone any more. */
export function expired({ end }: Pick<StepAt, "end">): Conflict[] {
  return end.changes.map(({ root, path }) => ({ root, path, why: EXPIRED }));
}

/** What the journals remember beyond a step's own passes, read when it is first asked for. */
export function memory(door: Door): Pick<Turning, "turned" | "kept"> {
  let turns: Turns | undefined;
  let slots: ReadonlyMap<RawPath, readonly Slot[]> | undefined;
  return {
    turned: () => (turns ??= turnsIn(journalsOf(door), door.state)),
    kept(path, print) {
      const now = fingerprint(door.disk, path);
      if (now !== undefined && sameContent(now, print)) return path;
      slots ??= slotsOf(door);
      return slots.get(path)?.find((slot) => sameContent(slot.print, print) && door.disk.lstat(slot.at) !== undefined)
        ?.at;
    },
  };
}

function journalsOf(door: Door): Journal[] {
  return [...new Map(entriesOf(door).map((found) => [found.door.home, found.door.journal])).values()];
}

/** A file that some pass took away, as it was then. */
interface Slot {
  print: Fingerprint;
  at: RawPath;
}

function slotsOf(door: Door): ReadonlyMap<RawPath, readonly Slot[]> {
  const slots = new Map<RawPath, Slot[]>();
  for (const { door: of, entry } of entriesOf(door)) {
    const newest = of.journal.newest(entry);
    for (let number = 0; number <= newest; number++) {
      const { pass } = of.journal.read(entry, number) ?? { pass: undefined };
      for (const op of pass?.ops ?? []) {
        const at = op.kind === "move" ? slotOf(op) : undefined;
        if (pass === undefined || at === undefined || op.before?.type !== "file") continue;
        const target = targetOf(pass.roots, op);
        slots.set(target, [...(slots.get(target) ?? []), { print: op.before, at }]);
      }
    }
  }
  return slots;
}
