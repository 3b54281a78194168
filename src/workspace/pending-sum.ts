import type { Layer } from "../events/layers.ts";
import { toRaw, type RawPath } from "../util/bytes.ts";
import { basePath } from "./base.ts";
import type { Change, ChangeSet } from "./change.ts";
import { clashesIn } from "./clash.ts";
import { makeFolders } from "./journal.ts";
import type { Disk } from "./land-disk.ts";
import type { Pending, PendingSum, SettledSum } from "./pending.ts";
import { Bases, BaseLayer } from "./pending-base.ts";
import { freeze } from "./pending-freeze.ts";
import { netChanges } from "./pending-walk.ts";
import { readOpaque } from "./opaque.ts";
import { SavedSet } from "./plan.ts";
import { clashParts, rebased, saveStuck, STUCK_FILE } from "./pending-rebase.ts";
import { readRest, REST, saveRest, settle, type Settled } from "./pending-settle.ts";
import { LayOut, type MakeWhiteout, printed } from "./squash.ts";
import { commandStep, readProposal, saveProposal, stepFolderOf, type StepsDeps } from "./steps.ts";
import { openTree, splitRaw } from "./tree.ts";
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

export function openPending(deps: PendingDeps): Pending {
  const squash = (operationId: string, layers: readonly Layer[]): Promise<ChangeSet> =>
    withReadable(deps, layers, (modeOf) => squashed(deps, operationId, layers, modeOf));
  return {
    freeze: (set, view) => freeze(deps, set, view),
    squash,
    sum: async (operationId, layers) => rebased(deps, await squash(operationId, layers)),
    clashes: (sum) => clashesIn(clashParts(deps, sum.set), sum.stuck, sum.conflicts),
    settle: (sum, wanted) => settled(deps, sum, wanted),
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

async function settled(deps: PendingDeps, sum: PendingSum, wanted: readonly Settled[]): Promise<SettledSum> {
  const out = await settle(clashParts(deps, sum.set), sum, wanted);
  saveStuck(deps.disk, sum.set, out.stuck);
  saveRest(deps.disk, sum.set, out.rest);
  saveProposal(deps.disk, out.set);
  return out;
}

function readSum({ disk, ...deps }: PendingDeps, operationId: string): SettledSum | undefined {
  const folder = stepFolderOf(deps, operationId);
  const set = readProposal(disk, folder);
  const file = `${toRaw(folder)}/${STUCK_FILE}`;
  if (set === undefined || disk.lstat(file) === undefined) return undefined;
  const stuck = SavedSet.parse(JSON.parse(disk.read(file).toString("utf8"))).changes;
  return { set, stuck, rest: readRest(disk, folder) };
}

async function relayered(
  deps: PendingDeps,
  operationId: string,
  from: ChangeSet,
  changes: readonly Change[],
): Promise<ChangeSet> {
  const { disk, roots } = deps;
  const { stepFolder, since } = await commandStep(deps, operationId);
  const rest = `${from.stepFolder}/${REST}`;
  const inPart = disk.lstat(toRaw(rest)) !== undefined;
  const tree = await openTree(roots, [from.stepFolder, ...(inPart ? [rest] : [])]);
  const out = new LayOut(disk, stepFolder, tree, deps.whiteout);
  await out.uppers(roots.length, true);
  await out.all(changes);
  for (const { root, path } of changes) {
    const to = basePath(stepFolder, root, path);
    const base = [rest, from.stepFolder]
      .map((folder) => basePath(folder, root, path))
      .find((at) => disk.lstat(at)?.isFile() === true);
    if (base === undefined) continue;
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
