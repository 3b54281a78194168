import { type BigIntStats, chmodSync, lstatSync, mkdirSync, rmSync, writeFileSync } from "node:fs";
import { rawBytes, type RawPath } from "../util/bytes.ts";
import { breathe } from "../workspace/fingerprint.ts";
import { joinRaw, type Node, splitRaw, type Tree } from "../workspace/tree.ts";
import { EntryCopier, owned } from "./entry.ts";
import { removeRaw } from "./remove.ts";

/** What a clone holds at a name: of which state of the original, and how the copy was left. */
export interface Known {
  folder: boolean;
  source: string;
  mine: string;
  children: Map<RawPath, Known>;
}

/** Entries that are not copied: a place holder stands for them, over which the original (or nothing) is mounted. */
export type LeftOut = ReadonlySet<RawPath>;

export interface CloneDeps {
  copier: EntryCopier;
  /** Called for each entry that is copied; throws when the clone gets too large. */
  count(bytes: number): void;
}

/** A file takes whole blocks. */
const BLOCK = 4096;
const GONE = new Set(["ENOENT", "ENOTDIR", "ELOOP"]);
export const codeOf = (error: unknown): string => (error instanceof Error && "code" in error ? String(error.code) : "");

/** State of an entry of the person's or of a kept layer. */
function sourcePrint(stat: BigIntStats): string {
  return `${stat.dev} ${stat.ino} ${stat.ctimeNs} ${stat.mode}`;
}

/** State of an entry of the clone; of a folder what is its own, not what lies in it. ctime can't be set back. */
export function minePrint(stat: BigIntStats): string {
  if (stat.isDirectory()) return `${stat.mode} ${stat.uid} ${stat.gid}`;
  return `${stat.ino} ${stat.ctimeNs} ${stat.mode}`;
}

/**
 * A copy of one root with the kept layers over it, brought up to date again and again: what is as it was last time is not
 * copied anew. `at` is a raw absolute path of a folder that nobody else writes.
 */
export class Clone {
  readonly at: RawPath;
  readonly known: Known = { folder: true, source: "", mine: "", children: new Map() };
  /** What it took on the disk when it was last brought up to date, or more. */
  bytes = 0;
  /** Entries that can't be read, relative: to be shown from the original. */
  readonly unreadable = new Set<RawPath>();
  readonly #deps: CloneDeps;
  #seen = 0;
  /** Names of one file, by its original. */
  #links = new Map<string, { path: RawPath; all: Known[] }>();

  constructor(at: RawPath, deps: CloneDeps) {
    this.at = at;
    this.#deps = deps;
    mkdirSync(rawBytes(at), { mode: 0o700 });
  }

  place(path: RawPath): RawPath {
    return path === "" ? this.at : `${this.at}/${path}`;
  }

  /** Makes it equal to the root as `tree` shows it now. What somebody changes meanwhile is newer than the step's marker, and so late. */
  async sync(tree: Tree, root: Node, leftOut: LeftOut): Promise<void> {
    this.#links = new Map();
    this.bytes = 0;
    await this.#folder(tree, root, this.known, leftOut);
    for (const { path, all } of this.#links.values()) {
      const mine = minePrint(lstatSync(rawBytes(this.place(path)), { bigint: true }));
      for (const known of all) known.mine = mine;
    }
  }

  async #folder(tree: Tree, node: Node, known: Known, leftOut: LeftOut): Promise<void> {
    const at = rawBytes(this.place(node.path));
    const names = new Set<RawPath>();
    if ((lstatSync(at).mode & 0o700) !== 0o700) chmodSync(at, 0o700);
    let changed = known.source !== sourcePrint(node.stat);
    for (const child of await this.#children(tree, node)) {
      const name = splitRaw(child.path)[1];
      names.add(name);
      if (await this.#entry(tree, child, name, known, leftOut)) changed = true;
    }
    for (const name of known.children.keys()) {
      if (names.has(name)) continue;
      await this.#remove(joinRaw(node.path, name));
      known.children.delete(name);
      changed = true;
    }
    known.source = sourcePrint(node.stat);
    if (changed) owned(this.place(node.path), node.stat);
    else chmodSync(at, Number(node.stat.mode) & 0o7777);
    known.mine = minePrint(lstatSync(at, { bigint: true }));
  }

