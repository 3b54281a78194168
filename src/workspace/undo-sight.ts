import type { RawPath } from "../util/bytes.ts";
import type { Fingerprint } from "./change.ts";
import { fingerprint } from "./fingerprint.ts";
import type { Disk } from "./land-disk.ts";

/** What lies at a path, and where its bytes are. */
export interface Seen {
  print: Fingerprint;
  /** Raw absolute: the path itself, or what the journal keeps of it; undefined where no bytes were made yet. */
  real: RawPath | undefined;
  /** Bytes that were put together and lie nowhere yet. */
  bytes?: Uint8Array;
}

/** The folder as it will be once some steps are taken back: what a preview looks at. Paths are raw absolute. */
export interface Sight {
  at(path: RawPath): Seen | undefined;
  /** `undefined`: nothing will lie there. A folder whose children come one by one has no `real`. */
  set(path: RawPath, seen: Seen | undefined): void;
  /** True where something at or below a path was set. */
  touched(path: RawPath): boolean;
  /** A folder at this path was set. */
  isMade(path: RawPath): boolean;
  paths(): readonly RawPath[];
}

/** The folder as it is, with nothing set. */
export function openSight(disk: Disk): Sight {
  const known = new Map<RawPath, Seen | undefined>();

  function at(path: RawPath): Seen | undefined {
    for (let end = path.length; end > 0; end = path.lastIndexOf("/", end - 1)) {
      const above = path.slice(0, end);
      if (!known.has(above)) continue;
      const seen = known.get(above);
      if (end === path.length || seen === undefined) return seen;
      // A file has nothing below it; what lies in a whole folder lies where that is kept.
      if (seen.print.type !== "folder") return undefined;
      if (seen.real !== undefined) return look(seen.real + path.slice(end));
    }
    return look(path);
  }

  function look(real: RawPath): Seen | undefined {
    const print = fingerprint(disk, real);
    return print === undefined ? undefined : { print, real };
  }

  return {
    at,
    set: (path, seen) => {
      const whole = seen?.print.type !== "folder" || seen.real !== undefined;
      if (whole) for (const below of known.keys()) if (below.startsWith(`${path}/`)) known.delete(below);
      known.set(path, seen);
    },
    touched: (path) => [...known.keys()].some((other) => other === path || other.startsWith(`${path}/`)),
    isMade: (path) => known.get(path)?.print.type === "folder",
    paths: () => [...known.keys()],
  };
}
