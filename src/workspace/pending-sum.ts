import type { Root } from "../events/event.ts";
import type { Layer } from "../events/layers.ts";
import { toRaw, type RawPath } from "../util/bytes.ts";
import { basePath } from "./base.ts";
import type { Change, ChangeSet } from "./change.ts";
import { checkChanges, type Drafts } from "./conflict.ts";
import { fingerprint } from "./fingerprint.ts";
import { baseText } from "./git-base.ts";
import { isInGit } from "./git-unit.ts";
import { makeFolders, writeWhole } from "./journal.ts";
import type { Disk } from "./land-disk.ts";
import type { Pending, PendingSum } from "./pending.ts";
import { Bases, BaseLayer } from "./pending-base.ts";
import { freeze } from "./pending-freeze.ts";
import { netChanges } from "./pending-walk.ts";
import { readOpaque } from "./opaque.ts";
import { SavedSet } from "./plan.ts";
import { contentOf, isAtOrBelow } from "./select.ts";
import { LayOut, type MakeWhiteout, printed } from "./squash.ts";
import { commandStep, readProposal, readSince, saveProposal, stepFolderOf, type StepsDeps } from "./steps.ts";
import { openTree, splitRaw } from "./tree.ts";
import { gitDirOf, toldOnce } from "./pending-git.ts";
import { type ModeOf, withReadable } from "./pending-lift.ts";

export interface PendingDeps extends StepsDeps {
  /** `disk` is guarded: it writes below the state's folders only. */
  uid: number;
  /** Absolute path of git. */
  git: string | undefined;
  whiteout?: MakeWhiteout | undefined;
  /** Regenerable output (P9): what a settled step's layer holds. */
  regenerable(change: Change): boolean;
}

/** Changes of a sum that can't land, beside its proposal. */
const STUCK_FILE = "stuck.json";

export function openPending(deps: PendingDeps): Pending {
  const squash = (operationId: string, layers: readonly Layer[]): Promise<ChangeSet> =>
    withReadable(deps, layers, (modeOf) => squashed(deps, operationId, layers, modeOf));
  return {
    freeze: (set, view) => freeze(deps, set, view),
    squash,
    sum: async (operationId, layers) => rebased(deps, await squash(operationId, layers)),
    readSum: (operationId) => readSum(deps, operationId),
    relayer: (operationId, from, changes) => relayered(deps, operationId, from, changes),
  };
}

/** The change set of a layer as it lies there; of a settled step only its regenerable part is left. */
function setOf(deps: PendingDeps, layer: Layer): ChangeSet {
  const set = readProposal(deps.disk, stepFolderOf(deps, layer.operationId));
  if (set === undefined) throw new Error(`the changes of ${layer.operationId} are not there any more`);
  return layer.pended ? set : { ...set, changes: set.changes.filter((change) => deps.regenerable(change)) };
}

async function squashed(
  deps: PendingDeps,
  operationId: string,
  layers: readonly Layer[],
  modeOf: ModeOf,
): Promise<ChangeSet> {
  const { disk, roots } = deps;
  const { stepFolder, since } = await commandStep(deps, operationId);
  const stack = layers.map((layer) => new BaseLayer(disk, setOf(deps, layer)));
  const bases = new Bases(stack);
  const [now, after] = [
    await openTree(roots, []),
    await openTree(
      roots,
      stack.map((layer) => layer.set.stepFolder),
    ),
  ];
  const changes = await netChanges({
    disk,
    roots,
    layers: stack,
    now,
    after,
    bases,
    hidden: await hiddenIn(stack),
    modeOf,
  });
  const out = new LayOut(disk, stepFolder, after, deps.whiteout, modeOf);
  await out.uppers(roots.length, true);
  await out.all(changes);
  const set = { operationId, stepFolder, since };
  for (const change of changes) saveBase(disk, { ...set, changes }, bases, change);
  const whole = { ...set, changes: changes.map((change) => printed(disk, set, change)) };
  saveProposal(disk, whole);
  return whole;
}

async function hiddenIn(stack: readonly BaseLayer[]): Promise<Map<string, Set<RawPath>>> {
  const found = new Map<string, Set<RawPath>>();
  for (const { set } of stack) {
    for (const [root, paths] of (await readOpaque(set.stepFolder)).entries()) {
      for (const path of paths) {
        const [folder, name] = splitRaw(path);
        const key = `${root}/${folder}`;
        found.set(key, (found.get(key) ?? new Set()).add(name));
      }
    }
  }
  return found;
}

