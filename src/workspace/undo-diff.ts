import { showPath, toRaw, type RawPath } from "../util/bytes.ts";
import type { ChangeOp } from "../events/effect.ts";
import type { Door } from "./door.ts";
import { treePrint } from "./fingerprint.ts";
import { diffOf, sideAt } from "./file-diff.ts";
import { isInGit } from "./git-unit.ts";
import { stepsOf, type StepAt } from "./journal-steps.ts";
import type { Disk } from "./land-disk.ts";
import { targetOf } from "./land-move.ts";
import { memory } from "./undo.ts";
import { slotOf } from "./undo-op.ts";
import type { FileDiff, TurnChange } from "./workspace.ts";

/** Files whose text is read; the rest is told by size. */
const MAX_FILES = 500;

/**
 * Diffs from what is to what would be, deletions first. A whole folder is told with the number of its files, git's own files together as
 * one.
 */
export async function turnDiffs(
  door: Pick<Door, "disk" | "roots">,
  changes: readonly TurnChange[],
): Promise<FileDiff[]> {
  const isGits = ({ root, path }: TurnChange): boolean => {
    const of = door.roots[root];
    return of !== undefined && isInGit(of, path);
  };
  const own = changes.filter((change) => !isGits(change));
  const sorted = own.toSorted((a, b) => Number(a.after !== undefined) - Number(b.after !== undefined));
  const found: FileDiff[] = [];
  for (const change of sorted) found.push(await diffAt(door.disk, change, found.length < MAX_FILES));
  const git = changes.length - own.length;
  const hidden = git === 1 ? "git's state: 1 file" : `git's state: ${git} files`;
  if (git > 0) found.push({ root: 0, path: ".git", op: "modify", hunks: [], added: 0, removed: 0, hidden });
  return found;
}

async function diffAt(disk: Disk, change: TurnChange, read: boolean): Promise<FileDiff> {
  const { root, path, before, after } = change;
  const at = { root, path: showPath(path), op: opOf(change) };
  const folder = [before, after].find((side) => side?.print.type === "folder");
  const hidden =
    folder === undefined ? (read ? undefined : `more than ${MAX_FILES} files`) : await folderWords(disk, folder.real);
  if (hidden !== undefined) return { ...at, hunks: [], added: 0, removed: 0, hidden };
  const lost =
    after !== undefined && after.print.type === "file" && after.real === undefined && after.bytes === undefined;
  if (lost && before?.real !== undefined) {
    const kept = `changed since; what was there before it lies in ${showPath(before.real)}`;
    return { ...at, hunks: [], added: 0, removed: 0, hidden: kept };
  }
  const old = before === undefined ? undefined : await sideAt(before.print, before.real);
  const now = after === undefined ? undefined : await sideAt(after.print, after.bytes ?? after.real);
  return diffOf(at, old, now);
}

async function folderWords(disk: Disk, real: RawPath | undefined): Promise<string> {
  const files = real === undefined ? 0 : (await treePrint(disk, real)).files;
  return files === 1 ? "folder with 1 file" : `folder with ${files.toLocaleString("en-US")} files`;
}

function opOf({ before, after }: TurnChange): ChangeOp {
  if (before === undefined) return after?.print.type === "link" ? "link" : "create";
  if (after === undefined) return "delete";
  if (before.print.type !== after.print.type) return "type";
  if (after.print.type === "link") return "link";
  const same = before.print.hash !== undefined && before.print.hash === after.print.hash;
  return same || before.print.type === "folder" ? "chmod" : "modify";
}

/** What a step made, from what was there before to what it left; a side whose bytes are no longer kept is told by its size. */
export async function stepDiffs(door: Door, operationId: string): Promise<FileDiff[] | undefined> {
  const step = stepsOf(door).find((s) => s.operationId === operationId);
  return step === undefined ? undefined : turnDiffs(door, changesOf(door, step));
}

/** What several steps made together, oldest first: each path from what it was before the first of them to what the last of them left. */
export async function stepsDiffs(door: Door, operationIds: readonly string[]): Promise<FileDiff[]> {
  const net = new Map<string, TurnChange>();
  for (const step of stepsOf(door).filter((s) => operationIds.includes(s.operationId))) {
    for (const change of changesOf(door, step)) {
      const key = `${change.root}:${change.path}`;
      net.set(key, joined(net.get(key), change));
    }
  }
  const changed = [...net.values()].filter((change) => !isSame(change));
  return turnDiffs(door, changed);
}

function joined(first: TurnChange | undefined, { root, path, before, after }: TurnChange): TurnChange {
  const from = first === undefined ? before : first.before;
  return { root, path, ...(from === undefined ? {} : { before: from }), ...(after === undefined ? {} : { after }) };
}

/** Made and taken away again, or as it was. */
function isSame({ before, after }: TurnChange): boolean {
  if (before === undefined || after === undefined) return before === after;
  const [a, b] = [before.print, after.print];
  return a.hash !== undefined && a.hash === b.hash && a.mode === b.mode && a.type === b.type;
}

function changesOf(door: Door, step: StepAt): TurnChange[] {
  const { pass } = step.state;
  const { kept } = memory(door);
  // The newest pass tells where both sides lie; an undo has them the other way round.
  return pass.ops.flatMap((op, n): TurnChange[] => {
    if (op.kind === "move" && op.plain === true) return [];
    const target = targetOf(pass.roots, op);
    const root = door.roots.findIndex((r) => target.startsWith(`${toRaw(r.path)}/`));
    const at = {
      root: Math.max(0, root),
      path: root < 0 ? target : target.slice(toRaw(door.roots[root]?.path ?? "").length + 1),
    };
    const left = step.end.prints[n] ?? undefined;
    if (op.kind === "mode") {
      if (left === undefined) return [];
      const [from, to] = [op.from, op.to].map((mode) => ({ print: { ...left, mode } }));
      return from === undefined || to === undefined ? [] : [turned({ ...at, before: from, after: to }, pass.kind)];
    }
    const slot = slotOf(op);
    const real = left === undefined ? undefined : kept(target, left);
    const before =
      op.before === undefined ? {} : { before: { print: op.before, ...(there(door, slot) ? { real: slot } : {}) } };
    const after = left === undefined ? {} : { after: { print: left, ...(real === undefined ? {} : { real }) } };
    return [turned({ ...at, ...before, ...after }, pass.kind)];
  });
}

function there(door: Door, path: RawPath | undefined): path is RawPath {
  return path !== undefined && door.disk.lstat(path) !== undefined;
}

function turned({ root, path, before, after }: TurnChange, kind: string): TurnChange {
  if (kind !== "undo")
    return { root, path, ...(before === undefined ? {} : { before }), ...(after === undefined ? {} : { after }) };
  return {
    root,
    path,
    ...(after === undefined ? {} : { before: after }),
    ...(before === undefined ? {} : { after: before }),
  };
}
