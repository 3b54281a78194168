import type { SinceCommit } from "./since-commit.ts";
import type { ChangeSummary } from "../events/effect.ts";
import type { Root } from "../events/event.ts";
import type { RawPath } from "../util/bytes.ts";
import type { Change, ChangeSet, Conflict, Fingerprint, Landing, Left } from "./change.ts";
import type { Adopted, StepSight } from "./adopt.ts";
import type { FileRows } from "./open-file.ts";
import type { Pending } from "./pending.ts";

/**
 * What Read, Grep, Glob and Edit see: the roots with the session's kept layers over them, the same that a command sees
 * through the copy. Paths are absolute. Nothing here follows a link out of the roots without saying so: `resolve` first.
 */
export interface View {
  /** Kept layers, oldest first (step folders). */
  readonly layers: readonly string[];
  /**
   * Where a path really leads. `inside`: below a root after every link is followed; `real` is the absolute path that holds the bytes
   * (in a layer or in the folder), `path` the absolute path as a person would name it. "stay": a link that the path ends in is
   * not followed (to delete it). Throws `PathError` (view.ts) for a relative path, a NUL byte, a loop of links.
   */
  resolve(path: string, how?: "follow" | "stay"): Promise<Resolved>;
  /** Names in a folder, layers merged, whiteouts gone; sorted by bytes. Throws `PathError` for what is no folder of the roots. */
  list(path: string): Promise<readonly ListEntry[]>;
}
export interface Resolved {
  path: string;
  real: string;
  inside: boolean;
  root: number;
  exists: boolean;
  type?: "file" | "folder" | "link" | "special";
  size?: number;
  mtimeMs?: number;
}
export interface ListEntry {
  name: string;
  type: "file" | "folder" | "link" | "special";
}

/** Collects what Write, Edit and Delete want; touches nothing but the step's own folder. */
export interface Stage {
  /** `base`: the bytes that the change was made from; when the file is something else at landing, both are merged or it is a conflict. */
  put(path: string, bytes: Uint8Array, mode?: number, base?: Uint8Array): Promise<void>;
  remove(path: string): Promise<void>;
  /** The change set; fingerprints of what each path was when it was first put or removed. */
  finish(): Promise<ChangeSet>;
}

/** What the fold knows that a summary needs. */
export interface SummaryFacts {
  /** Files that this session made: absolute path → hash (P3). */
  made: ReadonlyMap<string, string>;
  /** Git state remembered at session start decides what counts as ignored (P9). */
  ignored(root: number, path: RawPath): boolean;
}

/** A diff of one file of a change set, for the question and the transcript. */
export interface FileDiff {
  root: number;
  path: string;
  from?: string;
  op: "create" | "modify" | "delete" | "rename" | "chmod" | "link" | "type";
  hunks: readonly Hunk[];
  added: number;
  removed: number;
  /** Why no text is shown: binary, too large, too many lines. */
  hidden?: string;
  before?: { size: number; hash?: string; mode: number };
  after?: { size: number; hash?: string; mode: number };
}
export interface Hunk {
  oldStart: number;
  newStart: number;
  /** Each begins with ' ', '+' or '-'; a last line without a line end is followed by "\\ No newline at end of file". */
  lines: readonly string[];
  /** In a conflict: both sides changed these lines, and this is what they were before. */
  was?: readonly string[];
}

export type TurnKind = "undo" | "redo";

export interface UndoReport {
  ok: boolean;
  /** Of the one step, or of the group that several are. */
  operationId: string;
  paths: readonly { root: number; path: RawPath }[];
  conflicts: readonly Conflict[];
  /** Files in which both sides' lines are now. */
  merged: readonly { root: number; path: RawPath }[];
}

/** Steps to be taken back (or brought back) as one operation: all or nothing. */
export interface UndoWanted {
  kind: TurnKind;
  steps: readonly string[];
  /** Where a step's text was changed since, keep both sides' lines. */
  merge?: boolean;
}

/** One path as it is and as it would be; the bytes of each side lie at `real` (raw absolute). A whole folder is one. */
export interface TurnChange {
  root: number;
  path: RawPath;
  before?: { print: Fingerprint; real?: RawPath };
  after?: { print: Fingerprint; real?: RawPath; bytes?: Uint8Array };
}

/** What would come of one way to undo. */
export interface UndoWay {
  /** In the order in which they are turned: the newest first. */
  steps: readonly JournalStep[];
  conflicts: readonly Conflict[];
  changes: readonly TurnChange[];
  merged: readonly { root: number; path: RawPath }[];
}

