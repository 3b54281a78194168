import { basePath } from "./base.ts";
import type { Root } from "../events/event.ts";
import { showPath, toRaw, type RawPath } from "../util/bytes.ts";
import { type Change, type ChangeSet, type Fingerprint, upperOf } from "./change.ts";
import { fingerprint, hashOf, treePrint } from "./fingerprint.ts";
import { makeFolders } from "./journal.ts";
import { removeAll } from "./land-copy.ts";
import type { Disk } from "./land-disk.ts";
import { parentsOf } from "./parents.ts";
import { pathIn, rootOf } from "./roots.ts";
import { plainStep, type StepsDeps } from "./steps.ts";
import type { Stage, View } from "./workspace.ts";

/** Where a path of Write, Edit or Delete leads. */
interface Place {
  root: number;
  path: RawPath;
  /** As the view names it. */
  at: string;
  /** Raw absolute: where it lies now, in the person's folder or in a layer over it; undefined where the step sees nothing. */
  seen: RawPath | undefined;
  /** Raw absolute, in the step's layer. */
  content: RawPath;
}

/** Collects what Write, Edit and Delete want in a step folder of its own, in the shape that a command's layer has. */
export async function openStage(deps: StepsDeps, operationId: string, view: View): Promise<Stage> {
  const { disk, roots } = deps;
  const stepFolder = await plainStep(deps, operationId);
  const changes = new Map<string, Change>();
  const set = (change: Change): void => void changes.set(`${change.root}/${change.path}`, change);

  return {
    put: async (path, bytes, mode, base) => {
      const place = await placeOf(roots, view, stepFolder, path, "follow");
      const before = await beforeOf(disk, changes, place, base);
      for (const parent of await missingParents(disk, place, roots, view))
        set({ ...parent, ...changes.get(`${parent.root}/${parent.path}`) });
      await write(disk, place, bytes, mode ?? (before?.type === "file" ? before.mode : undefined));
      if (before !== undefined) saveBase(disk, stepFolder, place, base);
      set(changeOf(disk, place, before));
      if (isSame(changes.get(`${place.root}/${place.path}`))) changes.delete(`${place.root}/${place.path}`);
    },
    remove: async (path) => {
      const place = await placeOf(roots, view, stepFolder, path, "stay");
      const before = await beforeOf(disk, changes, place, undefined);
      await removeAll(disk, place.content);
      dropBelow(changes, place);
      if (before !== undefined) set(await deletion(disk, view, place, before));
    },
    finish: async (): Promise<ChangeSet> => {
      const sorted = [...changes.values()].toSorted((a, b) => a.root - b.root || (a.path < b.path ? -1 : 1));
      return { operationId, stepFolder, since: String(BigInt(deps.clock.now()) * 1_000_000n), changes: sorted };
    },
  };
}

/** A link is deleted itself, never what it leads to; the way to it, and what is written to, is followed. */
async function placeOf(
  roots: readonly Root[],
  view: View,
  stepFolder: string,
  path: string,
  how: "follow" | "stay",
): Promise<Place> {
  const found = await view.resolve(path, how);
  const root = rootOf(roots, found.path);
  const base = roots[root]?.path;
  if (base === undefined || found.path === base) throw new Error(`${path} is no entry of the folder`);
  const rel = toRaw(pathIn(base, found.path));
  const seen = found.exists ? toRaw(found.real) : undefined;
  return { root, path: rel, at: found.path, seen, content: `${toRaw(upperOf(stepFolder, root))}/${rel}` };
}

/** What the step sees there, as it was when it first looked. */
async function beforeOf(
  disk: Disk,
  changes: ReadonlyMap<string, Change>,
  place: Place,
  base: Uint8Array | undefined,
): Promise<Fingerprint | undefined> {
  const known = changes.get(`${place.root}/${place.path}`);
  if (known !== undefined) return known.before;
  const now = place.seen === undefined ? undefined : fingerprint(disk, place.seen, Number.MAX_SAFE_INTEGER);
  if (now === undefined || base === undefined || now.type !== "file") return now;
  // What the caller read decides, not what came there since.
  return { ...now, size: base.length, hash: hashOf(base) };
}

