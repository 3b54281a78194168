import type { ChangeEntry, ChangeOp, ChangeSummary, GitEffect, Mark } from "../events/effect.ts";
import type { Root } from "../events/event.ts";
import { showBelow, showPath } from "../util/bytes.ts";
import type { ChangeSet, Fingerprint } from "./change.ts";
import { countLines } from "./file-diff.ts";
import type { Piece } from "./expand.ts";
import { openGit } from "./git.ts";
import type { GitJudgement } from "./git-units.ts";
import { manifestHash } from "./manifest.ts";
import { isControl } from "./control.ts";
import { type MarkContext, marksOf, plainMarks } from "./marks.ts";
import { type Pieces, takeApart } from "./pieces.ts";
import type { Rename } from "./renames.ts";
import { findRuns, type RunsOutside } from "./runs-outside.ts";
import { findSteering } from "./steering.ts";
import type { SummaryFacts, View } from "./workspace.ts";

export interface SummarizeDeps {
  /** Absolute path of git, found outside the roots; without it `.git` is judged by what its files alone tell. */
  git?: string | undefined;
  /** The program's own folders, absolute and real: where a root holds one, all in it is protected. */
  own?: readonly string[] | undefined;
  /** Files that hooks and servers run outside of the copy: protected as long as they do. */
  outside?: (() => RunsOutside) | undefined;
  /** CI files are protected too (P3: by setting). */
  ci?: boolean;
  /** Entries told one by one; of what whole folders bring beyond that, sums are told, but for what has marks to be seen. */
  maxEntries?: number;
}

const MAX_ENTRIES = 10_000;
/** More files than that are not read for their line counts. */
const MAX_COUNTED = 200;

/**
 * Meaning of a change set (P3, P4, P5, P9): entries with their marks, deletions first, `.git` in words, regenerable output
 * apart. Judged against the roots with the view's layers as they are now. Throws when the step's folder can't be read. `signal` ends
 * git's part at once: what it would have told counts as unknown.
 */
export async function summarize(
  set: ChangeSet,
  facts: SummaryFacts,
  roots: readonly Root[],
  view: View,
  deps: SummarizeDeps,
  signal?: AbortSignal,
): Promise<ChangeSummary> {
  const git = deps.git === undefined ? undefined : await openGit(deps.git, set.stepFolder, signal);
  try {
    const ignored = (root: number, path: string): boolean => facts.ignored(root, path);
    const apart = await takeApart({ set, roots, layers: view.layers, ignored, git });
    const { before, after } = apart.trees;
    const steers = await findSteering(roots, before, after, deps.own);
    const runBy = await findRuns(roots, before, deps.outside?.());
    const { histories } = apart.git;
    const context = { roots, facts, before, after, histories, ci: deps.ci ?? false, steers, runBy };
    const entries = await entriesOf(apart, context, deps.maxEntries ?? MAX_ENTRIES);
    return {
      entries: entries.toSorted(deletionsFirst),
      files: filesOf(apart),
      git: gitWords(roots, apart.git),
      regenerable: apart.regenerable.map((g) => ({ ...g, path: showPath(g.path) })),
      manifestHash: manifestHash(set.changes),
      undoable: set.changes.every((c) => !isDevice(c.before)),
    };
  } finally {
    await git?.close();
  }
}

/** Why: the door moves files, links and folders aside; it can't make a device or a living socket again. */
function isDevice(print: Fingerprint | undefined): boolean {
  return print !== undefined && ["char", "block", "socket"].includes(print.type);
}

function deletionsFirst(a: ChangeEntry, b: ChangeEntry): number {
  const rank = (e: ChangeEntry): number => (e.op === "delete" ? 0 : e.marks.includes("empty") ? 1 : 2);
  return rank(a) - rank(b);
}

function isFolder(piece: Piece): boolean {
  return (piece.after ?? piece.before)?.type === "folder";
}

/** P4's number: a rename is one file, folders are none. */
function filesOf({ pieces, renames }: Pieces): number {
  return pieces.filter((p) => !isFolder(p) || p.op === "type").length - renames.length;
}

/** Effects of several repositories, and of one that is not the root's own, say where they are. */
function gitWords(roots: readonly Root[], judged: GitJudgement): GitEffect[] {
  const several = judged.verdicts.length > 1;
  return judged.verdicts.flatMap(({ folder, verdict }) => {
    const outside = roots[folder.root]?.kind === "git";
    const where = outside ? (roots[folder.root]?.path ?? "") : showPath(folder.path);
    const own = outside ? folder.path === "" : folder.path === ".git";
    return verdict.effects.map((e) => (own && !several ? e : { ...e, text: `${e.text} (${where})` }));
  });
}