/** The text that a file had when it was first touched goes along, where it is known. */
function saveBase(disk: Disk, set: ChangeSet, bases: Bases, { root, path }: Change): void {
  const base = bases.of(root, path);
  if (base?.kind !== "print") return;
  const from = basePath(base.of.set.stepFolder, root, path);
  const to = basePath(set.stepFolder, root, path);
  if (disk.lstat(from)?.isFile() !== true || disk.lstat(to) !== undefined) return;
  makeFolders(disk, to.slice(0, to.lastIndexOf("/")));
  disk.copy(from, to);
}

/** Looks with the door's own eyes at what would land now: what clashes is stuck, what can be merged is merged before it is shown. */
async function rebased(deps: PendingDeps, set: ChangeSet): Promise<PendingSum> {
  const { disk, roots } = deps;
  const becomes = set.changes.filter((c) => c.op === "type" && c.after?.type === "folder");
  const found = await checkChanges(
    {
      disk,
      roots,
      set,
      since: readSince(disk, set),
      becomes: new Set(becomes.map((c) => `${c.root}/${c.path}`)),
      returned: new Map(),
      base: (change) => baseOf(deps, set, change),
    },
    set.changes.map((change) => ({ change })),
  );
  const stuck = new Set(set.changes.filter((change) => isStuck(roots, change, found.conflicts)));
  const key = ({ root, path }: { root: number; path: RawPath }): string => `${root}/${path}`;
  const acts = new Set(found.drafts.map(key));
  // What the folder has already, by whoever, is nothing to land.
  const free = set.changes.filter((c) => !stuck.has(c) && (c.tree !== undefined || acts.has(key(c))));
  const landable = { ...set, changes: free.map((change) => merged(disk, set, change, found)) };
  writeWhole(disk, `${toRaw(set.stepFolder)}/${STUCK_FILE}`, JSON.stringify({ ...set, changes: [...stuck] }));
  saveProposal(disk, landable);
  const held = new Set([...stuck].map(key));
  return {
    set: landable,
    stuck: [...stuck],
    conflicts: toldOnce(roots, found.conflicts),
    merged: found.merged.filter((m) => !held.has(key(m))),
  };
}

function readSum({ disk, ...deps }: PendingDeps, operationId: string): Pick<PendingSum, "set" | "stuck"> | undefined {
  const folder = stepFolderOf(deps, operationId);
  const set = readProposal(disk, folder);
  const file = `${toRaw(folder)}/${STUCK_FILE}`;
  if (set === undefined || disk.lstat(file) === undefined) return undefined;
  return { set, stuck: SavedSet.parse(JSON.parse(disk.read(file).toString("utf8"))).changes };
}

/** What the first layer that touched a file kept of it, or a blob that git proves to be the same. */
async function baseOf(deps: PendingDeps, set: ChangeSet, change: Change): Promise<Uint8Array | undefined> {
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
  const at = contentOf(set, change);
  disk.unlink(at);
  disk.write(at, draft.source.bytes, 0o600);
  const like = disk.lstat(draft.source.like);
  if (like !== undefined && disk.lstat(at)?.uid === 0n) disk.chown(at, Number(like.uid), Number(like.gid));
  disk.chmod(at, draft.source.mode);
  disk.sync(at);
  const after = fingerprint(disk, at);
  const { late: _, ...rest } = change;
  return { ...rest, before: draft.before, ...(after === undefined ? {} : { after }) };
}

async function relayered(
  deps: PendingDeps,
  operationId: string,
  from: ChangeSet,
  changes: readonly Change[],
): Promise<ChangeSet> {
  const { disk, roots } = deps;
  const { stepFolder, since } = await commandStep(deps, operationId);
  const tree = await openTree(roots, [from.stepFolder]);
  const out = new LayOut(disk, stepFolder, tree, deps.whiteout);
  await out.uppers(roots.length, true);
  await out.all(changes);
  for (const { root, path } of changes) {
    const [base, to] = [basePath(from.stepFolder, root, path), basePath(stepFolder, root, path)];
    if (disk.lstat(base)?.isFile() !== true) continue;
    makeFolders(disk, to.slice(0, to.lastIndexOf("/")));
    disk.copy(base, to);
  }
  const set = {
    operationId,
    stepFolder,
    since,
    changes: changes.map((change) => printed(disk, { stepFolder }, change)),
  };
  saveProposal(disk, set);
  return set;
}
