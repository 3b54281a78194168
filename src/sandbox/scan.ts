import type { BigIntStats } from "node:fs";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { Root } from "../events/event.ts";
import { toRaw, type RawPath } from "../util/bytes.ts";
import { type Change, type ChangeSet, type Fingerprint, upperOf } from "../workspace/change.ts";
import { breathe } from "../workspace/fingerprint.ts";
import { OPAQUE_FILE, opaqueJson } from "../workspace/opaque.ts";
import { listedFolder } from "../workspace/regenerable.ts";
import { byFolder, joinRaw, type Node, openTree, type Tree } from "../workspace/tree.ts";
import { Lifted } from "./lift.ts";
import { findOpaque } from "./opaque.ts";
import { addHashes, pairRenames } from "./scan-hash.ts";
import { below, isWhiteout, Print } from "./scan-print.ts";
import { UpperLayer } from "./upper.ts";

export interface ScanOptions {
  operationId: string;
  stepFolder: string;
  since: string;
  roots: readonly Root[];
  /** Kept layers under the step, oldest first. */
  layers: readonly string[];
  /** Reads the layer's marks of folders that hide what is below; absent for a layer that has none. */
  tar?: string;
  /** The layer's marks are those of a mount by uid 0. */
  root: boolean;
  /** By root: the mode that its own folder had when the step began; another one now is a change. Absent for a layer that is still mounted. */
  rootModes?: readonly number[];
  /** By root: deleted, although the layer has no mark for it. */
  gone?: readonly (readonly RawPath[])[];
}

/**
 * What a step's upper layers would change, compared with the roots as they are now with the kept layers over them.
 * The layers must not be mounted any more. Exact: a changed mtime or a copy with equal bytes is no change (W2). Writes the
 * list of opaque folders into the step folder for later views. Sockets that a command left behind are no change: nothing
 * could be done with them.
 */
export async function scan(options: ScanOptions): Promise<ChangeSet> {
  const { operationId, stepFolder, since, roots, layers } = options;
  const tree = await openTree(roots, layers);
  const changes: Change[] = [];
  const opaque: RawPath[][] = [];
  for (const index of roots.keys()) {
    const lifted = new Lifted(!options.root);
    const upper = new UpperLayer(toRaw(upperOf(stepFolder, index)), lifted);
    const print = new Print({ upper, lifted, since: BigInt(since), bottom: layers.length });
    const found: Change[] = [];
    const root = await tree.root(index);
    if (root === undefined) throw new Error(`${roots[index]?.path} is gone`);
    try {
      const mode = ownMode(upper, lifted, options.rootModes?.[index]);
      if (mode !== undefined) found.push(modeOfRoot(index, print.before(root), mode));
      const marks =
        options.tar === undefined
          ? new Set<RawPath>()
          : await findOpaque(
              options.tar,
              upperOf(stepFolder, index),
              await candidates(upper, tree, root),
              options.root,
            );
      opaque.push([...marks]);
      const gone = byFolder(options.gone?.[index] ?? []);
      await new Walk({ root: index, upper, tree, print, marks, gone, found }).shared(root, false);
      pairRenames(await addHashes(found, index, upper, tree));
    } finally {
      lifted.restore();
    }
    // One by one: a call takes only so many arguments.
    for (const change of print.afterRestore(found)) changes.push(change);
  }
  if (opaque.some((list) => list.length > 0)) await writeFile(join(stepFolder, OPAQUE_FILE), opaqueJson(opaque));
  return { operationId, stepFolder, since, changes };
}

/**
 * The mode of a layer's own folder where the step gave it another than it began with. The folder is made readable: for good where it is
 * known what it was, since nothing goes by it any more.
 */
function ownMode(upper: UpperLayer, lifted: Lifted, began: number | undefined): number | undefined {
  const mode = upper.ownMode();
  if (began === undefined) lifted.lift(upper.at(""), mode, 0o700);
  else upper.open();
  return began === undefined || mode === began ? undefined : mode;
}

/** The door takes it only if the person's folder still has the mode that it had. */
function modeOfRoot(root: number, before: Fingerprint, mode: number): Change {
  return { root, path: "", op: "chmod", before, after: { ...before, mode } };
}

/** Folders of the layer that could be opaque and matter: those that share a parent with the lower layers. */
async function candidates(upper: UpperLayer, tree: Tree, root: Node): Promise<RawPath[]> {
  const found: RawPath[] = [];
  const look = async (folder: Node): Promise<void> => {
    for (const name of upper.folders(folder.path)) {
      const path = joinRaw(folder.path, name);
      found.push(path);
      const lower = await lowerChild(tree, folder, name);
      if (lower !== "hidden" && lower?.type === "folder") await look(lower);
    }
  };
  await look(root);
  return found;
}

/** An entry of the lower layers; "hidden" where they can't be looked into. */
async function lowerChild(tree: Tree, folder: Node, name: RawPath): Promise<Node | "hidden" | undefined> {
  try {
    return await tree.child(folder, name);
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "EACCES") return "hidden";
    throw error;
  }
}

