import type { Root } from "../events/event.ts";
import type { Clock } from "../util/deps.ts";
import type { Journal } from "./journal.ts";
import type { Disk } from "./land-disk.ts";

/** What the door's parts share. Made once by `openWorkspace`. */
export interface Door {
  /** Writes into the roots: for `land*.ts` alone. */
  disk: Disk;
  /** The same disk, guarded: writes below the state's folders only. */
  state: Disk;
  roots: readonly Root[];
  foldersDir: string;
  sessionId: string;
  clock: Clock;
  pid: number;
  /** Effective user: 0 needs no mode bits. */
  uid: number;
  /** Path of the root whose journal holds the plans: the folder. */
  home: string;
  journal: Journal;
  /** Makes all of a file system durable at once (`sync -f`); without it files are made durable one by one. */
  syncFs?: ((folder: string) => Promise<void>) | undefined;
  /** Absolute path of git, found outside the roots. */
  git?: string | undefined;
  /** What recovery does with an unfinished pass; "back" is for tests. */
  recover: "forward" | "back";
  /** Bounds of what undo may occupy. */
  keep: { steps: number; bytes: number };
}