async function missingParents(disk: Disk, place: Place, roots: readonly Root[], view: View): Promise<Change[]> {
  const base = roots[place.root]?.path ?? "";
  const layer = place.content.slice(0, -place.path.length - 1);
  const missing: Change[] = [];
  for (const path of parentsOf(place.path)) {
    if (disk.lstat(`${layer}/${path}`) === undefined) {
      makeFolders(disk, layer);
      disk.mkdir(`${layer}/${path}`, 0o777);
    }
    const after = fingerprint(disk, `${layer}/${path}`);
    const there = (await view.resolve(`${base}/${showPath(path)}`)).exists;
    if (!there && after !== undefined) missing.push({ root: place.root, path, op: "create", after });
  }
  return missing;
}

async function write(disk: Disk, place: Place, bytes: Uint8Array, mode: number | undefined): Promise<void> {
  await removeAll(disk, place.content);
  makeFolders(disk, place.content.slice(0, place.content.lastIndexOf("/")));
  disk.write(place.content, bytes, 0o666);
  const old = place.seen === undefined ? undefined : disk.lstat(place.seen);
  const mine = disk.lstat(place.content);
  if (old?.isFile() === true && mine?.uid === 0n && old.uid !== 0n)
    disk.chown(place.content, Number(old.uid), Number(old.gid));
  if (mode !== undefined) disk.chmod(place.content, mode);
  disk.sync(place.content);
}

/** The text that the new content is based on, for a merge with what the person does meanwhile. */
function saveBase(disk: Disk, stepFolder: string, place: Place, base: Uint8Array | undefined): void {
  const path = basePath(stepFolder, place.root, place.path);
  if (disk.lstat(path) !== undefined || place.seen === undefined || disk.lstat(place.seen)?.isFile() !== true) return;
  makeFolders(disk, path.slice(0, path.lastIndexOf("/")));
  if (base === undefined) disk.copy(place.seen, path);
  else disk.write(path, base, 0o600);
}

function changeOf(disk: Disk, place: Place, before: Fingerprint | undefined): Change {
  const after = fingerprint(disk, place.content, Number.MAX_SAFE_INTEGER);
  if (after === undefined) throw new Error(`${place.path} was not written`);
  const { root, path } = place;
  if (before === undefined) return { root, path, op: "create", after };
  return { root, path, op: before.type === "file" ? "modify" : "type", before, after };
}

function isSame(change: Change | undefined): boolean {
  const { before, after } = change ?? {};
  return before?.type === "file" && before.hash === after?.hash && before.mode === after?.mode;
}

async function deletion(disk: Disk, view: View, place: Place, before: Fingerprint): Promise<Change> {
  const { root, path, seen } = place;
  if (before.type !== "folder" || seen === undefined) return { root, path, op: "delete", before };
  const layered = view.layers.some((layer) => disk.lstat(`${toRaw(upperOf(layer, root))}/${path}`) !== undefined);
  // Out of several layers it has no print of its own: what becomes of it is told file by file.
  if (layered) return { root, path, op: "delete", before, tree: await sizeIn(view, place) };
  const { hash, files, bytes } = await treePrint(disk, seen);
  return { root, path, op: "delete", before: { ...before, hash }, tree: { files, bytes } };
}

async function sizeIn(view: View, { at }: Pick<Place, "at">): Promise<{ files: number; bytes: number }> {
  const sum = { files: 0, bytes: 0 };
  for (const { name, type } of await view.list(at)) {
    const path = `${at}/${name}`;
    const below = type === "folder" ? await sizeIn(view, { at: path }) : undefined;
    sum.files += below?.files ?? 1;
    sum.bytes += below?.bytes ?? (await view.resolve(path, "stay")).size ?? 0;
  }
  return sum;
}

/** A deleted path takes with it what this step wanted below it. */
function dropBelow(changes: Map<string, Change>, place: Place): void {
  const key = `${place.root}/${place.path}`;
  for (const other of changes.keys()) if (other === key || other.startsWith(`${key}/`)) changes.delete(other);
}