interface WalkParts {
  root: number;
  upper: UpperLayer;
  tree: Tree;
  print: Print;
  marks: ReadonlySet<RawPath>;
  gone: ReadonlyMap<RawPath, ReadonlySet<RawPath>>;
  found: Change[];
}

/** One walk through the upper layer of a root. */
class Walk {
  readonly #parts: WalkParts;
  #seen = 0;

  constructor(parts: WalkParts) {
    this.#parts = parts;
  }

  #add(change: Omit<Change, "root">): void {
    this.#parts.found.push({ root: this.#parts.root, ...change });
  }

  /** Lets others in now and then; a promise for each entry would cost more than its look. */
  #turn(): Promise<void> | undefined {
    return ++this.#seen % 500 === 0 ? breathe() : undefined;
  }

  /** A folder that is in both; `opaque`: what the layer doesn't name in it is deleted. */
  async shared(lower: Node, opaque: boolean): Promise<void> {
    const { upper, tree, marks, gone } = this.#parts;
    const named = opaque ? new Set<RawPath>() : undefined;
    for (const [name, stat] of upper.entries(lower.path)) {
      const turn = this.#turn();
      if (turn !== undefined) await turn;
      named?.add(name);
      const path = joinRaw(lower.path, name);
      const old = await lowerChild(tree, lower, name);
      if (old === "hidden") await this.#hidden(path, stat);
      else if (isWhiteout(stat)) {
        if (old !== undefined) await this.#deleted(old);
      } else if (old?.type === "folder" && stat.isDirectory()) {
        this.#mode(path, stat, old);
        await this.shared(old, opaque || marks.has(path));
      } else if (old === undefined) await this.#created(path, stat);
      else await this.#replaced(path, stat, old);
    }
    for (const name of gone.get(lower.path) ?? []) {
      const old = await tree.child(lower, name);
      if (old !== undefined) await this.#deleted(old);
    }
    if (named === undefined) return;
    for (const [name] of await tree.names(lower)) {
      const old = named.has(name) ? undefined : await tree.child(lower, name);
      if (old !== undefined) await this.#deleted(old);
    }
  }

  /** In a folder of the person's that may not be looked into (its own user took the permission away): what the command did is all that is known. */
  async #hidden(path: RawPath, stat: BigIntStats): Promise<void> {
    if (isWhiteout(stat)) this.#add({ path, op: "delete" });
    else await this.#created(path, stat);
  }

  #mode(path: RawPath, stat: BigIntStats, old: Node): void {
    const { print } = this.#parts;
    const [before, after] = [print.before(old), print.after(path, stat)];
    if (before.mode !== after.mode) this.#add({ path, op: "chmod", before, after });
  }

  async #deleted(old: Node): Promise<void> {
    const { print, tree } = this.#parts;
    const before = print.before(old);
    if (old.type !== "folder") return this.#add({ path: old.path, op: "delete", before, ...print.late(old) });
    const { late, ...size } = await below(tree, old, print);
    this.#add({ path: old.path, op: "delete", before, tree: size, ...(late ? { late } : {}) });
  }

  /** Other bytes, another mode, another type, or nothing but another time. */
  async #replaced(path: RawPath, stat: BigIntStats, old: Node): Promise<void> {
    const { print, upper, tree } = this.#parts;
    const [before, after] = [print.before(old), print.after(path, stat)];
    const late = print.late(old);
    if (before.type === after.type) {
      if (!(await upper.sameContent(path, stat, old))) this.#add({ path, op: "modify", before, after, ...late });
      else if (before.mode !== after.mode) this.#add({ path, op: "chmod", before, after, ...late });
      return;
    }
    if (after.type === "socket") return this.#deleted(old);
    const gone = old.type === "folder" ? await below(tree, old, print) : undefined;
    const size = gone === undefined ? {} : { tree: { files: gone.files, bytes: gone.bytes } };
    this.#add({ path, op: "type", before, after, ...size, ...(gone?.late === true ? { late: true } : late) });
    if (stat.isDirectory()) await this.#children(path);
  }

  /** A promise for folders alone. */
  #created(path: RawPath, stat: BigIntStats): Promise<void> | undefined {
    if (stat.isSocket()) return undefined;
    const after = this.#parts.print.after(path, stat);
    // Regenerable output is judged and kept as a whole; everything else is looked at entry by entry.
    if (stat.isDirectory() && listedFolder(path, true) !== undefined) return this.#whole(path, after);
    this.#add({ path, op: "create", after });
    return stat.isDirectory() ? this.#children(path) : undefined;
  }

  async #whole(path: RawPath, after: Fingerprint): Promise<void> {
    this.#add({ path, op: "create", after, tree: await this.#parts.upper.sizeBelow(path) });
  }

  async #children(path: RawPath): Promise<void> {
    for (const [name, stat] of this.#parts.upper.entries(path)) {
      const turn = this.#turn();
      if (turn !== undefined) await turn;
      // A folder that took the place of another one can hold marks for names that the other one had.
      if (isWhiteout(stat)) continue;
      const below = this.#created(joinRaw(path, name), stat);
      if (below !== undefined) await below;
    }
  }
}
