import { toRaw, type RawPath } from "../util/bytes.ts";
import { type Change, type ChangeSet, upperOf } from "./change.ts";
import { breathe, fingerprint } from "./fingerprint.ts";
import { makeFolders } from "./journal.ts";
import { copier } from "./land-copy.ts";
import { codeOf, type Disk } from "./land-disk.ts";
import { hide } from "./opaque.ts";
import { parentsOf } from "./parents.ts";
import type { ModeOf } from "./pending-lift.ts";
import type { Node, Tree } from "./tree.ts";

/** Makes one whiteout (a device 0/0, overlay's mark of a deletion) at a free path of the state folder; throws where the file system takes none. */
export type MakeWhiteout = (at: string) => Promise<void>;

/** Lays changes out as a layer: new content linked from where it lies, deletions as marks, folders on the way as they are seen. */
export class LayOut {
  readonly #disk: Disk;
  readonly #stepFolder: string;
  readonly #tree: Tree;
  readonly #make: MakeWhiteout | undefined;
  readonly #modeOf: ModeOf;
  readonly #modes: [RawPath, number][] = [];
  readonly #hidden: { root: number; path: RawPath }[] = [];
  #mark: { at: RawPath | undefined } | undefined;
  #count = 0;

  /** `disk`: guarded, for the state folder. `tree`: what the content and the folders' modes are taken from. */
  constructor(disk: Disk, stepFolder: string, tree: Tree, make: MakeWhiteout | undefined, modeOf?: ModeOf) {
    this.#modeOf = modeOf ?? ((_real, mode) => mode);
    this.#disk = disk;
    this.#stepFolder = stepFolder;
    this.#tree = tree;
    this.#make = make;
  }

  /** Every root has a layer, empty where nothing of it changed; with `own` its folder looks as the root does. */
  async uppers(roots: number, own: boolean): Promise<void> {
    for (let root = 0; root < roots; root++) {
      const at = toRaw(upperOf(this.#stepFolder, root));
      makeFolders(this.#disk, at);
      const node = own ? await this.#tree.root(root) : undefined;
      if (node === undefined) continue;
      this.#own(node, at);
      // Ours to write into until all is in it.
      this.#modes.push([at, Number(node.stat.mode) & 0o7777]);
    }
  }

  async all(changes: readonly Change[]): Promise<void> {
    for (const change of changes) {
      if (++this.#count % 100 === 0) await breathe();
      await this.#parents(change.root, change.path);
      if (change.op === "delete") await this.delete(change);
      else await this.#bring(change);
    }
    await this.finish();
  }

  /** A mark that hides what is below; where none can be made, the sidecar says so. */
  async delete({ root, path }: { root: number; path: RawPath }): Promise<void> {
    await this.#parents(root, path);
    const at = this.#at(root, path);
    if (this.#disk.lstat(at) !== undefined) return;
    const mark = await this.#whiteout();
    if (mark === undefined) this.#hidden.push({ root, path });
    else this.#disk.link(mark, at);
  }

  /** Folders get their modes when all is in them. */
  async finish(): Promise<void> {
    for (const [path, mode] of this.#modes.toReversed()) this.#disk.chmod(path, mode);
    if (this.#mark?.at !== undefined) this.#disk.unlink(this.#mark.at);
    this.#mark = undefined;
    await hide(this.#disk, this.#stepFolder, this.#hidden);
  }

  #at(root: number, path: RawPath): RawPath {
    return `${toRaw(upperOf(this.#stepFolder, root))}/${path}`;
  }

  async #whiteout(): Promise<RawPath | undefined> {
    const path = `${this.#stepFolder}/whiteout`;
    if (this.#mark === undefined) {
      if (this.#disk.lstat(toRaw(path)) !== undefined) this.#disk.unlink(toRaw(path));
      const made = this.#make === undefined ? false : await succeeded(this.#make(path));
      this.#mark = { at: made ? toRaw(path) : undefined };
    }
    return this.#mark.at;
  }

  async #bring({ root, path, tree }: Change): Promise<void> {
    const node = await this.#tree.find(root, path);
    if (node === undefined) throw new Error(`${path} is in none of the layers`);
    await this.#put(node, tree !== undefined);
  }

  async #put(node: Node, whole: boolean): Promise<void> {
    const at = this.#at(node.root, node.path);
    const known = this.#disk.lstat(at);
    if (node.type !== "folder") {
      if (known === undefined) await this.#link(node.places[0]?.real ?? "", at);
      return;
    }
    if (known === undefined) this.#folder(node, at);
    if (!whole) return;
    for (const [name] of await this.#tree.names(node)) {
      if (++this.#count % 100 === 0) await breathe();
      const child = await this.#tree.child(node, name);
      if (child !== undefined && !child.stat.isSocket()) await this.#put(child, true);
    }
  }

  /** The same file under a second name: the old layer goes soon. Else a copy. */
  async #link(from: RawPath, to: RawPath): Promise<void> {
    try {
      this.#disk.link(from, to);
    } catch (error) {
      if (!["EXDEV", "EPERM", "EMLINK", "EACCES"].includes(codeOf(error))) throw error;
      await copier(this.#disk, true).copy(from, to);
    }
  }

  #folder(node: Node, at: RawPath): void {
    const { mode } = node.stat;
    this.#disk.mkdir(at, 0o700);
    this.#own(node, at);
    this.#modes.push([at, this.#modeOf(node.places[0]?.real ?? "", Number(mode) & 0o7777)]);
  }

  #own({ stat: { uid, gid } }: Node, at: RawPath): void {
    const mine = this.#disk.lstat(at);
    if (mine?.uid === 0n && (uid !== 0n || gid !== mine.gid)) this.#disk.chown(at, Number(uid), Number(gid));
  }

  /** Folders on the way have the modes that are seen, since a layer's folder stands for those below it. */
  async #parents(root: number, path: RawPath): Promise<void> {
    makeFolders(this.#disk, toRaw(upperOf(this.#stepFolder, root)));
    for (const parent of parentsOf(path)) {
      const at = this.#at(root, parent);
      if (this.#disk.lstat(at) !== undefined) continue;
      const node = await this.#tree.find(root, parent);
      if (node?.type === "folder") this.#folder(node, at);
      else this.#disk.mkdir(at, 0o755);
    }
  }
}

function succeeded(work: Promise<void>): Promise<boolean> {
  return work.then(
    () => true,
    () => false,
  );
}

/** Where a change's content lies in a layer has its own fingerprint: of a link the same, of a copy another. */
export function printed(disk: Disk, set: Pick<ChangeSet, "stepFolder">, change: Change): Change {
  if (change.after === undefined) return change;
  const after = fingerprint(disk, `${toRaw(upperOf(set.stepFolder, change.root))}/${change.path}`);
  return after === undefined ? change : { ...change, after: { ...after, mode: change.after.mode } };
}
