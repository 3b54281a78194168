import { rawBytes, toRaw, type RawPath } from "../util/bytes.ts";
import { readRegularNow } from "../util/regular-file.ts";
import type { Root } from "../events/event.ts";
import { type Change, type Fingerprint, upperOf } from "./change.ts";
import { breathe, fingerprint, hashOf, sameContent, treePrint } from "./fingerprint.ts";
import { isGitIndex, indexKey, isGitLock } from "./git-unit.ts";
import { codeOf, type Disk } from "./land-disk.ts";
import type { Base, BaseLayer, Bases } from "./pending-base.ts";
import type { ModeOf } from "./pending-lift.ts";
import { listedFolder } from "./regenerable.ts";
import { joinRaw, type Node, type Tree } from "./tree.ts";

export interface NetParts {
  disk: Disk;
  roots: readonly Root[];
  layers: readonly BaseLayer[];
  /** The folder as it is now. */
  now: Tree;
  /** The same with all layers over it. */
  after: Tree;
  bases: Bases;
  /** `<root>/<folder>` → names in it that a layer hides without a mark of its own. */
  hidden: ReadonlyMap<string, ReadonlySet<RawPath>>;
  modeOf: ModeOf;
}

/** What the layers together change, against what the folder was when each path was first touched. Looks only where layers have entries. */
export async function netChanges(parts: NetParts): Promise<Change[]> {
  const changes: Change[] = [];
  for (const root of parts.roots.keys()) {
    const [after, now] = [await parts.after.root(root), await parts.now.root(root)];
    changes.push(...ownMode(parts.layers, root));
    if (after !== undefined && now !== undefined) await new NetWalk(parts, root, changes).folder(after, now);
  }
  return changes;
}

/** The mode of a root's own folder: no layer's folder tells it, its changes do. */
function ownMode(layers: readonly BaseLayer[], root: number): Change[] {
  const own = layers.flatMap(({ set }) => set.changes.filter((c) => c.root === root && c.path === ""));
  const [before, after] = [own[0]?.before, own.at(-1)?.after];
  if (before === undefined || after === undefined || before.mode === after.mode) return [];
  return [{ root, path: "", op: "chmod", before, after }];
}

class NetWalk {
  readonly #parts: NetParts;
  readonly #root: number;
  readonly #out: Change[];
  #seen = 0;

  constructor(parts: NetParts, root: number, out: Change[]) {
    this.#parts = parts;
    this.#root = root;
    this.#out = out;
  }

