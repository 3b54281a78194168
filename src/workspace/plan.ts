import { z } from "zod";
import type { Change, ChangeSet, Fingerprint } from "./change.ts";

const text = z.string();

export const SavedFingerprint: z.ZodType<Fingerprint> = z.object({
  type: z.enum(["file", "folder", "link", "fifo", "socket", "char", "block"]),
  mode: z.number(),
  size: z.number(),
  mtime: text,
  ctime: text,
  ino: text,
  nlink: z.number(),
  hash: text.exactOptional(),
  target: text.exactOptional(),
});

export const SavedChange: z.ZodType<Change> = z.object({
  root: z.number(),
  path: text,
  op: z.enum(["create", "modify", "delete", "type", "chmod"]),
  before: SavedFingerprint.exactOptional(),
  after: SavedFingerprint.exactOptional(),
  tree: z.object({ files: z.number(), bytes: z.number() }).exactOptional(),
  pair: text.exactOptional(),
  late: z.boolean().exactOptional(),
});

export const SavedSet: z.ZodType<ChangeSet> = z.object({
  operationId: text,
  stepFolder: text,
  since: text,
  changes: z.array(SavedChange),
});

/**
 * One step of a pass: what lies at the target goes to `out`, what lies at `in` comes to the target; each is missing where
 * there is nothing to take or to bring. Where it stands can be read off the file system at any moment: see `land-move.ts`.
 * `in` and `out` lie on the target's own file system: in the state folder, or beside the target where that is on another one;
 * then `store` is the place in the state folder to which what was taken is copied at the end.
 */
export interface MoveOp {
  kind: "move";
  root: number;
  path: string;
  before?: Fingerprint;
  after?: Fingerprint;
  in?: string;
  out?: string;
  store?: string;
  /** A folder alone, without what is in it: it is taken away only while it is empty. */
  plain?: boolean;
  /** Bytes of all that lies below `before`, a folder. */
  bytes?: number;
  /** Same until somebody stages or commits: `.git/index` may be rewritten without a change of meaning. */
  indexKey?: string;
}
export interface ModeOp {
  kind: "mode";
  root: number;
  path: string;
  type: Fingerprint["type"];
  from: number;
  to: number;
  /** A file as it was with the old mode. */
  before?: Fingerprint;
  /** It moves nothing. */
  out?: never;
  store?: never;
}
export type Op = MoveOp | ModeOp;

const SavedOp: z.ZodType<Op> = z.discriminatedUnion("kind", [
  z.object({
    kind: z.literal("move"),
    root: z.number(),
    path: text,
    before: SavedFingerprint.exactOptional(),
    after: SavedFingerprint.exactOptional(),
    in: text.exactOptional(),
    out: text.exactOptional(),
    store: text.exactOptional(),
    plain: z.boolean().exactOptional(),
    bytes: z.number().exactOptional(),
    indexKey: text.exactOptional(),
  }),
  z.object({
    kind: z.literal("mode"),
    root: z.number(),
    path: text,
    type: z.enum(["file", "folder", "link", "fifo", "socket", "char", "block"]),
    from: z.number(),
    to: z.number(),
    before: SavedFingerprint.exactOptional(),
  }),
]);

export type PassKind = "land" | "undo" | "redo";

/** A plan, durable before the first touch. A step's passes are numbered: 0 lands, each later one undoes or redoes the one before. */
export interface Pass {
  v: 1;
  kind: PassKind;
  number: number;
  /** Place of the step among all of its journal. */
  order: number;
  /** Place of the newest step when an undo or redo began, and the count of these in this journal: they tell which passes came later, whatever the clock did. */
  behind?: number;
  turn?: number;
  operationId: string;
  sessionId: string;
  pid: number;
  at: string;
  /** Several steps that were undone or redone as one have this in common. */
  group?: string;
  /** Absolute paths of the roots that `root` counts. */
  roots: readonly string[];
  /** false: only temporary names beside the targets are being filled, nothing of the person's is touched yet. */
  ready: boolean;
  ops: readonly Op[];
  /** Every temporary name in the roots (raw, absolute). */
  temps: readonly string[];
  /** Folders without a w bit, made writable for the pass. */
  lifts: readonly { root: number; path: string; mode: number }[];
  changes: readonly Change[];
  /** An earlier pass of the step, whose end lists the same changes: they are not saved once more. */
  listed?: number;
  merged: readonly { root: number; path: string }[];
}

export const SavedPass: z.ZodType<Pass> = z.object({
  v: z.literal(1),
  kind: z.enum(["land", "undo", "redo"]),
  number: z.number(),
  order: z.number(),
  behind: z.number().exactOptional(),
  turn: z.number().exactOptional(),
  group: text.exactOptional(),
  operationId: text,
  sessionId: text,
  pid: z.number(),
  at: text,
  roots: z.array(text),
  ready: z.boolean(),
  ops: z.array(SavedOp),
  temps: z.array(text),
  lifts: z.array(z.object({ root: z.number(), path: text, mode: z.number() })),
  changes: z.array(SavedChange),
  listed: z.number().exactOptional(),
  merged: z.array(z.object({ root: z.number(), path: text })),
});

/** How a pass ended. `prints`: what lies at each op's target now. */
export interface PassEnd {
  done: boolean;
  at: string;
  prints: readonly (Fingerprint | null)[];
  changes: readonly Change[];
  bytes: number;
}

/** An end as it is saved: of the pass's changes only those that came out otherwise, since the pass lists them all. */
export interface EndFile extends Omit<PassEnd, "changes"> {
  changed?: readonly (readonly [n: number, change: Change])[];
  /** All of them, as an older version saved them. */
  changes?: readonly Change[];
}

export const SavedEnd: z.ZodType<EndFile> = z
  .object({
    done: z.boolean(),
    at: text,
    prints: z.array(SavedFingerprint.nullable()),
    changed: z.array(z.tuple([z.number(), SavedChange])).exactOptional(),
    changes: z.array(SavedChange).exactOptional(),
    bytes: z.number(),
  })
  .refine((end) => end.changed !== undefined || end.changes !== undefined, "it lists no changes");

/** What is saved of an end. */
export function endFile(pass: Pass, { changes, ...end }: PassEnd): EndFile {
  if (changes.length !== pass.changes.length) return { ...end, changes };
  const changed = changes.flatMap((change, n): (readonly [number, Change])[] =>
    change === pass.changes[n] ? [] : [[n, change]],
  );
  return { ...end, changed };
}

/** An end as it was. */
export function endOf(pass: Pass, { changes, changed = [], ...end }: EndFile): PassEnd {
  if (changes !== undefined) return { ...end, changes };
  const all = [...pass.changes];
  for (const [n, change] of changed) all[n] = change;
  return { ...end, changes: all };
}
