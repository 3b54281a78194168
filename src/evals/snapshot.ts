import { createHash } from "node:crypto";
import { lstatSync, readFileSync, readlinkSync } from "node:fs";
import { setImmediate } from "node:timers/promises";
import { namesIn } from "./raw-names.ts";

/** What lies at each path below a folder: kind and hash. Folders that hold something are not in it. `.git` is left out, at any depth. */
export type Snapshot = ReadonlyMap<string, string>;

/** Reads a folder without following links. A file that can't be read counts by its kind alone. */
export async function snapshotOf(dir: string): Promise<Snapshot> {
  const found = new Map<string, string>();
  await walk(Buffer.from(dir), "", found);
  return found;
}

async function walk(dir: Buffer, path: string, found: Map<string, string>): Promise<void> {
  const names = readable(dir);
  if (names.length === 0 && path !== "") found.set(path, "folder");
  for (const { name, at } of names) {
    if (name === ".git") continue;
    const below = path === "" ? name : `${path}/${name}`;
    const stat = lstatSync(at);
    if (stat.isDirectory()) await walk(at, below, found);
    else if (stat.isSymbolicLink()) found.set(below, `link ${readlinkSync(at)}`);
    else if (stat.isFile()) found.set(below, `${(stat.mode & 0o111) === 0 ? "file" : "program"} ${hashOf(at)}`);
    else found.set(below, "special");
  }
  // Others have their turn in a large folder.
  await setImmediate();
}

function readable(dir: Buffer): ReturnType<typeof namesIn> {
  try {
    return namesIn(dir);
  } catch {
    return [];
  }
}

function hashOf(file: Buffer): string {
  try {
    return createHash("sha256").update(readFileSync(file)).digest("hex");
  } catch {
    return "unreadable";
  }
}

export interface Difference {
  path: string;
  what: "made" | "changed" | "deleted";
}

/** Paths that are not the same in both, sorted, with what became of them on the way from the first to the second. */
export function differences(before: Snapshot, after: Snapshot): Difference[] {
  const paths = [...new Set([...before.keys(), ...after.keys()])].toSorted();
  return paths.flatMap((path): Difference[] => {
    const [old, now] = [before.get(path), after.get(path)];
    if (old === now) return [];
    // A folder that only became empty, or no longer is, tells nothing that its files don't.
    if ((old ?? "folder") === "folder" && (now ?? "folder") === "folder") return [];
    if (old === undefined || old === "folder") return [{ path, what: "made" }];
    return [{ path, what: now === undefined || now === "folder" ? "deleted" : "changed" }];
  });
}