  #add(change: Omit<Change, "root">): void {
    this.#out.push({ root: this.#root, ...change });
  }

  /** A folder of the merged view; `now`: the folder's own one of that name, if any. */
  async folder(after: Node, now: Node | undefined): Promise<void> {
    const { after: afterTree, now: nowTree } = this.#parts;
    const names = this.#layerNames(after.path);
    const merged = after.places.some((place) => place.layer === this.#parts.layers.length);
    // What the layers hide without naming it.
    if (!merged && now !== undefined) for (const [name] of await nowTree.names(now)) names.add(name);
    for (const name of [...names].toSorted()) {
      if (++this.#seen % 200 === 0) await breathe();
      const path = joinRaw(after.path, name);
      const [a, b] = [
        await afterTree.child(after, name),
        now === undefined ? undefined : await nowTree.child(now, name),
      ];
      await this.#entry(path, a, b, this.#parts.bases.of(this.#root, path));
    }
  }

  #layerNames(path: RawPath): Set<RawPath> {
    const { disk, layers, hidden } = this.#parts;
    const names = new Set<RawPath>(hidden.get(`${this.#root}/${path}`));
    for (const layer of layers) {
      const at = [toRaw(upperOf(layer.set.stepFolder, this.#root)), path].filter((p) => p !== "").join("/");
      if (disk.lstat(at)?.isDirectory() === true) for (const name of disk.names(at)) names.add(name);
    }
    return names;
  }

  async #entry(path: RawPath, a: Node | undefined, b: Node | undefined, base: Base | undefined): Promise<void> {
    const root = this.#parts.roots[this.#root];
    if (root !== undefined && isGitLock(root, path)) return;
    if (a === undefined) return b === undefined || base === undefined ? undefined : this.#deleted(path, b, base);
    if (a.stat.isSocket()) return;
    if (b !== undefined && a.places[0]?.real === b.places[0]?.real) return;
    if (a.type === "folder" && (b === undefined || b.type === "folder")) return this.#both(path, a, b, base);
    // No layer changed it: a copy of what was there, which hides what somebody made of it since.
    if (base === undefined) return;
    if (b === undefined) return this.#gone(path, a, base);
    await this.#differs(path, a, b, base);
  }

  /** The layers take away what is there now. What nobody knew of is none of theirs. */
  async #deleted(path: RawPath, b: Node, base: Base): Promise<void> {
    if (base.kind === "absent") return;
    const { before, late } = await this.#judge(path, b, base);
    if (b.type !== "folder") return this.#add({ path, op: "delete", before, ...late });
    const tree = await this.#treeOf(b);
    this.#add({ path, op: "delete", before: { ...before, hash: tree.hash }, tree: tree.size, ...late });
  }

  async #treeOf(b: Node): Promise<{ hash: string; size: { files: number; bytes: number } }> {
    const { hash, files, bytes } = await treePrint(this.#parts.disk, b.places[0]?.real ?? "");
    return { hash, size: { files, bytes } };
  }

  async #both(path: RawPath, a: Node, b: Node | undefined, base: Base | undefined): Promise<void> {
    const print = this.#print(a);
    if (b === undefined && base?.kind !== "print") {
      if (base !== undefined) {
        // Regenerable output is judged and kept as a whole, as when it is scanned.
        if (listedFolder(path, true) !== undefined)
          return this.#add({ path, op: "create", after: print, tree: await this.#sizeBelow(a) });
        this.#add({ path, op: "create", after: print });
      }
      return this.folder(a, undefined);
    }
    if (base?.kind === "print" && base.print.type !== "folder")
      this.#add({ path, op: "type", before: base.print, after: print });
    else if (base?.kind === "print" && base.print.mode !== print.mode && b !== undefined)
      this.#add({ path, op: "chmod", before: base.print, after: print });
    else if (base?.kind === "under" && b !== undefined && this.#print(b).mode !== print.mode)
      this.#add({ path, op: "chmod", before: this.#print(b), after: print });
    await this.folder(a, b);
  }

  /** It is not in the folder any more, or never was. */
  async #gone(path: RawPath, a: Node, base: Base): Promise<void> {
    const after = this.#print(a);
    if (base.kind !== "print") return this.#add({ path, op: "create", after });
    if (base.print.type === after.type && base.print.mode === after.mode && sameBytes(base.print, after)) return;
    const op = base.print.type === after.type ? "modify" : "type";
    this.#add({ path, op, before: base.print, after });
  }

  async #differs(path: RawPath, a: Node, b: Node, base: Base): Promise<void> {
    const [after, is] = [this.#print(a), this.#print(b)];
    const same = after.type === is.type && this.#equal(a, b, after, is);
    if (same && after.mode === is.mode) return;
    if (base.kind === "absent") {
      this.#add({ path, op: "create", after });
      if (a.type === "folder") await this.folder(a, undefined);
      return;
    }
    const { before, late } = await this.#judge(path, b, base);
    if (same) return this.#add({ path, op: "chmod", before, after, ...late });
    if (after.type === before.type) return this.#add({ path, op: "modify", before, after, ...late });
    const tree = b.type === "folder" ? await this.#treeOf(b) : undefined;
    const whole = tree === undefined ? before : { ...before, hash: tree.hash };
    this.#add({ path, op: "type", before: whole, after, ...(tree === undefined ? {} : { tree: tree.size }), ...late });
    if (a.type === "folder") await this.folder(a, undefined);
  }

  /** What a change takes away, and whether somebody changed that since it was first touched. */
  async #judge(
    path: RawPath,
    b: Node,
    base: Exclude<Base, { kind: "absent" }>,
  ): Promise<{ before: Fingerprint; late: { late?: true } }> {
    const is = this.#print(b);
    const late = { late: true } as const;
    if (b.type === "folder") {
      const other = base.kind === "print" && base.print.type !== "folder";
      return { before: is, late: other || (await this.#anyLate(path, b, base)) ? late : {} };
    }
    if (base.kind === "under") return { before: is, late: base.of.isLate(this.#root, path, b.stat) ? late : {} };
    const same = !base.late && sameContent(is, base.print) && is.mode === base.print.mode;
    if (same || this.#sameIndex(path, b, base)) return { before: is, late: {} };
    // Told apart by its fingerprint whenever it is looked at again: a person may take the change back.
    return { before: base.print, late: base.late ? late : {} };
  }

  async #anyLate(path: RawPath, b: Node, base: Exclude<Base, { kind: "absent" }>): Promise<boolean> {
    if (base.kind === "print" && base.late) return true;
    const real = b.places[0]?.real ?? "";
    if (base.kind === "print" && base.print.hash !== undefined && base.print.hash === (await this.#treeOf(b)).hash)
      return false;
    let late = false;
    await treePrint(this.#parts.disk, real, (below, stat) => {
      late ||= base.of.isLate(this.#root, `${path}/${below}`, stat);
    });
    return late;
  }

  /** Rewritten since, but saying the same: an editor ran `git status` (SANDBOX H15). */
  #sameIndex(path: RawPath, b: Node, base: Extract<Base, { kind: "print" }>): boolean {
    const root = this.#parts.roots[this.#root];
    if (root === undefined || !isGitIndex(root, path) || b.type !== "file") return false;
    const key = base.of.since.indexKeys.get(`${this.#root}/${path}`);
    return key !== undefined && key === indexKey(readRegularNow(rawBytes(b.places[0]?.real ?? "")));
  }

  #print(node: Node): Fingerprint {
    const real = node.places[0]?.real ?? "";
    const print = fingerprint(this.#parts.disk, real);
    if (print === undefined) throw new Error(`${node.path} went away while it was looked at`);
    return print.type === "folder" ? { ...print, mode: this.#parts.modeOf(real, print.mode) } : print;
  }

  #equal(a: Node, b: Node, after: Fingerprint, is: Fingerprint): boolean {
    if (after.type === "link") return after.target === is.target;
    if (after.type !== "file") return after.type === "folder" || a.stat.rdev === b.stat.rdev;
    if (after.size !== is.size) return false;
    if (after.hash !== undefined && is.hash !== undefined) return after.hash === is.hash;
    const [mine, theirs] = [this.#hash(a), this.#hash(b)];
    return mine !== undefined && mine === theirs;
  }

  #hash(node: Node): string | undefined {
    try {
      return hashOf(this.#parts.disk.read(node.places[0]?.real ?? ""));
    } catch (error) {
      if (codeOf(error) === "EACCES") return undefined;
      throw error;
    }
  }

  async #sizeBelow(folder: Node): Promise<{ files: number; bytes: number }> {
    const sum = { files: 0, bytes: 0 };
    const { after } = this.#parts;
    for (const [name] of await after.names(folder)) {
      const node = await after.child(folder, name);
      if (node === undefined) continue;
      const part = node.type === "folder" ? await this.#sizeBelow(node) : { files: 1, bytes: Number(node.stat.size) };
      sum.files += part.files;
      sum.bytes += part.bytes;
    }
    return sum;
  }
}

function sameBytes(a: Fingerprint, b: Fingerprint): boolean {
  if (a.type === "link") return a.target === b.target;
  return a.size === b.size && a.hash !== undefined && a.hash === b.hash;
}
