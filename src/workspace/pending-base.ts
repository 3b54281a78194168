import type { BigIntStats } from "node:fs";
import { toRaw, type RawPath } from "../util/bytes.ts";
import type { Change, ChangeSet, Fingerprint } from "./change.ts";
import type { Disk } from "./land-disk.ts";
import { parentsOf } from "./parents.ts";
import { isPlain, lateIn, readSince, type Since } from "./steps.ts";

/** What was below a folder when a step deleted it: `<root>/<path>` → ctime and inode. Kept in the step's folder. */
export const DELETED_FILE = "deleted.json";

/** What a path was in the folder when the first layer that touched it was made. */
export type Base =
  | { kind: "absent" }
  /** `late`: it was changed by somebody else while the step ran. */
  | { kind: "print"; print: Fingerprint; late: boolean; of: BaseLayer }
  /** It was in a folder that was deleted or replaced whole: what is there now is told apart by its time alone. */
  | { kind: "under"; of: BaseLayer };

/** A layer and its change set. */
export class BaseLayer {
  readonly set: ChangeSet;
  readonly since: Since;
  readonly #disk: Disk;
  #deleted: ReadonlyMap<string, string> | undefined;

  constructor(disk: Disk, set: ChangeSet) {
    this.#disk = disk;
    this.set = set;
    this.since = readSince(disk, set);
  }

  /** Whether an entry of the folder is another one than when this layer took its folder away. */
  isLate(root: number, path: RawPath, stat: BigIntStats): boolean {
    if (!isPlain(this.since)) return lateIn(this.since, root, path, stat);
    return this.deleted().get(`${root}/${path}`) !== `${stat.ctimeNs} ${stat.ino}`;
  }

  private deleted(): ReadonlyMap<string, string> {
    const file = `${toRaw(this.set.stepFolder)}/${DELETED_FILE}`;
    return (this.#deleted ??= new Map(
      this.#disk.lstat(file) === undefined ? [] : entries(JSON.parse(this.#disk.read(file).toString("utf8"))),
    ));
  }
}

function entries(saved: unknown): [string, string][] {
  if (!Array.isArray(saved)) throw new Error(`${DELETED_FILE} is no list`);
  return saved.map((entry: unknown) => {
    if (!Array.isArray(entry)) throw new Error(`${DELETED_FILE} holds something else`);
    return [String(entry[0]), String(entry[1])];
  });
}

interface First {
  n: number;
  change: Change;
  of: BaseLayer;
}

/** Looks up what paths were before a stack of layers, oldest first. */
export class Bases {
  readonly #first = new Map<string, First>();

  constructor(layers: readonly BaseLayer[]) {
    for (const [n, of] of layers.entries()) {
      for (const change of of.set.changes) {
        const key = `${change.root}/${change.path}`;
        if (!this.#first.has(key)) this.#first.set(key, { n, change, of });
      }
    }
  }

  /** undefined: no layer changed the path; a copy of it in a layer has the bytes that it had. */
  of(root: number, path: RawPath): Base | undefined {
    const own = this.#first.get(`${root}/${path}`);
    let above: First | undefined;
    for (const parent of parentsOf(path)) {
      const first = this.#first.get(`${root}/${parent}`);
      if (first === undefined || !decidesBelow(first.change)) continue;
      if (above === undefined || first.n < above.n) above = first;
    }
    if (above !== undefined && (own === undefined || above.n < own.n)) {
      return above.change.before?.type === "folder" ? { kind: "under", of: above.of } : { kind: "absent" };
    }
    if (own === undefined) return undefined;
    const { before, late } = own.change;
    return before === undefined
      ? { kind: "absent" }
      : { kind: "print", print: before, late: late === true, of: own.of };
  }
}

/** The step decided what is below: it was not there, or was taken away. */
function decidesBelow({ op }: Change): boolean {
  return op === "create" || op === "delete" || op === "type";
}
