import { constants } from "node:fs";
import { access } from "node:fs/promises";
import { dirname, join, relative } from "node:path";
import ignore, { type Ignore } from "ignore";
import { readRegular } from "../util/regular-file.ts";
import { isBelow } from "../workspace/roots.ts";
import type { View } from "../workspace/workspace.ts";

const MOST_BYTES = 16 << 20;

/** What one folder's ignore file says, and whether a repository begins there. */
interface Rules {
  folder: string;
  ignore: Ignore | undefined;
  isTop: boolean;
}

/** What `.gitignore` files keep out of searches and listings. Paths are absolute. */
export interface IgnoreRules {
  /** True where the entry itself, or a folder above it, is ignored. */
  ignores(path: string, isFolder: boolean): Promise<boolean>;
  /** The entry's own name against the rules around it; for walks that don't enter ignored folders. */
  ignoresEntry(path: string, isFolder: boolean): Promise<boolean>;
  /** A repository's top lies at the root or above it. */
  inRepository: boolean;
}

/**
 * The rules of a root: every `.gitignore` from the repository's top (which may lie above the root) downwards, and its `.git/info/exclude`. Without a
 * repository those from the root on. The nearest file decides; within a repository a nested one starts anew.
 */
export async function ignoreRules(root: string, view: View): Promise<IgnoreRules> {
  const repository = await topOf(root);
  const top = repository ?? root;
  const known = new Map<string, Promise<Rules>>();
  const rulesOf = (folder: string): Promise<Rules> => {
    const found = known.get(folder) ?? readRules(folder, root, view);
    known.set(folder, found);
    return found;
  };
  const ignoresEntry = async (path: string, isFolder: boolean): Promise<boolean> => {
    for (let folder = dirname(path); isBelow(top, folder); folder = dirname(folder)) {
      const rules = await rulesOf(folder);
      const said = rules.ignore?.test(relative(folder, path) + (isFolder ? "/" : ""));
      if (said?.ignored === true) return true;
      if (said?.unignored === true || (rules.isTop && repository !== undefined) || folder === "/") return false;
    }
    return false;
  };
  const ignores = async (path: string, isFolder: boolean): Promise<boolean> => {
    const names = relative(root, path)
      .split("/")
      .filter((name) => name !== "");
    for (let n = 1; n <= names.length; n++) {
      if (await ignoresEntry(join(root, ...names.slice(0, n)), isFolder || n < names.length)) return true;
    }
    return false;
  };
  return { ignores, ignoresEntry, inRepository: repository !== undefined };
}

async function topOf(folder: string): Promise<string | undefined> {
  for (let at = folder; ; at = dirname(at)) {
    if (await exists(join(at, ".git"))) return at;
    if (at === dirname(at)) return undefined;
  }
}

async function readRules(folder: string, root: string, view: View): Promise<Rules> {
  const file = join(folder, ".gitignore");
  const found = isBelow(root, folder) ? await view.resolve(file).catch(() => undefined) : undefined;
  const isTop = await exists(join(folder, ".git"));
  // Above the root there are no layers; below it a deleted file says nothing.
  const own = found === undefined ? file : found.exists ? found.real : undefined;
  const exclude = isTop ? await textOf(join(folder, ".git/info/exclude")) : "";
  const texts = [exclude, own === undefined ? "" : await textOf(own)];
  const text = texts.join("\n");
  const rules = text.trim() === "" ? undefined : ignore({ ignoreCase: false, allowRelativePaths: true }).add(text);
  return { folder, ignore: rules, isTop };
}

/** What is no ordinary file says nothing: a command may put a named pipe there. */
async function textOf(path: string): Promise<string> {
  return readRegular(path, { follow: true, most: MOST_BYTES }).then(
    (bytes) => bytes.toString("utf8"),
    () => "",
  );
}

async function exists(path: string): Promise<boolean> {
  return access(path, constants.F_OK).then(
    () => true,
    () => false,
  );
}
