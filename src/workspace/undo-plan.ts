import { type RawPath, toRaw } from "../util/bytes.ts";
import type { Conflict, Fingerprint } from "./change.ts";
import type { Draft } from "./conflict.ts";
import type { Door } from "./door.ts";
import { fingerprint } from "./fingerprint.ts";
import { isKept, type StepAt, stepsOf, told } from "./journal-steps.ts";
import type { Disk } from "./land-disk.ts";
import { targetOf } from "./land-move.ts";
import type { Op } from "./plan.ts";
import { expired, memory } from "./undo.ts";
import { planTurn, type TurnPlan } from "./undo-op.ts";
import { openSight, type Seen, type Sight } from "./undo-sight.ts";
import { readList } from "./tree-list.ts";
import type { TurnChange, TurnKind, UndoPreview, UndoWanted, UndoWay } from "./workspace.ts";

interface Trial {
  way: UndoWay;
  /** By the step that met them. */
  clashes: readonly { step: StepAt; conflict: Conflict }[];
}

/**
 * What an undo (or redo) of steps would do: alone, together with later steps that stand in the way, or with lines of both sides
 * put together. Looks alone. Throws for a step that the journal doesn't know; steps that are undone (redone) already are left out.
 */
export async function previewTurn(door: Door, wanted: UndoWanted): Promise<UndoPreview> {
  const open = stepsOf(door).filter((step) => isOpen(step, wanted.kind));
  const first = stepsToTurn(door, wanted);
  const alone = await trial(door, first, false);
  const preview: UndoPreview = { kind: wanted.kind, alone: alone.way };
  if (alone.clashes.length === 0) return preview;
  const along = await together(door, open, first, alone);
  if (along !== undefined) preview.along = along;
  const merged = await trial(door, first, true);
  if (merged.clashes.length === 0) preview.merged = merged.way;
  return preview;
}

/** The steps that are to be turned, in their order: the one whose newest pass came last is first. Throws for one that is not known. */
export function stepsToTurn(door: Door, wanted: UndoWanted): StepAt[] {
  const all = stepsOf(door);
  for (const id of wanted.steps) {
    if (!all.some((step) => step.operationId === id)) throw new Error(`no step ${id} in the journal of this folder`);
  }
  return all.filter((step) => wanted.steps.includes(step.operationId) && isOpen(step, wanted.kind)).toReversed();
}

/** It is landed and may be undone, or undone and may be redone. */
function isOpen({ state }: StepAt, kind: TurnKind): boolean {
  return (state.pass.kind === "undo") === (kind === "redo");
}

/** The same with every later step that stands in the way, and those that stand in theirs; undefined where that takes no conflict away. */
async function together(
  door: Door,
  open: readonly StepAt[],
  first: readonly StepAt[],
  alone: Trial,
): Promise<UndoWay | undefined> {
  const steps = new Set(first.map((step) => step.operationId));
  let last = alone;
  for (;;) {
    const more = last.clashes.flatMap(({ step, conflict }) => {
      const path = targetOf(step.state.pass.roots, conflict);
      const later = open.slice(open.findIndex((other) => other.operationId === step.operationId) + 1);
      return later.filter((other) => !steps.has(other.operationId) && touches(other, path));
    });
    if (more.length === 0) break;
    for (const step of more) steps.add(step.operationId);
    last = await trial(door, open.filter((step) => steps.has(step.operationId)).toReversed(), false);
  }
  return steps.size > first.length && last.clashes.length < alone.clashes.length ? last.way : undefined;
}

/** A step changed what lies at, above or below a path. That it made or removed a folder on the way, empty as it was, changes nothing else. */
function touches({ state }: StepAt, path: RawPath): boolean {
  return state.pass.ops.some((op) => {
    const target = targetOf(state.pass.roots, op);
    if (target === path) return true;
    if (op.kind === "mode" || op.plain === true) return false;
    return target.startsWith(`${path}/`) || path.startsWith(`${target}/`);
  });
}

/** Plays the steps through, in their order, on a folder of the mind. */
async function trial(door: Door, order: readonly StepAt[], merge: boolean): Promise<Trial> {
  const sight = openSight(door.disk);
  const clashes: { step: StepAt; conflict: Conflict }[] = [];
  const merged: { root: number; path: RawPath }[] = [];
  const mind = memory(door);
  for (const step of order) {
    const plan = isKept(step)
      ? await planTurn({ ...mind, step, sight, merge })
      : { drafts: [], conflicts: expired(step), merged: [] };
    clashes.push(...plan.conflicts.map((conflict) => ({ step, conflict })));
    merged.push(...plan.merged.map((at) => ours(door, step, at)));
    apply(step, plan, sight);
  }
  const conflicts = clashes.map(({ step, conflict }) => ({ ...ours(door, step, conflict), why: conflict.why }));
  const way = { steps: order.map((step) => told(door, step)), conflicts, changes: changesOf(door, sight), merged };
  return { way, clashes };
}

