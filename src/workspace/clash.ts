import { isUtf8 } from "node:buffer";
import type { Root } from "../events/event.ts";
import { type RawPath, showPath } from "../util/bytes.ts";
import type { Change, ChangeSet, Conflict, Fingerprint } from "./change.ts";
import { type Chunk, chunksOf, hunksOfChunks } from "./chunks.ts";
import { MAX_DIFF_BYTES, MAX_DIFF_LINES } from "./file-diff.ts";
import { fingerprint, readIfThere } from "./fingerprint.ts";
import type { Disk } from "./land-disk.ts";
import { targetOf } from "./land-move.ts";
import { gitDirOf } from "./pending-git.ts";
import { contentOf, isAtOrBelow } from "./select.ts";
import type { Hunk } from "./workspace.ts";

/** What a rehearsal changed and the folder changed too, as a person may settle it. */
export interface Clash {
  root: number;
  path: RawPath;
  why: string;
  /** `take`: the rehearsed version lands over the folder's. `beside`: both go into a file of their own. To leave it pending, or to drop it, is always open. */
  ways: readonly ("take" | "beside")[];
  /** Of a text file: the folder's text → the same with all rehearsed lines; each hunk can be taken or left by itself. */
  hunks: readonly Hunk[];
  /** Why no text is shown where there could be one. */
  hidden?: string;
  /** What each side is, in words, where no lines tell it. */
  sides?: { before: string; folder: string; rehearsed: string };
}

/** What is needed to look at a conflict. */
export interface ClashParts {
  disk: Disk;
  roots: readonly Root[];
  set: ChangeSet;
  base(change: Change): Promise<Uint8Array | undefined>;
  /** Whether the door would take a change as things are. */
  fits(change: Change): Promise<boolean>;
}

/** Stuck changes are shown and settled one by one up to this many; the rest can wait or be dropped. */
const MAX_CLASHES = 200;

/** Every stuck change with its conflict's reason. A folder that is stuck whole, or git's own files, are one. */
export async function clashesIn(
  parts: ClashParts,
  stuck: readonly Change[],
  conflicts: readonly Conflict[],
): Promise<Clash[]> {
  const out: Clash[] = [];
  for (const conflict of conflicts) {
    const git = gitDirOf(parts.roots[conflict.root], conflict.path);
    const own = stuck.filter((c) => c.root === conflict.root && isAtOrBelow(c.path, conflict.path));
    const exact = own.find((c) => c.path === conflict.path);
    const alone = git === undefined && exact !== undefined && out.length < MAX_CLASHES;
    const whole = exact ?? own.at(-1);
    const path = alone ? exact.path : (whole?.path ?? conflict.path);
    const { root, why } = conflict;
    out.push(alone ? { root, path, why, ...(await lookAt(parts, exact)) } : { root, path, why, ways: [], hunks: [] });
  }
  return out;
}

async function lookAt(parts: ClashParts, change: Change): Promise<Omit<Clash, "root" | "path" | "why">> {
  const taken = await takenOf(parts, change);
  const ways = taken === undefined ? [] : (["take"] as const);
  const both = change.after?.type === "file" && change.op !== "chmod" ? [...ways, "beside" as const] : ways;
  const texts = await chunksAt(parts, change);
  const now = nowAt(parts, change);
  const sides = { before: words(change.before), folder: words(now), rehearsed: words(change.after) };
  if (texts === undefined) return { ways: both, hunks: [], sides };
  const hunks = hunksOfChunks(texts.chunks, texts.utf8);
  const lines = hunks.reduce((sum, h) => sum + h.lines.length, 0);
  if (lines > MAX_DIFF_LINES) return { ways: both, hunks: [], sides, hidden: `over ${MAX_DIFF_LINES} lines` };
  const told = change.before?.mode === change.after?.mode || now?.mode === change.after?.mode;
  return { ways: both, hunks, ...(told ? {} : { sides }) };
}

function words(print: Fingerprint | undefined): string {
  if (print === undefined) return "not there";
  const mode = print.mode.toString(8).padStart(4, "0");
  if (print.type === "link") return `a link to ${showPath(print.target ?? "")}`;
  if (print.type !== "file") return `a ${print.type}, mode ${mode}`;
  return `a file of ${print.size} bytes, mode ${mode}${print.hash === undefined ? "" : `, sha256 ${print.hash}`}`;
}

function nowAt({ disk, roots }: ClashParts, change: Change): Fingerprint | undefined {
  return fingerprint(
    disk,
    targetOf(
      roots.map((r) => r.path),
      change,
    ),
  );
}

/** The texts of a file that is one on both sides; undefined where one side is none, or is too large to be shown. */
export async function chunksAt(
  parts: ClashParts,
  change: Change,
): Promise<{ chunks: Chunk[]; utf8: boolean } | undefined> {
  const now = nowAt(parts, change);
  if (now?.type !== "file" || change.after?.type !== "file" || !["create", "modify"].includes(change.op))
    return undefined;
  if (Math.max(now.size, change.after.size) > MAX_DIFF_BYTES) return undefined;
  const paths = parts.roots.map((r) => r.path);
  const folder = readIfThere(parts.disk, targetOf(paths, change));
  const ours = parts.disk.read(contentOf(parts.set, change));
  const base = change.op === "create" ? undefined : await parts.base(change);
  const chunks = folder === undefined ? undefined : chunksOf(folder, base, ours);
  if (chunks === undefined || folder === undefined) return undefined;
  return { chunks, utf8: isUtf8(folder) && isUtf8(ours) };
}

/**
 * The change that brings the rehearsed version over what lies there now; undefined where nobody can say what that would do. Its
 * fingerprint is of this moment: who changes the folder after it is in conflict again.
 */
export async function takenOf(parts: ClashParts, change: Change): Promise<Change | undefined> {
  const taken = over(change, nowAt(parts, change));
  return taken !== undefined && (await parts.fits(taken)) ? taken : undefined;
}

function over(change: Change, now: Fingerprint | undefined): Change | undefined {
  const { pair: _, before: _before, late: _late, tree, ...plain } = change;
  if (change.op === "chmod")
    return now === undefined || now.type !== change.after?.type ? undefined : { ...plain, before: now };
  if (now === undefined)
    return change.after === undefined ? undefined : { ...plain, op: "create", ...(tree === undefined ? {} : { tree }) };
  // What is in a folder was not looked at: it is none of one answer's to take away.
  if (now.type === "folder" || change.after?.type === "folder") return undefined;
  if (change.after === undefined) return { ...plain, op: "delete", before: now };
  return { ...plain, op: now.type === change.after.type ? "modify" : "type", before: now };
}
