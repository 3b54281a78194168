import type { Root } from "../events/event.ts";
import type { RawPath } from "../util/bytes.ts";

/** One file-system entry as `lstat` saw it. Times are nanoseconds since 1970 as decimal text; `hash` is SHA-256, hex, where it was worth it; a folder's (`treePrint`) covers all that lies below it. */
export interface Fingerprint {
  type: "file" | "folder" | "link" | "fifo" | "socket" | "char" | "block";
  mode: number;
  size: number;
  mtime: string;
  ctime: string;
  ino: string;
  nlink: number;
  hash?: string;
  /** Where a link points. */
  target?: string;
}

/**
 * One difference between a root and what a step made of it.
 * `create` new entry (a new folder is followed by its children, or is one `tree`) · `modify` same type, other bytes ·
 * `delete` (a folder with all below it is one `tree`) · `type` file ↔ folder ↔ link · `chmod` mode alone. A `touch` (mtime alone) is no change.
 * Renames are a delete and a create with `pair` set on both, for display; the door treats them as the two that they are.
 */
export interface Change {
  root: number;
  path: RawPath;
  op: "create" | "modify" | "delete" | "type" | "chmod";
  before?: Fingerprint;
  after?: Fingerprint;
  /** A whole folder as one operation, with the number of files in it. */
  tree?: { files: number; bytes: number };
  /** Other half of a rename. */
  pair?: RawPath;
  /** Changed by somebody else since the step began. */
  late?: boolean;
}

/**
 * What a step would do to the roots. The new content is in the step's folder: `upper(root)` holds entries at their own
 * relative paths (for an overlay step it is the overlay's upper layer itself, whiteouts and all).
 */
export interface ChangeSet {
  operationId: string;
  /** Absolute: `<folders>/<hash>/steps/<operationId>`. */
  stepFolder: string;
  /** ctime (ns) of a marker made on the folder's own file system just before the step began. */
  since: string;
  changes: readonly Change[];
}

/** Where a step keeps the new content for a root. */
export function upperOf(stepFolder: string, root: number): string {
  return `${stepFolder}/u${root}`;
}

export interface Conflict {
  root: number;
  path: RawPath;
  why: string;
}

export type Landing =
  | {
      ok: true;
      operationId: string;
      /** `after` as it lies in the folder now. */
      changes: readonly Change[];
      merged: readonly { root: number; path: RawPath }[];
      /** For the person: which older steps can't be undone any more. */
      note?: string;
    }
  | { ok: false; operationId: string; conflicts: readonly Conflict[] };

/** Part of a change set: an entry left out (all of it, or the named hunks of its diff). */
export interface Left {
  root: number;
  path: RawPath;
  hunks?: readonly number[];
}

export interface WorkspaceOptions {
  roots: readonly Root[];
  /** `<state>/folders`: the journal and step folders of each root lie in `<hash of root>/` below it. */
  foldersDir: string;
  /** Written into the journal: who landed what. */
  sessionId: string;
}
