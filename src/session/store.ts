import { chmodSync, lstatSync, mkdirSync, realpathSync } from "node:fs";
import { open } from "node:fs/promises";
import { constants } from "node:fs";
import { dirname, join } from "node:path";
import { hashText } from "../util/hash.ts";

/** Where the program keeps its own things; all folders 0700, all files 0600. */
export interface Store {
  config: string;
  state: string;
  sessions: string;
  folders: string;
  content: string;
  results: string;
  /** The chain's key, apart from the logs (E1). */
  key: string;
}

/** The program's own folders can't be used: the person's to mend. */
export class StoreError extends Error {
  override name = "StoreError";
}

/**
 * Makes the folders that are missing.
 * @throws StoreError naming the folder, when one is a link, is another user's, or can't be made.
 */
export function openStore(dirs: { config: string; state: string }): Store {
  const store: Store = {
    ...dirs,
    sessions: join(dirs.state, "sessions"),
    folders: join(dirs.state, "folders"),
    content: join(dirs.state, "content"),
    results: join(dirs.state, "results"),
    key: join(dirs.config, "key"),
  };
  for (const dir of [store.config, store.state, store.sessions, store.folders, store.content, store.results])
    ownFolder(dir);
  return store;
}

/** Settings and state as real paths: where one lies inside of a root, no tool may look into it or change it. */
export function ownFolders(store: Store): readonly string[] {
  return [store.config, store.state].map((dir) => realpathSync(dir));
}

/** The model's own notes on a project; made with the first of them. */
export function memoryFolder(store: Store, project: string): string {
  return join(realpathSync(store.state), "memory", hashText(project).slice(0, 16));
}

/** Parent by parent: Node's own way never ends below /proc, where making a folder says that its parent is not there. */
function makeFolder(dir: string): void {
  if (lstatSync(dir, { throwIfNoEntry: false }) !== undefined) return;
  if (dirname(dir) !== dir) makeFolder(dirname(dir));
  try {
    mkdirSync(dir, { mode: 0o700 });
  } catch (error) {
    if (!(error instanceof Error && "code" in error && error.code === "EEXIST")) throw error;
  }
}

function ownFolder(dir: string): void {
  try {
    makeFolder(dir);
    const stat = lstatSync(dir);
    if (!stat.isDirectory()) throw new Error("it is not a folder");
    if (process.getuid !== undefined && stat.uid !== process.getuid())
      throw new Error(`it belongs to user ${stat.uid}`);
    if ((stat.mode & 0o077) !== 0) chmodSync(dir, 0o700);
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    throw new StoreError(
      `Can't use ${dir} for the program's own files: ${why}. Set XDG_STATE_HOME or UNDERSTUDY_CONFIG to a folder of yours.`,
      { cause: error },
    );
  }
}

/** Keeps a long result for the model to read in parts: `<results>/<session>/<call>.txt`, 0600. Gives its path. */
export async function spill(folder: string, callId: string, text: string): Promise<string> {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const path = join(folder, `${callId.replaceAll(/[^A-Za-z0-9_-]/g, "_").slice(0, 80)}.txt`);
  const file = await open(
    path,
    constants.O_WRONLY | constants.O_CREAT | constants.O_TRUNC | constants.O_NOFOLLOW,
    0o600,
  );
  try {
    await file.writeFile(text);
  } finally {
    await file.close();
  }
  return path;
}
