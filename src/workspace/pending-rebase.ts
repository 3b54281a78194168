import type { Root } from "../events/event.ts";
import { toRaw, type RawPath } from "../util/bytes.ts";
import { basePath } from "./base.ts";
import type { Change, ChangeSet, Fingerprint } from "./change.ts";
import type { ClashParts } from "./clash.ts";
import { type Checks, checkChanges, type Drafts } from "./conflict.ts";
import { fingerprint, hashOf, readIfThere } from "./fingerprint.ts";
import { baseText } from "./git-base.ts";
import { isInGit } from "./git-unit.ts";
import { makeFolders, writeWhole } from "./journal.ts";
import type { Disk } from "./land-disk.ts";
import { targetOf } from "./land-move.ts";
import type { PendingSum } from "./pending.ts";
import { gitDirOf, toldOnce } from "./pending-git.ts";
import { contentOf, isAtOrBelow } from "./select.ts";
import { readSince, saveProposal, type StepsDeps } from "./steps.ts";

/** What a sum is brought up to the folder with. `disk` is guarded: it writes below the state's folders only. */
export interface RebaseDeps extends StepsDeps {
  /** Absolute path of git. */
  git: string | undefined;
}

/** Changes of a sum that can't land, beside its proposal. */
export const STUCK_FILE = "stuck.json";

/** Looks with the door's own eyes at what would land now: what clashes is stuck, what can be merged is merged before it is shown. */
export async function rebased(deps: RebaseDeps, given: ChangeSet): Promise<PendingSum> {
  const { disk, roots } = deps;
  const first = await checkChanges(
    checksOf(deps, given),
    given.changes.map((change) => ({ change })),
  );
  const { set, found, followed } = await followRenames(deps, given, first);
  const stuck = new Set(set.changes.filter((change) => isStuck(roots, change, found.conflicts)));
  const acts = new Set([...found.drafts.map(keyOf), ...followed.flatMap((f) => f.map(keyOf))]);
  // What the folder has already, by whoever, is nothing to land.
  const free = set.changes.filter((c) => !stuck.has(c) && (c.tree !== undefined || acts.has(keyOf(c))));
  const landable = { ...set, changes: free.map((change) => merged(disk, set, change, found)) };
  saveStuck(disk, set, [...stuck]);
  saveProposal(disk, landable);
  const held = new Set([...stuck].map(keyOf));
  return {
    set: landable,
    stuck: [...stuck],
    conflicts: toldOnce(roots, found.conflicts),
    merged: [...found.merged, ...followed.map(([, to]) => to)].filter((m) => !held.has(keyOf(m))),
  };
}

function keyOf({ root, path }: { root: number; path: RawPath }): string {
  return `${root}/${path}`;
}

/** Saves what can't land beside the sum. */
export function saveStuck(disk: Disk, set: ChangeSet, stuck: readonly Change[]): void {
  writeWhole(disk, `${toRaw(set.stepFolder)}/${STUCK_FILE}`, JSON.stringify({ ...set, changes: stuck }));
}

function checksOf(deps: RebaseDeps, set: ChangeSet): Checks {
  const { disk, roots } = deps;
  const becomes = set.changes.filter((c) => c.op === "type" && c.after?.type === "folder");
  return {
    disk,
    roots,
    set,
    since: readSince(disk, set),
    becomes: new Set(becomes.map(keyOf)),
    returned: new Map(),
    base: (change) => baseOf(deps, set, change),
  };
}

/** What conflicts of a sum are looked at and settled with. */
export function clashParts(deps: RebaseDeps, set: ChangeSet): ClashParts {
  const { disk, roots } = deps;
  return {
    disk,
    roots,
    set,
    base: (change) => baseOf(deps, set, change),
    fits: async (change) => (await checkChanges(checksOf(deps, set), [{ change }])).conflicts.length === 0,
  };
}

type Renamed = readonly [from: Change, to: Change];

/** A file that the rehearsal only renamed, and the folder changed under its old name: the folder's text goes along under the new one. */
async function followRenames(
  deps: RebaseDeps,
  set: ChangeSet,
  found: Drafts,
): Promise<{ set: ChangeSet; found: Drafts; followed: readonly Renamed[] }> {
  const clashes = new Set(found.conflicts.map(keyOf));
  const followed = new Map<Change, Change>();
  const pairs: Renamed[] = [];
  for (const from of set.changes) {
    if (from.op !== "delete" || from.before?.hash === undefined || !clashes.has(keyOf(from))) continue;
    const to = newNameOf(set, from, clashes);
    const pair = to === undefined ? undefined : await withFolders(deps, set, { from, to });
    if (to === undefined || pair === undefined || followed.has(to)) continue;
    followed.set(from, pair[0]).set(to, pair[1]);
    pairs.push(pair);
  }
  const gone = new Set(pairs.map(([from]) => keyOf(from)));
  return {
    set: { ...set, changes: set.changes.map((c) => followed.get(c) ?? c) },
    found: { ...found, conflicts: found.conflicts.filter((c) => !gone.has(keyOf(c))) },
    followed: pairs,
  };
}

