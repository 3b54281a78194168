import { isAbsolute, join, resolve } from "node:path";
import type { Root } from "../events/event.ts";
import { showPath, toRaw, type RawPath } from "../util/bytes.ts";
import { readRegular } from "../util/regular-file.ts";
import { isControl } from "./control.ts";
import { findGit, type GitPlace } from "./git-place.ts";
import { rootOf } from "./roots.ts";
import { joinRaw, rawIn, splitRaw, type Tree } from "./tree.ts";
import { resolveIn } from "./view.ts";

/** Whether a path steers what runs later although its name says nothing of it. */
export type Steers = (root: number, path: RawPath) => Promise<boolean>;

/** Keys of git's config whose value names a file that git reads or a program that it starts. */
const NAMING =
  /^(?:hookspath|path|fsmonitor|sshcommand|gitproxy|editor|pager|askpass|clean|smudge|process|textconv|command|driver|program|helper|cmd|tool|attributesfile|templatedir)$/;
/** What git takes for a repository has one of these lists; the second is a work tree's own part, the last what such a part names as its common one. */
const GIT_DIRS: readonly (readonly RawPath[])[] = [
  ["HEAD", "objects", "refs"],
  ["HEAD", "commondir"],
  ["config", "objects", "refs"],
  ["hooks", "objects", "refs"],
];

/**
 * Finds what steers programs by content rather than by name (P3): what git's config names inside the roots (hooks, included files,
 * programs), what a hook or another protected name links to, and every file of a git dir that is not called `.git`: git takes it
 * for a repository as soon as somebody stands in it. `own`: folders of this program's, settings and state. `before` and `after`: the roots without and with what would land.
 */
export async function findSteering(
  roots: readonly Root[],
  before: Tree,
  after: Tree,
  own: readonly string[] = [],
): Promise<Steers> {
  const named: string[] = [...own];
  for (const [index, root] of roots.entries()) named.push(...(await linkedFrom(roots, before, index, root)));
  for (const root of roots) named.push(...(await namedByGit(root)));
  const inside = named.flatMap((path) => {
    const n = rootOf(roots, path);
    const base = roots[n]?.path;
    return base === undefined || path === base ? [] : [`${n}:${toRaw(path.slice(base.length + 1))}`];
  });
  const known = new Map<string, Promise<boolean>>();
  const isGitDir = (root: number, folder: RawPath): Promise<boolean> => {
    const key = `${root}:${folder}`;
    const found = known.get(key) ?? looksLikeGit(after, root, folder);
    known.set(key, found);
    return found;
  };
  return async (root, path) => {
    const key = `${root}:${path}`;
    if (inside.some((steered) => key === steered || key.startsWith(`${steered}/`))) return true;
    // A root that is a git dir is judged as one, by meaning.
    if (roots[root]?.kind === "git") return false;
    for (let [folder] = splitRaw(path); ; [folder] = splitRaw(folder)) {
      if (await isGitDir(root, folder)) return true;
      if (folder === "") return false;
    }
  };
}

async function looksLikeGit(tree: Tree, root: number, folder: RawPath): Promise<boolean> {
  for (const names of GIT_DIRS) {
    const found = await Promise.all(names.map((name) => tree.find(root, joinRaw(folder, name))));
    if (found.every((node) => node !== undefined)) return true;
  }
  return false;
}

/** Where protected names at the top of a root, and git's hooks, link to. */
async function linkedFrom(roots: readonly Root[], tree: Tree, index: number, root: Root): Promise<string[]> {
  const folders: RawPath[] = root.kind === "git" ? ["hooks"] : ["", ".git/hooks"];
  const found: string[] = [];
  for (const folder of folders) {
    const node = await tree.find(index, folder);
    const names = node?.type === "folder" ? await tree.names(node) : [];
    for (const [name, type] of names) {
      const path = joinRaw(folder, name);
      if (type !== "link" || (folder === "" && !isControl(path))) continue;
      const end = await resolveIn(roots, tree, rawIn(root, path)).catch(() => undefined);
      if (end?.inside === true) found.push(end.path);
    }
  }
  return found;
}

/** Absolute paths that the config of a root's repository names. */
async function namedByGit(root: Root): Promise<string[]> {
  const git = root.kind === "git" ? undefined : await findGit(root.path);
  if (git === undefined) return [];
  const files = [join(git.commonDir, "config"), join(git.gitDir, "config.worktree")];
  const texts = await Promise.all(files.map(configText));
  return texts.flatMap((text) => namedIn(text, git));
}

function configText(file: string): Promise<string> {
  return readRegular(file, { follow: true, most: 16 << 20 }).then(
    (bytes) => bytes.toString("utf8"),
    () => "",
  );
}

function namedIn(config: string, git: GitPlace): string[] {
  let section = "";
  return config.split("\n").flatMap((line) => {
    section = /^\s*\[\s*([\w.-]+)/.exec(line)?.[1]?.toLowerCase() ?? section;
    const [, key = "", value = ""] = /(?:^|\])\s*([A-Za-z][\w-]*)\s*=\s*(.*?)\s*$/.exec(line) ?? [];
    if (section !== "alias" && !NAMING.test(key.toLowerCase())) return [];
    const base = section.startsWith("include") ? git.commonDir : git.workTree;
    const words = [value, ...value.split(/\s+/)].map((word) => word.replace(/^!|["'\\;]/g, ""));
    return words.filter((word) => word !== "" && !/^[-~]/.test(word)).map((word) => pathOf(word, base));
  });
}

function pathOf(word: string, base: string): string {
  return isAbsolute(word) ? resolve(word) : resolve(base, showPath(toRaw(word)));
}
