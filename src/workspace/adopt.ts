import { showPath } from "../util/bytes.ts";
import type { RawPath } from "../util/bytes.ts";
import type { Change, Fingerprint } from "./change.ts";
import type { Door } from "./door.ts";
import { fingerprint, hashedIn, hashOf, sameContent, treePrint } from "./fingerprint.ts";
import { homeOf, lastDone } from "./journal-steps.ts";
import { codeOf } from "./land-disk.ts";
import { targetOf } from "./land-move.ts";
import type { Op, PassEnd } from "./plan.ts";

/** Files of which the text is kept for a diff: so many, none larger. */
const MOST_TEXTS = 50;
const MOST_BYTES = 1 << 16;

/** What lies at each path of a landed step, in the order of its plan, before programs of the person's run on it. */
export interface StepSight {
  operationId: string;
  prints: readonly (Fingerprint | null)[];
  /** Bytes of small files, by their place in the plan. */
  texts: ReadonlyMap<number, Buffer>;
}

/** A file of a step that was changed behind its landing, and is the step's as it is now. */
export interface Adopted {
  root: number;
  path: RawPath;
  /** SHA-256, hex; undefined: it is gone, or no file. */
  hash?: string;
  /** Small files on both sides. */
  before?: Buffer;
  after?: Buffer;
}

/** Looks at a step's files; undefined where it has not landed, or is undone. */
export async function seeStep(given: Door, operationId: string): Promise<StepSight | undefined> {
  const door = homeOf(given, operationId);
  if (door.journal.find(operationId) === undefined) return undefined;
  const { state } = lastDone(door.journal, operationId);
  if (state.pass.kind === "undo") return undefined;
  const prints = await look(door, state.pass.ops, state.pass.roots);
  const texts = new Map<number, Buffer>();
  for (const [n, op] of state.pass.ops.entries()) {
    const print = prints[n];
    if (texts.size >= MOST_TEXTS || print?.type !== "file" || print.size > MOST_BYTES) continue;
    const bytes = readFile(door, targetOf(state.pass.roots, op));
    if (bytes !== undefined) texts.set(n, bytes);
  }
  return { operationId, prints, texts };
}

/**
 * What became of a step's files since `sight` belongs to the step from here on: undo takes it back with the rest. A file that was
 * already other than the step left it is somebody else's, and stays so. The caller holds the locks.
 */
export async function adoptStep(given: Door, sight: StepSight): Promise<Adopted[]> {
  const door = homeOf(given, sight.operationId);
  const { state, end } = lastDone(door.journal, sight.operationId);
  const { pass, entry } = state;
  if (pass.kind === "undo") return [];
  const now = await look(door, pass.ops, pass.roots);
  const changed = pass.ops.flatMap((op, n): number[] => {
    const [then, seen, is] = [end.prints[n] ?? null, sight.prints[n] ?? null, now[n] ?? null];
    const ours = op.kind === "mode" || op.after !== undefined;
    return ours && isSame(then, seen) && !isSame(seen, is) && (is === null || is.type === seen?.type) ? [n] : [];
  });
  if (changed.length === 0) return [];
  const prints = end.prints.map((print, n) => (changed.includes(n) ? (now[n] ?? null) : print));
  const touched = new Map(changed.map((n) => [keyOf(pass.ops[n]), now[n] ?? null]));
  const changes = end.changes.map((change): Change => {
    const after = touched.get(keyOf(change));
    return after === undefined || after === null || change.after === undefined ? change : { ...change, after };
  });
  const adopted: PassEnd = { ...end, prints, changes };
  door.journal.writeEnd(entry, pass, adopted);
  return changed.flatMap((n): Adopted[] => {
    const op = pass.ops[n];
    if (op === undefined || op.kind === "mode") return [];
    return [told(door, { root: op.root, path: op.path }, targetOf(pass.roots, op), sight.texts.get(n), now[n] ?? null)];
  });
}

function told(
  door: Door,
  at: { root: number; path: RawPath },
  target: RawPath,
  before: Buffer | undefined,
  now: Fingerprint | null,
): Adopted {
  if (now?.type !== "file") return { ...at, ...(before === undefined ? {} : { before }) };
  const bytes = readFile(door, target);
  const small = bytes !== undefined && bytes.length <= MOST_BYTES && before !== undefined;
  return {
    ...at,
    ...(bytes === undefined ? {} : { hash: hashOf(bytes) }),
    ...(small ? { before, after: bytes } : {}),
  };
}

async function look(door: Door, ops: readonly Op[], roots: readonly string[]): Promise<(Fingerprint | null)[]> {
  const maxHashed = hashedIn(ops.length);
  const prints: (Fingerprint | null)[] = [];
  for (const op of ops) {
    const path = targetOf(roots, op);
    const print = fingerprint(door.disk, path, maxHashed);
    const whole = print?.type === "folder" && op.kind === "move" && op.plain !== true;
    prints.push(whole ? { ...print, hash: (await treePrint(door.disk, path)).hash } : (print ?? null));
  }
  return prints;
}

function isSame(a: Fingerprint | null, b: Fingerprint | null): boolean {
  if (a === null || b === null) return a === b;
  return a.mode === b.mode && sameContent(a, b) && (a.type !== "folder" || a.hash === b.hash || b.hash === undefined);
}

function keyOf(at: { root: number; path: RawPath } | undefined): string {
  return `${at?.root}/${at?.path}`;
}

/** undefined where somebody takes it away at this moment, or nobody may read it. */
function readFile(door: Door, path: RawPath): Buffer | undefined {
  try {
    return door.disk.read(path);
  } catch (error) {
    if (["ENOENT", "EACCES", "EISDIR"].includes(codeOf(error))) return undefined;
    throw error;
  }
}

/** The absolute path of an adopted file, for people. */
export function adoptedPath(roots: readonly { path: string }[], { root, path }: Adopted): string {
  return `${roots[root]?.path ?? ""}/${showPath(path)}`;
}
