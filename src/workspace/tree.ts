import { type BigIntStats, type Dirent, lstatSync } from "node:fs";
import { readdir } from "node:fs/promises";
import type { Root } from "../events/event.ts";
import { rawBytes, toRaw, type RawPath } from "../util/bytes.ts";
import { type ChangeSet, upperOf } from "./change.ts";
import { readOpaque } from "./opaque.ts";

/** Codes that mean "nothing there" when a name is looked up. */
const ABSENT = new Set(["ENOENT", "ENOTDIR", "ELOOP"]);
export type NodeType = "file" | "folder" | "link" | "special";

/** An entry of the roots as it is with the layers over them. */
export interface Node {
  root: number;
  /** Relative to its root, "" for the root itself. */
  path: RawPath;
  type: NodeType;
  stat: BigIntStats;
  /** Where it lies, raw absolute; a folder that several layers share has several, newest first. */
  places: readonly Place[];
}
interface Place {
  real: string;
  layer: number;
}

/** Roots with layers over them, looked up name by name; no link is ever followed. */
export interface Tree {
  root(index: number): Promise<Node | undefined>;
  child(folder: Node, name: RawPath): Promise<Node | undefined>;
  find(root: number, path: RawPath): Promise<Node | undefined>;
  /** Names and types of a folder, layers merged, in order of their bytes. */
  names(folder: Node): Promise<readonly (readonly [RawPath, NodeType])[]>;
}

interface Layer {
  base: string;
  opaque: ReadonlySet<RawPath>;
  /** The same by folder. */
  hides: ReadonlyMap<RawPath, ReadonlySet<RawPath>>;
  /** The person's folder itself: a device there is a device, no whiteout. */
  bottom: boolean;
}

export function joinRaw(folder: RawPath, name: RawPath): RawPath {
  return folder === "" ? name : `${folder}/${name}`;
}

/** Folder and last name of a relative path. */
export function splitRaw(path: RawPath): [RawPath, RawPath] {
  const cut = path.lastIndexOf("/");
  return [path.slice(0, Math.max(cut, 0)), path.slice(cut + 1)];
}

/** Names by the folder that they lie in. */
export function byFolder(paths: readonly RawPath[]): Map<RawPath, Set<RawPath>> {
  const found = new Map<RawPath, Set<RawPath>>();
  for (const path of paths) {
    const [folder, name] = splitRaw(path);
    const names = found.get(folder) ?? new Set();
    found.set(folder, names.add(name));
  }
  return found;
}

/** Raw absolute path of an entry in a root itself. */
export function rawIn(root: Root, path: RawPath): string {
  return path === "" ? toRaw(root.path) : `${toRaw(root.path)}/${path}`;
}

let looked = 0;
/** Other work's turn, once in a while. */
function breathe(): Promise<void> | undefined {
  return ++looked % 500 === 0 ? new Promise((resolve) => setImmediate(resolve)) : undefined;
}

/**
 * `lstat` of a raw path; undefined where nothing is. Why the synchronous call: tens of thousands are looked at for one
 * change set, and each trip through the thread pool costs more than ten times the call itself.
 */
export async function statOf(real: string): Promise<BigIntStats | undefined> {
  await breathe();
  try {
    return lstatSync(rawBytes(real), { bigint: true, throwIfNoEntry: false });
  } catch (error) {
    if (error instanceof Error && "code" in error && ABSENT.has(String(error.code))) return undefined;
    throw error;
  }
}

function typeOf(of: Pick<BigIntStats, "isFile" | "isDirectory" | "isSymbolicLink">): NodeType {
  if (of.isFile()) return "file";
  if (of.isDirectory()) return "folder";
  return of.isSymbolicLink() ? "link" : "special";
}

async function layersOf(roots: readonly Root[], steps: readonly string[]): Promise<Layer[][]> {
  const opaque = await Promise.all(steps.map(readOpaque));
  return roots.map((root, index) => {
    const uppers = steps.map((step, n): Layer => {
      const hidden = opaque[n]?.[index] ?? new Set<RawPath>();
      return { base: toRaw(upperOf(step, index)), opaque: hidden, hides: byFolder([...hidden]), bottom: false };
    });
    return [...uppers.toReversed(), { base: toRaw(root.path), opaque: new Set(), hides: new Map(), bottom: true }];
  });
}