/** The one new file with the same bytes; of several none can be told to be it. */
function newNameOf(set: ChangeSet, from: Change, clashes: ReadonlySet<string>): Change | undefined {
  const { before } = from;
  if (before?.type !== "file" || before.size === 0) return undefined;
  const [only, ...more] = set.changes.filter(
    (c) => c.op === "create" && c.root === from.root && c.after?.type === "file" && c.after.hash === before.hash,
  );
  return only === undefined || more.length > 0 || clashes.has(keyOf(only)) ? undefined : only;
}

async function withFolders(
  deps: RebaseDeps,
  set: ChangeSet,
  { from, to }: { from: Change; to: Change },
): Promise<Renamed | undefined> {
  const { disk, roots } = deps;
  const target = targetOf(
    roots.map((r) => r.path),
    from,
  );
  const now = fingerprint(disk, target);
  const bytes = now?.type === "file" && now.hash !== undefined ? readIfThere(disk, target) : undefined;
  if (now === undefined || bytes === undefined || hashOf(bytes) !== now.hash) return undefined;
  const { late: _, ...plain } = from;
  const gone = { ...plain, before: now };
  if (!(await clashParts(deps, set).fits(gone))) return undefined;
  const mode = to.after?.mode === from.before?.mode ? now.mode : (to.after?.mode ?? now.mode);
  const after = replaceContent(disk, contentOf(set, to), { bytes, mode, like: target });
  return [gone, { ...to, ...(after === undefined ? {} : { after }) }];
}

/** Other bytes where a step keeps a change's new content; its fingerprint. Owned as `like` is. */
export function replaceContent(
  disk: Disk,
  at: RawPath,
  { bytes, mode, like }: { bytes: Uint8Array; mode: number; like: RawPath },
): Fingerprint | undefined {
  makeFolders(disk, at.slice(0, at.lastIndexOf("/")));
  if (disk.lstat(at) !== undefined) disk.unlink(at);
  disk.write(at, bytes, 0o600);
  const owner = disk.lstat(like);
  if (owner !== undefined && disk.lstat(at)?.uid === 0n) disk.chown(at, Number(owner.uid), Number(owner.gid));
  disk.chmod(at, mode);
  disk.sync(at);
  return fingerprint(disk, at);
}

/** What the first layer that touched a file kept of it, or a blob that git proves to be the same. */
async function baseOf(deps: RebaseDeps, set: ChangeSet, change: Change): Promise<Uint8Array | undefined> {
  const { root, path, before, late } = change;
  const saved = basePath(set.stepFolder, root, path);
  if (deps.disk.lstat(saved)?.isFile() === true) return deps.disk.read(saved);
  const of = deps.roots[root];
  if (of === undefined || before === undefined || late === true || isInGit(of, path)) return undefined;
  return baseText(deps.roots, { root, path, before }, { git: deps.git, scratchDir: set.stepFolder });
}

/** A conflict holds the change that it lies in, what comes below it, and the whole of a repository's own files (all or nothing). */
function isStuck(
  roots: readonly Root[],
  change: Change,
  conflicts: readonly { root: number; path: RawPath }[],
): boolean {
  return conflicts.some((conflict) => {
    if (conflict.root !== change.root) return false;
    if (isAtOrBelow(change.path, conflict.path) && (change.path === conflict.path || change.tree !== undefined))
      return true;
    if (isAtOrBelow(conflict.path, change.path)) return true;
    const dir = gitDirOf(roots[change.root], change.path);
    return dir !== undefined && dir === gitDirOf(roots[change.root], conflict.path);
  });
}

/** A file in which both sides' lines are: from here on it is a change of the folder as it is now. */
function merged(disk: Disk, set: ChangeSet, change: Change, found: Drafts): Change {
  const draft = found.drafts.find((d) => d.root === change.root && d.path === change.path);
  if (draft?.source?.kind !== "bytes" || draft.before === undefined) return change;
  const after = replaceContent(disk, contentOf(set, change), draft.source);
  const { late: _, ...rest } = change;
  return { ...rest, before: draft.before, ...(after === undefined ? {} : { after }) };
}