/** Counted as this workspace counts its roots; what lies in none of them is told by its whole path. */
function ours(
  door: Door,
  step: StepAt,
  { root, path }: { root: number; path: RawPath },
): { root: number; path: RawPath } {
  const at = door.roots.findIndex((r) => r.path === step.state.pass.roots[root]);
  return at < 0 ? { root, path: targetOf(step.state.pass.roots, { root, path }) } : { root: at, path };
}

function apply(step: StepAt, { drafts }: TurnPlan, sight: Sight): void {
  const { roots, ops } = step.state.pass;
  const byPath = new Map(ops.map((op) => [`${op.root}/${op.path}`, op]));
  // What goes first: a file makes room for a folder of its name.
  const inOrder = drafts.toSorted((a, b) => Number(a.source !== undefined) - Number(b.source !== undefined));
  for (const draft of inOrder) {
    const target = targetOf(roots, draft);
    const now = sight.at(target);
    const op = byPath.get(`${draft.root}/${draft.path}`);
    if (draft.mode !== undefined) {
      if (now !== undefined) sight.set(target, { ...now, print: withMode(now.print, draft.mode.to, op) });
    } else if (draft.source !== undefined) sight.set(target, brought(step.door.state, draft, draft.source, op));
    else if (draft.plain === true && now?.print.type === "folder") {
      // A folder that came alone goes once nothing is in it.
      if (sight.isEmpty(target)) sight.set(target, undefined, "plain");
    } else sight.set(target, undefined);
  }
}

/** As it was before its mode was changed, if nothing else of it was. */
function withMode(now: Fingerprint, mode: number, op: Op | undefined): Fingerprint {
  const then = op?.before;
  const same = then !== undefined && then.ino === now.ino && then.size === now.size && then.mtime === now.mtime;
  return same && then.mode === mode ? { ...now, ...then } : { ...now, mode };
}

function brought(
  disk: Disk,
  draft: Draft,
  source: NonNullable<Draft["source"]>,
  op: Op | undefined,
): ReturnType<Sight["at"]> {
  if (source.kind === "bytes") {
    const none: Fingerprint = { type: "file", mode: source.mode, size: 0, mtime: "", ctime: "", ino: "", nlink: 1 };
    return { print: { ...none, size: source.bytes.length }, real: undefined, bytes: source.bytes };
  }
  const then = op?.kind === "move" ? op.before : undefined;
  if (source.kind === "folder") {
    const print = then ?? { type: "folder", mode: source.mode, size: 0, mtime: "", ctime: "", ino: "", nlink: 1 };
    return { print, real: undefined };
  }
  // As it was when it was taken away, which is what the step below it left there.
  const list = source.print.type === "folder" ? { list: readList(disk, `${source.from}.was`) } : {};
  return { print: then ?? source.print, real: source.from, ...list };
}

/** Every path that would be other than it is. Folders that come and go only with what is in them are not told. */
function changesOf(door: Door, sight: Sight): TurnChange[] {
  return sight.paths().flatMap((target): TurnChange[] => {
    const root = door.roots.findLastIndex((r) => target === toRaw(r.path) || target.startsWith(`${toRaw(r.path)}/`));
    const base = toRaw(door.roots[root]?.path ?? "");
    const now = fingerprint(door.disk, target);
    const then = sight.at(target);
    if (then !== undefined && then.print.type === "folder" && then.real === undefined)
      return now?.type === "folder" ? goneIn(door, sight, root, target) : [];
    if (now === undefined && then === undefined) return [];
    if (then === undefined && now?.type === "folder" && sight.isPlain(target)) return [];
    if (now !== undefined && then !== undefined && isSame(now, then.print)) return [];
    return [
      {
        root: Math.max(0, root),
        path: root < 0 ? target : target.slice(base.length + 1),
        ...(now === undefined ? {} : { before: { print: now, real: target } }),
        ...(then === undefined ? {} : { after: sideOf(then) }),
      },
    ];
  });
}

/** What lies in a folder that goes and comes anew. */
function goneIn(door: Door, sight: Sight, root: number, folder: RawPath): TurnChange[] {
  const base = toRaw(door.roots[root]?.path ?? "");
  return door.disk.names(folder).flatMap((name): TurnChange[] => {
    const real = `${folder}/${name}`;
    const print = sight.at(real) === undefined ? fingerprint(door.disk, real) : undefined;
    return print === undefined
      ? []
      : [{ root: Math.max(0, root), path: real.slice(base.length + 1), before: { print, real } }];
  });
}

function sideOf({ print, real, bytes }: Seen): NonNullable<TurnChange["after"]> {
  return { print, ...(real === undefined ? {} : { real }), ...(bytes === undefined ? {} : { bytes }) };
}

function isSame(a: Fingerprint, b: Fingerprint): boolean {
  if (a.type !== b.type || a.mode !== b.mode || a.size !== b.size || a.target !== b.target) return false;
  return a.hash !== undefined ? a.hash === b.hash : a.ino === b.ino && a.mtime === b.mtime;
}
