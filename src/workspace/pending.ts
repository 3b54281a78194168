import type { Layer } from "../events/layers.ts";
import type { RawPath } from "../util/bytes.ts";
import type { Change, ChangeSet, Conflict } from "./change.ts";
import type { Clash } from "./clash.ts";
import type { Settled } from "./pending-settle.ts";
import type { View } from "./workspace.ts";

/** What all layers together would change, against the folder as it is now (W6). */
export interface PendingSum {
  /** What can land. Where somebody changed other lines of a file meanwhile, its content holds both sides' lines. */
  set: ChangeSet;
  /** What can't land, since the folder changed meanwhile; it stays a layer. */
  stuck: readonly Change[];
  conflicts: readonly Conflict[];
  /** Files of `set` that hold both sides' lines. */
  merged: readonly { root: number; path: RawPath }[];
}

/** A sum of which the person settled conflicts. */
export interface SettledSum {
  set: ChangeSet;
  stuck: readonly Change[];
  /** What stays pending of files of `set` that land in part. */
  rest: readonly Change[];
}

/** Change sets that wait as layers of the session's copy (W6, SANDBOX 1.3): made, summed up, squashed. Writes into the state folder alone. */
export interface Pending {
  /**
   * Makes a proposed step a layer that a later copy can mount and a view can show: deletions become marks, folders on the way keep their
   * modes, texts that a merge may need are kept. `view`: what the step saw. Safe to repeat.
   */
  freeze(set: ChangeSet, view: View): Promise<ChangeSet>;
  /**
   * One layer out of many (oldest first), with a proposal of its own; the old ones stay until they are dropped. Changes are told against
   * what the folder was when the first layer touched each path; what somebody changed since is `late`.
   */
  squash(operationId: string, layers: readonly Layer[]): Promise<ChangeSet>;
  /** The sum for a review: `squash`, then brought up to what the folder became meanwhile. */
  sum(operationId: string, layers: readonly Layer[]): Promise<PendingSum>;
  /** The conflicts of a sum with both sides' lines, and the ways to settle each. */
  clashes(sum: PendingSum): Promise<Clash[]>;
  /** Carries out what the person says of conflicts, in the sum's own step folder. Throws `SettleError` for what can't be. */
  settle(sum: PendingSum, wanted: readonly Settled[]): Promise<SettledSum>;
  /** What `sum` and `settle` came to, read back; undefined where it is not there (any more). */
  readSum(operationId: string): SettledSum | undefined;
  /** A layer with some changes of a squashed set: what a review leaves. */
  relayer(operationId: string, from: ChangeSet, changes: readonly Change[]): Promise<ChangeSet>;
}

/** More than that are squashed: the options of a mount are limited to a page, and each layer makes a lookup longer (SANDBOX 9). */
export const MAX_LAYERS = 50;