/** What an undo would do. Nothing is touched. */
export interface UndoPreview {
  kind: TurnKind;
  /** Just the steps that were asked for. */
  alone: UndoWay;
  /** Steps that came later and stand in the way go along; there where that takes a conflict away. */
  along?: UndoWay;
  /** Lines of both sides are put together; there where that takes every conflict away. */
  merged?: UndoWay;
}

export interface JournalStep {
  operationId: string;
  /** Session that made it, and when. */
  sessionId: string;
  at: string;
  /** Session (or run of `agent undo`) that last did or undid it, and when. */
  by: string;
  turnedAt: string;
  /** Steps that were last undone or redone together have this in common. */
  group?: string;
  status: "landed" | "undone" | "rolled-back";
  /** It can be undone or redone: what it took away is still there. */
  kept: boolean;
  /** What that occupies. */
  bytes: number;
  changes: readonly Change[];
}

/**
 * The person's roots and the one door into them (W3, W8). Made by `openWorkspace`, which recovers what a dead process left
 * (completes or rolls back) and says so in `recovered`.
 */
export interface Workspace {
  readonly roots: readonly Root[];
  readonly recovered: readonly string[];
  /** An empty step folder with a marker on the folder's file system; `since` is its ctime. */
  newStep(operationId: string): Promise<{ stepFolder: string; since: string }>;
  view(layers: readonly string[]): View;
  stage(operationId: string, view: View): Promise<Stage>;
  /**
   * Meaning of a change set: entries with marks, `.git` in words, regenerable output apart. `signal` ends git's part at once: a summary of
   * then is good for nothing but to be thrown away.
   */
  summarize(set: ChangeSet, facts: SummaryFacts, view: View, signal?: AbortSignal): Promise<ChangeSummary>;
  diffs(set: ChangeSet, view: View): Promise<readonly FileDiff[]>;
  /** Its changes with each new folder that comes whole told entry by entry. */
  unfold(set: ChangeSet): Change[];
  /** A hook or server in force names this file, and runs it outside of the copy (P3). */
  isRunOutside(root: number, path: RawPath): boolean;
  /** A file whose diff is not shown, opened: see `openFile`. */
  openFile(set: ChangeSet, view: View, diff: FileDiff): Promise<FileRows>;
  /** Saves a change set in its step folder, so that a later process can land it; `readProposal` reads it back. */
  saveProposal(set: ChangeSet): Promise<void>;
  readProposal(operationId: string): Promise<ChangeSet | undefined>;
  /** The door. Lands all but `left` or nothing; what it needs to undo is kept. Safe to repeat with the same operation id. */
  land(set: ChangeSet, left?: readonly Left[]): Promise<Landing>;
  /** Leaves in the step's layer only the changes that `keep` names; the rest of it is gone. */
  keep(set: ChangeSet, keep: (change: Change) => boolean): Promise<{ files: number; bytes: number }>;
  /** Change sets that wait as layers of the copy (W6). `regenerable`: what the layer of a settled step holds. */
  pending(regenerable: (change: Change) => boolean): Pending;
  drop(operationId: string): Promise<void>;
  /** The journal's truth about landed and undone steps, oldest first. */
  journal(): Promise<readonly JournalStep[]>;
  /** A landed step's files before programs of the person's run on them; then what these changed becomes the step's (H6). */
  seeStep(operationId: string): Promise<StepSight | undefined>;
  adoptStep(sight: StepSight): Promise<readonly Adopted[]>;
  undo(operationId: string): Promise<UndoReport>;
  redo(operationId: string): Promise<UndoReport>;
  /** Takes several steps back (or brings them back) as one operation: all of them or none, also when the program dies halfway. */
  turn(wanted: UndoWanted): Promise<UndoReport>;
  previewTurn(wanted: UndoWanted): Promise<UndoPreview>;
  turnDiffs(changes: readonly TurnChange[]): Promise<readonly FileDiff[]>;
  /** What a landed or undone step made; undefined for one that the journal doesn't know. */
  stepDiffs(operationId: string): Promise<readonly FileDiff[] | undefined>;
  /** What these steps made together. */
  stepsDiffs(operationIds: readonly string[]): Promise<readonly FileDiff[]>;
  /** What the roots hold that git's last commit doesn't, or why that can't be told. */
  sinceCommit(): Promise<SinceCommit | string>;
  /** What changed between two looks at the journal, cheaply: another text means that somebody landed or undid something. */
  journalStamp(): string;
  close(): Promise<void>;
}