  /** None of a folder that can't be looked into: it is shown from the original. Sockets can't be copied, and should not be reached. */
  async #children(tree: Tree, node: Node): Promise<Node[]> {
    const found: Node[] = [];
    try {
      for (const [name] of await tree.names(node)) {
        const child = await tree.child(node, name);
        if (child !== undefined && !child.stat.isSocket()) found.push(child);
      }
      this.unreadable.delete(node.path);
      return found;
    } catch (error) {
      if (codeOf(error) === "EACCES") this.unreadable.add(node.path);
      else if (!GONE.has(codeOf(error))) throw error;
      return [];
    }
  }

  /** True when something was copied. */
  async #entry(tree: Tree, node: Node, name: RawPath, parent: Known, leftOut: LeftOut): Promise<boolean> {
    if (++this.#seen % 100 === 0) await breathe();
    const { path, stat } = node;
    this.bytes += BLOCK + Number(stat.size);
    const print = leftOut.has(path) ? `left out ${stat.isDirectory()}` : sourcePrint(stat);
    const old = parent.children.get(name);
    if (old?.folder === true && stat.isDirectory() && !leftOut.has(path)) {
      await this.#folder(tree, node, old, leftOut);
      return false;
    }
    if (old !== undefined && old.source === print) return false;
    if (old !== undefined) await this.#remove(path);
    parent.children.delete(name);
    this.unreadable.delete(path);
    const known: Known = { folder: false, source: print, mine: "", children: new Map() };
    if (!(await this.#copy(tree, node, known, leftOut))) return false;
    parent.children.set(name, known);
    return true;
  }

  /** False where the original has gone. */
  async #copy(tree: Tree, node: Node, known: Known, leftOut: LeftOut): Promise<boolean> {
    const { path, stat } = node;
    const [target, real] = [this.place(path), node.places[0]?.real];
    if (real === undefined) return false;
    this.#deps.count(stat.isFile() && !leftOut.has(path) ? Number(stat.size) : 0);
    if (stat.isDirectory()) {
      this.#deps.copier.folder(target);
      known.folder = true;
      if (!leftOut.has(path)) {
        await this.#folder(tree, node, known, leftOut);
        return true;
      }
    } else {
      try {
        if (leftOut.has(path)) writeFileSync(rawBytes(target), "");
        else if (!(await this.#content(node, known, real, target))) return true;
      } catch (error) {
        if (!GONE.has(codeOf(error))) throw error;
        return false;
      }
      owned(target, stat);
    }
    known.mine = minePrint(lstatSync(rawBytes(target), { bigint: true }));
    return true;
  }

  /** False where the copy is one more name of a file that is there with all that belongs to it. */
  async #content({ path, stat }: Node, known: Known, real: RawPath, target: RawPath): Promise<boolean> {
    const { copier } = this.#deps;
    if (stat.isSymbolicLink()) copier.link(real, target);
    else if (stat.isFIFO()) await copier.fifo(target);
    else if (!stat.isFile()) {
      // A device can't be copied: it is shown as it is, read-only.
      this.unreadable.add(path);
      writeFileSync(rawBytes(target), "");
    } else {
      const key = stat.nlink > 1n ? `${stat.dev} ${stat.ino}` : undefined;
      const first = key === undefined ? undefined : this.#links.get(key);
      if (first !== undefined) {
        copier.hardLink(this.place(first.path), target);
        first.all.push(known);
        return false;
      }
      this.#file(path, real, target);
      if (key !== undefined) this.#links.set(key, { path, all: [known] });
    }
    return true;
  }

  #file(path: RawPath, real: RawPath, target: RawPath): void {
    try {
      this.#deps.copier.file(real, target);
    } catch (error) {
      if (!["EACCES", "EPERM"].includes(codeOf(error))) throw error;
      this.unreadable.add(path);
      rmSync(rawBytes(target), { force: true });
      writeFileSync(rawBytes(target), "");
    }
  }

  async #remove(path: RawPath): Promise<void> {
    for (const name of this.unreadable) if (name === path || name.startsWith(`${path}/`)) this.unreadable.delete(name);
    await removeRaw(this.place(path));
  }
}