async function entriesOf(apart: Pieces, context: MarkContext, max: number): Promise<ChangeEntry[]> {
  const entries: ChangeEntry[] = [];
  const sums = new Map<string, ChangeEntry>();
  const renamed = new Map<Piece, Rename>(apart.renames.flatMap((r) => [[r.from, r] as const, [r.to, r] as const]));
  const parents = foldersWithin(apart.pieces);
  const counted = apart.pieces.length <= MAX_COUNTED;
  const told = apart.pieces.filter((p) => renamed.get(p)?.from !== p && !isNoise(p, parents));
  for await (const [piece, marks] of marked(told, context)) {
    const rename = renamed.get(piece);
    const entry =
      rename === undefined ? plainEntry(piece, marks, context.runBy(piece)) : await renameEntry(rename, context);
    if (entries.length >= max && isSummed(piece, entry)) addSum(sums, piece, entry);
    else entries.push(counted ? { ...entry, ...(await countLines(piece, apart.trees, rename)) } : entry);
  }
  return [...entries, ...sums.values()];
}

/** So many are looked at together: what they ask git then goes in one call. */
const TOGETHER = 256;

async function* marked(pieces: readonly Piece[], context: MarkContext): AsyncGenerator<[Piece, Mark[]]> {
  for (let at = 0; at < pieces.length; at += TOGETHER) {
    const some = pieces.slice(at, at + TOGETHER);
    const marks = await Promise.all(some.map((piece) => marksOf(piece, context)));
    for (const [n, piece] of some.entries()) yield [piece, marks[n] ?? []];
  }
}

function isSummed(piece: Piece, entry: ChangeEntry): boolean {
  return piece.within !== undefined && entry.marks.every((m) => m === "delete" || m === "own" || m === "committed");
}

/** The folder that came or went stands for what is not told one by one; a risk of one is a risk of the sum. */
function addSum(sums: Map<string, ChangeEntry>, piece: Piece, entry: ChangeEntry): void {
  const key = `${piece.root}:${piece.within ?? ""}:${entry.op}`;
  const marks: Mark[] = sums.get(key)?.marks ?? [];
  const open = entry.marks.includes("delete") && !entry.marks.includes("own");
  const path = showPath(piece.within ?? "");
  const more: Mark[] = open && !marks.includes("delete") ? ["delete"] : [];
  const files = (sums.get(key)?.files ?? 0) + 1;
  sums.set(key, { root: piece.root, path, op: entry.op, type: "folder", marks: [...marks, ...more], files });
}

/** Folders that other pieces lie in: these tell of the folder well enough. */
function foldersWithin(pieces: readonly Piece[]): ReadonlySet<string> {
  const folders = new Set<string>();
  for (const { root, path } of pieces) {
    for (let cut = path.lastIndexOf("/"); cut > 0; cut = path.lastIndexOf("/", cut - 1)) {
      const key = `${root}:${path.slice(0, cut)}`;
      if (folders.has(key)) break;
      folders.add(key);
    }
  }
  return folders;
}

function isNoise(piece: Piece, parents: ReadonlySet<string>): boolean {
  if (!isFolder(piece) || (piece.op !== "create" && piece.op !== "delete")) return false;
  return parents.has(`${piece.root}:${piece.path}`) && plainMarks(piece, false).every((m) => m === "control");
}

function typeOf(print: Fingerprint | undefined): ChangeEntry["type"] {
  const type = print?.type ?? "file";
  return type === "file" || type === "folder" || type === "link" ? type : "special";
}

function opOf(piece: Piece): ChangeOp {
  return piece.after?.type === "link" && piece.op !== "type" ? "link" : piece.op;
}

function plainEntry(piece: Piece, marks: Mark[], runBy?: string): ChangeEntry {
  const { after } = piece;
  return {
    root: piece.root,
    path: showBelow(piece.path),
    op: opOf(piece),
    type: typeOf(after ?? piece.before),
    marks,
    ...(after === undefined ? {} : { size: after.size }),
    ...(after?.target === undefined ? {} : { target: showPath(after.target) }),
    ...(isFolder(piece) ? { files: 0 } : {}),
    ...(runBy === undefined ? {} : { runBy }),
  };
}

/** The bytes are all still there, so nothing is deleted; what the new name or mode makes of them still counts. */
async function renameEntry({ from, to }: Rename, { ci, steers, runBy }: MarkContext): Promise<ChangeEntry> {
  const moved: Piece = { ...to, op: "modify", before: from.before };
  const marks = plainMarks(moved, ci).filter((m) => m !== "hardlink");
  const steered = isControl(from.path, ci) || (await steers(from.root, from.path)) || (await steers(to.root, to.path));
  const runs = runBy(to) ?? runBy(from);
  if ((steered || runs !== undefined) && !marks.includes("control")) marks.push("control");
  return { ...plainEntry(to, marks, runs), op: "rename", from: showPath(from.path) };
}
