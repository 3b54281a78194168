import type { Root } from "../events/event.ts";
import { toRaw } from "../util/bytes.ts";
import { findIgnored } from "../workspace/ignored.ts";
import { REGENERABLE_NAMES } from "../workspace/regenerable.ts";
import { joinRaw, type Node, openTree, type Tree } from "../workspace/tree.ts";

/** Folders that are looked into for regenerable names: set-up must not grow with the folder. */
const MAX_FOLDERS = 150;
const MAX_DEPTH = 2;
/** What builds make anew beside these files, and so must be writable before it is there. */
const MADE_BESIDE: readonly (readonly [file: string, names: readonly string[]])[] = [
  ["package.json", ["node_modules", "dist", "build", "coverage", ".cache", ".turbo"]],
  ["next.config.js", [".next"]],
  ["Cargo.toml", ["target"]],
  ["pom.xml", ["target"]],
  ["build.gradle", ["build", ".gradle"]],
  ["build.gradle.kts", ["build", ".gradle"]],
  ["pyproject.toml", ["build", "dist", ".pytest_cache", ".mypy_cache"]],
  ["setup.py", ["build", "dist"]],
];

export interface Writable {
  root: number;
  /** Relative to the root. */
  path: string;
  /** Not there yet: the caller makes it in the throw-away layer. */
  absent: boolean;
}

/**
 * Regenerable folders that a command of plan mode may write, thrown away afterwards (P1, SANDBOX 0.8): those that are
 * there near the top and near the cwd, and those that a build would make there if they are ignored.
 */
export async function writableInPlan(
  roots: readonly Root[],
  layers: readonly string[],
  cwd: string,
): Promise<readonly Writable[]> {
  const [tree, ignored] = await Promise.all([openTree(roots, layers), findIgnored(roots)]);
  const found: Writable[] = [];
  for (const [index, root] of roots.entries()) {
    if (root.kind === "git") continue;
    for (const folder of await foldersOf(tree, index, root, cwd)) {
      const names = new Map(await namesOf(tree, folder));
      const made = MADE_BESIDE.flatMap(([file, list]) => (names.has(file) ? list : []));
      for (const name of new Set([...REGENERABLE_NAMES, ...made])) {
        const path = joinRaw(folder.path, name);
        const type = names.get(name);
        if (type === undefined && !made.includes(name)) continue;
        if ((type !== undefined && type !== "folder") || !ignored(index, `${path}/`)) continue;
        found.push({ root: index, path, absent: type === undefined });
      }
    }
  }
  return found;
}

async function namesOf(tree: Tree, folder: Node): Promise<ReturnType<Tree["names"]>> {
  try {
    return await tree.names(folder);
  } catch {
    return [];
  }
}

/** The root, its folders down to a depth, and the way to the cwd; none inside `.git` or a regenerable folder. */
async function foldersOf(tree: Tree, index: number, root: Root, cwd: string): Promise<Node[]> {
  const top = await tree.root(index);
  if (top === undefined) return [];
  const found = new Map<string, Node>([["", top]]);
  const way = cwd.startsWith(`${root.path}/`) ? toRaw(cwd.slice(root.path.length + 1)).split("/") : [];
  for (const [n] of way.entries()) {
    const node = await tree.find(index, way.slice(0, n + 1).join("/"));
    if (node?.type === "folder") found.set(node.path, node);
  }
  let level: Node[] = [top];
  for (let depth = 0; depth < MAX_DEPTH && found.size < MAX_FOLDERS; depth++) {
    const next: Node[] = [];
    for (const folder of level) {
      for (const [name, type] of await namesOf(tree, folder)) {
        if (found.size + next.length >= MAX_FOLDERS) break;
        if (type !== "folder" || name === ".git" || REGENERABLE_NAMES.includes(name)) continue;
        const node = await tree.child(folder, name);
        if (node !== undefined) next.push(node);
      }
    }
    for (const node of next) found.set(node.path, node);
    level = next;
  }
  return [...found.values()];
}
