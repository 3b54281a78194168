import { createHash } from "node:crypto";
import type { RawPath } from "../util/bytes.ts";
import type { Fingerprint } from "./change.ts";
import { entryLine, fingerprint } from "./fingerprint.ts";
import type { Disk } from "./land-disk.ts";
import type { TreeList } from "./tree-list.ts";

/** What lies at a path, and where its bytes are. */
export interface Seen {
  print: Fingerprint;
  /** Raw absolute: the path itself, or what the journal keeps of it; undefined where no bytes were made yet. */
  real: RawPath | undefined;
  /** A folder that was gone comes anew: what the disk has below that name is not in it. */
  isNew?: boolean;
  /** What lies in a folder of which a copy is kept, as it was before it was copied. */
  list?: TreeList;
  /** Bytes that were put together and lie nowhere yet. */
  bytes?: Uint8Array;
}

/** The folder as it will be once some steps are taken back: what a preview looks at. Paths are raw absolute. */
export interface Sight {
  at(path: RawPath): Seen | undefined;
  /** `undefined`: nothing will lie there. A folder whose children come one by one has no `real`. */
  set(path: RawPath, seen: Seen | undefined, how?: "plain"): void;
  /** A folder goes here with nothing in it but what goes as well. */
  isPlain(path: RawPath): boolean;
  /** True where something below a path was set. */
  touched(path: RawPath): boolean;
  /** A folder at this path was set. */
  isMade(path: RawPath): boolean;
  /** Nothing lies in a folder. */
  isEmpty(path: RawPath): boolean;
  /** `treePrint`'s hash of a folder; `as` as there. */
  hashOf(path: RawPath, as: (path: RawPath, print: Fingerprint) => Fingerprint): string;
  paths(): readonly RawPath[];
}

/** The folder as it is, with nothing set. `maxHashed`: as for `fingerprint`. */
export function openSight(disk: Disk, maxHashed?: number): Sight {
  const known = new Map<RawPath, Seen | undefined>();
  const plain = new Set<RawPath>();
  /** Folder → names in it at or below which something was set. */
  const inside = new Map<RawPath, Set<RawPath>>();

  function at(path: RawPath): Seen | undefined {
    for (let end = path.length; end > 0; end = path.lastIndexOf("/", end - 1)) {
      const above = path.slice(0, end);
      if (!known.has(above)) continue;
      const seen = known.get(above);
      if (end === path.length || seen === undefined) return seen;
      // A file has nothing below it; what lies in a whole folder lies where that is kept.
      if (seen.print.type !== "folder" || seen.isNew === true) return undefined;
      if (seen.real !== undefined) return within(seen.real, seen.list, path.slice(end + 1));
    }
    return look(path);
  }

  function within(real: RawPath, list: TreeList | undefined, path: RawPath): Seen | undefined {
    const found = look(`${real}/${path}`);
    const then = list?.get(path);
    return found === undefined || then === undefined ? found : { ...found, print: { ...found.print, ...then } };
  }

  function look(real: RawPath): Seen | undefined {
    const print = fingerprint(disk, real, maxHashed);
    return print === undefined ? undefined : { print, real };
  }

  function note(path: RawPath): void {
    for (
      let end = path.lastIndexOf("/"), from = path;
      end > 0;
      from = path.slice(0, end), end = from.lastIndexOf("/")
    ) {
      const folder = path.slice(0, end);
      const name = from.slice(end + 1);
      const names = inside.get(folder);
      if (names?.has(name) === true) return;
      if (names === undefined) inside.set(folder, new Set([name]));
      else names.add(name);
    }
  }

  function names(path: RawPath): RawPath[] {
    const real = at(path)?.real;
    const all = new Set(real === undefined ? [] : disk.names(real));
    for (const name of inside.get(path) ?? []) all.add(name);
    return [...all].filter((name) => at(`${path}/${name}`) !== undefined).toSorted();
  }

  function hashOf(top: RawPath, as: (path: RawPath, print: Fingerprint) => Fingerprint): string {
    const hash = createHash("sha256");
    walk("");
    return hash.digest("hex");

    function walk(below: RawPath): void {
      for (const name of names(below === "" ? top : `${top}/${below}`)) {
        const path = below === "" ? name : `${below}/${name}`;
        const seen = at(`${top}/${path}`);
        if (seen === undefined) continue;
        hash.update(entryLine(path, as(path, seen.print)));
        if (seen.print.type === "folder") walk(path);
      }
    }
  }

  return {
    at,
    isEmpty: (path) => names(path).length === 0,
    hashOf,
    isPlain: (path) => plain.has(path),
    set: (path, seen, how) => {
      if (how === "plain") plain.add(path);
      else plain.delete(path);
      const whole = seen?.print.type !== "folder" || seen.real !== undefined;
      if (whole && how !== "plain")
        for (const below of known.keys()) if (below.startsWith(`${path}/`)) known.delete(below);
      const alone = seen?.print.type === "folder" && seen.real === undefined;
      note(path);
      known.set(path, alone && at(path) === undefined ? { ...seen, isNew: true } : seen);
    },
    touched: (path) => inside.has(path),
    isMade: (path) => known.get(path)?.print.type === "folder",
    paths: () => [...known.keys()],
  };
}
