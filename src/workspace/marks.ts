import type { Mark } from "../events/effect.ts";
import type { Root } from "../events/event.ts";
import { rawBytes, type RawPath, showPath } from "../util/bytes.ts";
import { readRegularNow } from "../util/regular-file.ts";
import type { Fingerprint } from "./change.ts";
import type { History } from "./committed.ts";
import { judgeFile } from "./committed.ts";
import { hashFile } from "./content.ts";
import { isControl } from "./control.ts";
import { bytesAt, type Piece } from "./expand.ts";
import { rawIn, type Tree } from "./tree.ts";
import { PathError, resolveIn } from "./view.ts";
import type { RunBy } from "./runs-outside.ts";
import type { Steers } from "./steering.ts";
import type { SummaryFacts } from "./workspace.ts";

export interface MarkContext {
  roots: readonly Root[];
  facts: SummaryFacts;
  before: Tree;
  after: Tree;
  histories: ReadonlyMap<number, History>;
  /** CI files are protected too. */
  ci: boolean;
  /** What is protected by content. */
  steers: Steers;
  /** What is protected since hooks and servers run it. */
  runBy: RunBy;
}

/** A file that shrank to so few bytes is read: blanks alone are as good as nothing. */
const FEW_BYTES = 4096;

const SPECIAL = new Set<Fingerprint["type"]>(["fifo", "socket", "char", "block"]);
const X = 0o111;
const SETUID = 0o4000;
const SETGID = 0o2000;
const OTHERS_WRITE = 0o002;

/** Facts of a piece that can be read off its two fingerprints and its name. */
export function plainMarks(piece: Piece, ci: boolean): Mark[] {
  const { op, before, after } = piece;
  const marks: Mark[] = [];
  const file = after?.type === "file";
  if (op === "delete" && before?.type !== "folder") marks.push("delete");
  if (file && after.size === 0 && before?.type === "file" && before.size > 0) marks.push("empty");
  if (file && (after.mode & X) !== 0 && !(before?.type === "file" && (before.mode & X) !== 0)) marks.push("executable");
  if (setsId(before, after)) marks.push("setid");
  marks.push(...accessMarks(before, after));
  if (after !== undefined && SPECIAL.has(after.type)) marks.push("special");
  if (before !== undefined && after !== undefined && before.type !== after.type) marks.push("type-change");
  if (isControl(piece.path, ci)) marks.push("control");
  if (before?.type === "file" && before.nlink > 1 && (op === "modify" || op === "chmod")) marks.push("hardlink");
  return marks;
}

/** Modes of what was there: a person who can't read a file any more has lost it, one that everybody may write is nobody's word. */
function accessMarks(before: Fingerprint | undefined, after: Fingerprint | undefined): Mark[] {
  if (before === undefined || before.type !== after?.type || after.type === "link") return [];
  const needed = after.type === "folder" ? 0o500 : 0o400;
  const lost = before.mode & needed & ~after.mode;
  const gained = after.mode & ~before.mode & OTHERS_WRITE;
  return [...(lost === 0 ? [] : ["closed" as const]), ...(gained === 0 ? [] : ["open-to-all" as const])];
}

/** Why folders are apart: a new folder takes the group bit from its parent by itself. */
function setsId(before: Fingerprint | undefined, after: Fingerprint | undefined): boolean {
  if (after === undefined) return false;
  const bits = after.type === "folder" && before === undefined ? SETUID : SETUID | SETGID;
  return (after.mode & bits & ~(before?.type === after.type ? before.mode : 0)) !== 0;
}

/** All marks of a piece (P3). */
export async function marksOf(piece: Piece, context: MarkContext): Promise<Mark[]> {
  const marks = new Set(plainMarks(piece, context.ci));
  if (await leadsOut(piece, context)) marks.add("link-out");
  if (await isBlanked(piece, context)) marks.add("empty");
  if (context.runBy(piece) !== undefined || (await context.steers(piece.root, piece.path))) marks.add("control");
  const history = context.histories.get(piece.root);
  const told = history === undefined ? undefined : await judgeFile(history, piece, context);
  if (told === "committed") {
    marks.delete("delete");
    marks.delete("empty");
    marks.add("committed");
  }
  if ((marks.has("delete") || marks.has("empty")) && (await isOwn(piece, context))) marks.add("own");
  if (told === "uncommitted" && !marks.has("own")) marks.add("uncommitted");
  return [...marks];
}

/** Text went and only white space is left. */
async function isBlanked(piece: Piece, { before, after }: MarkContext): Promise<boolean> {
  const [old, now] = [piece.before, piece.after];
  if (old?.type !== "file" || now?.type !== "file") return false;
  if (now.size === 0 || now.size > FEW_BYTES || now.size >= old.size) return false;
  const [was, is] = [await bytesAt(before, piece), await bytesAt(after, piece)];
  return was !== undefined && is !== undefined && isBlank(is) && (old.size > FEW_BYTES || !isBlank(was));
}

function isBlank(real: RawPath): boolean {
  try {
    return !/[^\s\0]/.test(readRegularNow(rawBytes(real)).toString("latin1"));
  } catch (error) {
    // What its own mode keeps from us can't be called blank.
    if (error instanceof Error && "code" in error && error.code === "EACCES") return false;
    throw error;
  }
}

/** A new or changed link whose last end lies outside the roots, seen as it would be after landing. Links into /proc lead elsewhere for each who follows them. */
async function leadsOut(piece: Piece, { roots, after }: MarkContext): Promise<boolean> {
  const root = roots[piece.root];
  if (piece.after?.type !== "link" || root === undefined) return false;
  if (/^\/(?:proc|dev)\//.test(piece.after.target ?? "")) return true;
  try {
    return !(await resolveIn(roots, after, rawIn(root, piece.path))).inside;
  } catch (error) {
    if (error instanceof PathError && error.code === "ELOOP") return false;
    return true;
  }
}

async function isOwn(piece: Piece, { roots, facts, before }: MarkContext): Promise<boolean> {
  const root = roots[piece.root];
  if (root === undefined || piece.before?.type !== "file" || piece.late === true) return false;
  const made = facts.made.get(showPath(rawIn(root, piece.path)));
  if (made === undefined || made === "") return false;
  const real = await bytesAt(before, piece);
  return real !== undefined && (await hashFile(real)) === made;
}
