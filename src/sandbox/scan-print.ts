import { type BigIntStats, lstatSync, readdirSync, readlinkSync } from "node:fs";
import { rawBytes, type RawPath } from "../util/bytes.ts";
import type { Change, Fingerprint } from "../workspace/change.ts";
import { breathe, fingerprintOf } from "../workspace/fingerprint.ts";
import type { Node, Tree } from "../workspace/tree.ts";
import type { Lifted } from "./lift.ts";
import type { UpperLayer } from "./upper.ts";

/** How overlay says "deleted here". */
export function isWhiteout(stat: BigIntStats): boolean {
  return stat.isCharacterDevice() && stat.rdev === 0n;
}

interface PrintParts {
  upper: UpperLayer;
  lifted: Lifted;
  /** ctime of the step's marker. */
  since: bigint;
  /** Index of the person's own folder among a node's places. */
  bottom: number;
}

/** Fingerprints of both sides. */
export class Print {
  readonly #parts: PrintParts;

  constructor(parts: PrintParts) {
    this.#parts = parts;
  }

  before(old: Node): Fingerprint {
    const print = fingerprintOf(old.stat);
    const real = old.places[0]?.real;
    return print.type === "link" && real !== undefined ? { ...print, target: target(real) } : print;
  }

  after(path: RawPath, stat: BigIntStats): Fingerprint {
    const print = fingerprintOf(stat);
    const { upper, lifted } = this.#parts;
    if (!lifted.none) print.mode = lifted.modeOf(upper.at(path), print.mode);
    if (print.type === "link") print.target = target(upper.at(path));
    return print;
  }

  /** Changed in the person's own folder since the step began; >=, since clocks are coarse. */
  isLate(stat: BigIntStats): boolean {
    return stat.ctimeNs >= this.#parts.since;
  }

  late(old: Node): { late?: true } {
    return old.places[0]?.layer === this.#parts.bottom && this.isLate(old.stat) ? { late: true } : {};
  }

  bottomOf(old: Node): RawPath | undefined {
    const place = old.places[0];
    return old.places.length === 1 && place?.layer === this.#parts.bottom ? place.real : undefined;
  }

  /** Entries whose permissions were widened for the scan have another ctime now. */
  afterRestore(changes: readonly Change[]): readonly Change[] {
    const { upper, lifted } = this.#parts;
    if (lifted.none) return changes;
    return changes.map((change) => {
      const ctime = lifted.ctimeOf(upper.at(change.path));
      if (change.after === undefined || ctime === undefined) return change;
      return { ...change, after: { ...change.after, ctime } };
    });
  }
}

function target(real: RawPath): string {
  return readlinkSync(rawBytes(real), { encoding: "latin1" });
}

interface Below {
  files: number;
  bytes: number;
  /** Something in it was changed by somebody else since the step began. */
  late: boolean;
}

/** What lies below a folder of the lower layers. What can't be read can't be counted. */
export async function below(tree: Tree, folder: Node, print: Print): Promise<Below> {
  const sum: Below = { files: 0, bytes: 0, late: false };
  let seen = 0;
  const real = print.bottomOf(folder);
  if (real === undefined) await layered(folder);
  else await plain(real, folder.stat);
  return sum;

  function add(stat: BigIntStats, own: boolean): void {
    if (own && print.isLate(stat)) sum.late = true;
    if (stat.isDirectory()) return;
    sum.files += 1;
    sum.bytes += Number(stat.size);
  }

  async function layered(node: Node): Promise<void> {
    add(node.stat, print.late(node).late === true);
    if (node.type !== "folder") return;
    for (const [name] of await tree.names(node)) {
      const child = await tree.child(node, name);
      if (child !== undefined) await layered(child);
    }
  }

  async function plain(at: RawPath, stat: BigIntStats): Promise<void> {
    add(stat, true);
    if (!stat.isDirectory()) return;
    for (const name of namesOf(at)) {
      if (++seen % 500 === 0) await breathe();
      const path = `${at}/${name}`;
      const child = statIn(path);
      if (child !== undefined) await plain(path, child);
    }
  }
}

function statIn(path: RawPath): BigIntStats | undefined {
  try {
    return lstatSync(rawBytes(path), { bigint: true });
  } catch {
    return undefined;
  }
}

function namesOf(at: RawPath): string[] {
  try {
    return readdirSync(rawBytes(at), { encoding: "buffer" }).map((name) => name.toString("latin1"));
  } catch {
    return [];
  }
}