/** What a change set deletes, by root: names by folder. Its layer need not have whiteouts. */
function goneOf(roots: readonly Root[], over: ChangeSet | undefined): ReadonlyMap<RawPath, ReadonlySet<RawPath>>[] {
  const deleted = over?.changes.filter((c) => c.op === "delete") ?? [];
  return roots.map((_, index) => byFolder(deleted.flatMap((c) => (c.root === index ? [c.path] : []))));
}

/**
 * Opens the roots with kept layers over them (step folders, oldest first). `over`: a change set that would land, as the
 * newest layer of all, its deletions taken from its list. Short-lived: `find` remembers the folders that it met.
 */
export async function openTree(roots: readonly Root[], kept: readonly string[], over?: ChangeSet): Promise<Tree> {
  const layers = await layersOf(roots, over === undefined ? kept : [...kept, over.stepFolder]);
  const gone = goneOf(roots, over);
  const layer = (root: number, index: number): Layer => {
    const found = layers[root]?.[index];
    if (found === undefined) throw new Error(`no layer ${index} of root ${root}`);
    return found;
  };

  async function place(root: number, path: RawPath, from: readonly Place[]): Promise<Node | undefined> {
    const places: Place[] = [];
    let top: BigIntStats | undefined;
    for (const { real, layer: index } of from) {
      const at = layer(root, index);
      const stat = await statOf(real);
      if (stat === undefined) {
        // Deleted, where the layer's file system takes no whiteouts.
        if (at.opaque.has(path)) break;
        continue;
      }
      if (!at.bottom && stat.isCharacterDevice() && stat.rdev === 0n) break;
      if (top !== undefined && !stat.isDirectory()) break;
      top ??= stat;
      places.push({ real, layer: index });
      if (!stat.isDirectory() || at.opaque.has(path)) break;
    }
    return top === undefined ? undefined : { root, path, type: typeOf(top), stat: top, places };
  }

  const folders = new Map<string, Promise<Node | undefined>>();
  /** Why remembered: thousands of changes lie in few folders. */
  function folderOf(root: number, path: RawPath): Promise<Node | undefined> {
    const key = `${root}:${path}`;
    const found = folders.get(key) ?? tree.find(root, path);
    folders.set(key, found);
    return found;
  }

  const tree: Tree = {
    root: (index) =>
      place(
        index,
        "",
        (layers[index] ?? []).map((l, n) => ({ real: l.base, layer: n })),
      ),
    child: async (folder, name) => {
      if (folder.type !== "folder") return undefined;
      if (gone[folder.root]?.get(folder.path)?.has(name) === true) return undefined;
      const from = folder.places.map((p) => ({ real: `${p.real}/${name}`, layer: p.layer }));
      return place(folder.root, joinRaw(folder.path, name), from);
    },
    find: async (root, path) => {
      if (path === "") return tree.root(root);
      const [folder, name] = splitRaw(path);
      const parent = await folderOf(root, folder);
      return parent === undefined ? undefined : tree.child(parent, name);
    },
    names: async (folder) => {
      const taken = gone[folder.root]?.get(folder.path) ?? [];
      const seen = new Map<RawPath, NodeType | undefined>([...taken].map((name) => [name, undefined]));
      for (const { real, layer: index } of folder.places) {
        const at = layer(folder.root, index);
        await addNames(seen, real, at);
        for (const name of at.hides.get(folder.path) ?? []) if (!seen.has(name)) seen.set(name, undefined);
      }
      return [...seen].flatMap(([name, type]) => (type === undefined ? [] : [[name, type] as const])).toSorted(byName);
    },
  };
  return tree;
}

function byName(a: readonly [RawPath, NodeType], b: readonly [RawPath, NodeType]): number {
  return a[0] < b[0] ? -1 : 1;
}

/** Adds the names of one layer's folder that no newer layer decided; undefined stands for "taken away". */
async function addNames(seen: Map<RawPath, NodeType | undefined>, real: string, layer: Layer): Promise<void> {
  for (const entry of await readdir(rawBytes(real), { withFileTypes: true, encoding: "buffer" })) {
    const name = entry.name.toString("latin1");
    if (seen.has(name)) continue;
    seen.set(name, (await isWhiteout(entry, `${real}/${name}`, layer)) ? undefined : typeOf(entry));
  }
}

async function isWhiteout(entry: Dirent<Buffer>, real: string, layer: Layer): Promise<boolean> {
  if (layer.bottom || !entry.isCharacterDevice()) return false;
  return (await statOf(real))?.rdev === 0n;
}
