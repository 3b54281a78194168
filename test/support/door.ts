import { mkdirSync, mkdtempSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { onTestFinished } from "vitest";
import type { Root } from "../../src/events/event.ts";
import { randomId, systemClock } from "../../src/util/system.ts";
import { removeAll } from "../../src/workspace/land-copy.ts";
import { systemDisk } from "../../src/workspace/land-disk.ts";
import { openWorkspace, type WorkspaceDeps } from "../../src/workspace/open.ts";
import type { Workspace } from "../../src/workspace/workspace.ts";

/** Why no second file system can be had for a test, or undefined. */
export function missingOtherDisk(): string | undefined {
  try {
    const dir = mkdtempSync("/dev/shm/understudy-");
    rmSync(dir, { recursive: true });
    return undefined;
  } catch {
    return "no /dev/shm to write to";
  }
}

function fresh(base: string): string {
  const dir = realpathSync(mkdtempSync(join(base, "understudy-")));
  // An ordinary user's folders without w bit hold `rmSync` up.
  onTestFinished(() => removeAll(systemDisk, dir));
  return dir;
}

/** A folder on another file system than the scratch folders, gone after the test. */
export function otherDisk(): string {
  return fresh("/dev/shm");
}

export interface Place {
  folder: string;
  foldersDir: string;
}

/** A person's folder and a state folder; `apart`: on two file systems. In memory where that can be had: no test cuts the power. */
export function place(apart = false): Place {
  const dir = missingOtherDisk() === undefined ? otherDisk() : fresh(tmpdir());
  const state = apart ? fresh(tmpdir()) : dir;
  mkdirSync(join(dir, "work"));
  return { folder: join(dir, "work"), foldersDir: join(state, "state", "folders") };
}

/** The workspace as a session opens it. */
export function openAt(at: Place, deps: Partial<WorkspaceDeps> = {}, more: readonly Root[] = []): Promise<Workspace> {
  const roots: Root[] = [{ path: at.folder, kind: "folder" }, ...more];
  return openWorkspace(
    { roots, foldersDir: at.foldersDir, sessionId: "s_test" },
    { clock: systemClock, makeId: randomId, ...deps },
  );
}
