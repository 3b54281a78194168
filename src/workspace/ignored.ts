import { relative } from "node:path";
import ignore, { type Ignore } from "ignore";
import type { Root } from "../events/event.ts";
import { rawBytes, showPath, toRaw, type RawPath } from "../util/bytes.ts";
import { NOT_REGULAR, readRegular } from "../util/regular-file.ts";
import { parseIndex } from "./git-index.ts";
import { findGit, type GitPlace } from "./git-place.ts";
import { idBytesOf } from "./git-refs.ts";
import { joinRaw, splitRaw } from "./tree.ts";

/** Whether an entry is untracked and ignored; a folder's path ends in `/`. Paths are relative to their root. */
export type Ignored = (root: number, path: RawPath) => boolean;

const ABSENT = new Set(["ENOENT", "ENOTDIR", "ELOOP"]);

/**
 * Reads what git ignores and tracks, as it is now: the answers stay the same whatever happens to the files later (P9), so
 * call it when the session begins and again when a person approved a change of them. A root without git: everything
 * counts as ignored, names alone decide. Where the index can't be read nothing is ignored. The person's global excludes
 * are not read: they only would ignore more.
 */
export async function findIgnored(roots: readonly Root[]): Promise<Ignored> {
  const tests = await Promise.all(roots.map(ofRoot));
  return (root, path) => tests[root]?.(path) ?? false;
}

async function ofRoot({ kind, path }: Root): Promise<(path: RawPath) => boolean> {
  if (kind === "git") return () => false;
  const git = await findGit(path);
  if (git === undefined) return () => true;
  const prefix = toRaw(relative(git.workTree, path));
  const tracked = await trackedOf(git);
  if (tracked === undefined) return () => false;
  const rules = await rulesOf(git, new Set([...tracked.folders, ...parentsOf(prefix)]));
  return (below) => {
    const whole = joinRaw(prefix, below);
    if (tracked.files.has(whole) || tracked.folders.has(whole.replace(/\/$/, ""))) return false;
    return matches(rules, whole);
  };
}

/** A path's folders with itself: a/b → "", a, a/b. */
function parentsOf(path: RawPath): RawPath[] {
  const names = path === "" ? [] : path.split("/");
  return ["", ...names.map((_, n) => names.slice(0, n + 1).join("/"))];
}

async function read(path: string): Promise<Buffer | undefined> {
  try {
    return await readRegular(rawBytes(path), { follow: true });
  } catch (error) {
    if (error instanceof Error && "code" in error && ABSENT.has(String(error.code))) return undefined;
    throw error;
  }
}

interface Tracked {
  files: ReadonlySet<RawPath>;
  folders: ReadonlySet<RawPath>;
}

async function trackedOf(git: GitPlace): Promise<Tracked | undefined> {
  const files = new Set<RawPath>();
  const folders = new Set<RawPath>();
  try {
    const bytes = await read(toRaw(`${git.gitDir}/index`));
    const config = (await read(toRaw(`${git.commonDir}/config`)))?.toString("utf8") ?? "";
    for (const { path } of bytes === undefined ? [] : parseIndex(bytes, idBytesOf(config))) {
      files.add(path);
      for (let [folder] = splitRaw(path); folder !== "" && !folders.has(folder); [folder] = splitRaw(folder)) {
        folders.add(folder);
      }
    }
  } catch {
    return undefined;
  }
  return { files, folders };
}

/** One ignore file. */
interface IgnoreFile {
  text: string;
  rules: Ignore;
}

interface Rules {
  /** Of `.gitignore` files, by the folder that they lie in. */
  byFolder: ReadonlyMap<RawPath, IgnoreFile>;
  exclude: IgnoreFile;
}

const options = { ignoreCase: false, allowRelativePaths: true };

/** What is no ordinary file ignores nothing; a session begins all the same. */
async function readRules(path: string): Promise<Buffer | undefined> {
  try {
    return await read(path);
  } catch (error) {
    if (error instanceof Error && "code" in error && [NOT_REGULAR, "EFBIG"].includes(String(error.code)))
      return undefined;
    throw error;
  }
}

function rulesIn(bytes: Buffer | undefined): IgnoreFile {
  const text = bytes?.toString("utf8") ?? "";
  return { text, rules: ignore(options).add(text) };
}

/**
 * What one ignore file says of a path itself. The package passes "ignored" down from a folder, but here a folder was asked
 * before its entries: where its own file says "ignored", a deeper one said otherwise, and that must not come back.
 */
function says(file: IgnoreFile, path: string): { ignored: boolean; unignored: boolean } {
  const said = file.rules.test(path);
  const names = path.replace(/\/$/, "").split("/");
  const above = names.slice(1).map((_, n) => `${names.slice(0, n + 1).join("/")}/`);
  if (!said.ignored || !above.some((folder) => file.rules.ignores(folder))) return said;
  const freed = above.map((folder) => `!/${folder.replace(/[\\*?[\]!# ]/g, "\\$&")}`);
  return ignore(options).add(file.text).add(freed).test(path);
}

async function rulesOf(git: GitPlace, folders: ReadonlySet<RawPath>): Promise<Rules> {
  const byFolder = new Map<RawPath, IgnoreFile>();
  const all = [...folders];
  for (let at = 0; at < all.length; at += 64) {
    const some = all.slice(at, at + 64);
    const texts = await Promise.all(some.map((f) => readRules(`${toRaw(git.workTree)}/${joinRaw(f, ".gitignore")}`)));
    texts.forEach((text, n) => {
      if (text !== undefined) byFolder.set(some[n] ?? "", rulesIn(text));
    });
  }
  return { byFolder, exclude: rulesIn(await readRules(toRaw(`${git.commonDir}/info/exclude`))) };
}

/** An entry is ignored when it or a folder above it is. */
function matches(rules: Rules, path: RawPath): boolean {
  const isFolder = path.endsWith("/");
  const names = path.replace(/\/$/, "").split("/");
  return names.some((_, n) => {
    const above = names.slice(0, n + 1).join("/");
    return matchesAt(rules, above, isFolder || n < names.length - 1);
  });
}

/** The nearest ignore file that says anything decides; `.git/info/exclude` comes last. */
function matchesAt(rules: Rules, path: RawPath, isFolder: boolean): boolean {
  for (let [folder] = splitRaw(path); ; [folder] = splitRaw(folder)) {
    const found = rules.byFolder.get(folder);
    const own = folder === "" ? path : path.slice(folder.length + 1);
    const said = found === undefined ? undefined : says(found, showPath(own) + (isFolder ? "/" : ""));
    if (said?.ignored === true) return true;
    if (said?.unignored === true) return false;
    if (folder === "") break;
  }
  return says(rules.exclude, showPath(path) + (isFolder ? "/" : "")).ignored;
}
