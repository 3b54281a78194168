import { readlink } from "node:fs/promises";
import type { Root } from "../events/event.ts";
import { rawBytes, type RawPath, showPath, toRaw } from "../util/bytes.ts";
import { rootOf } from "./roots.ts";
import { type Node, type NodeType, openTree, statOf, type Tree } from "./tree.ts";
import type { Resolved, View } from "./workspace.ts";

/** The door's own temporary names. Hidden from listings alone: what is judged may carry such a name as well. */
const DOOR_NAME = /^\.understudy-.+-\d+$/;
/** As many as Linux follows. */
const MAX_LINKS = 40;

/** A path that can't be looked up, in words for people and the model; `code` is the system's, or "NUL" or "RELATIVE". */
export class PathError extends Error {
  readonly code: string;
  constructor(code: string, message: string) {
    super(message);
    this.name = "PathError";
    this.code = code;
  }
}

/** What a walk has reached: below a root a node of the tree, elsewhere the plain file system. */
interface Reached {
  /** Raw, absolute, without a link in it; "" is `/`. */
  at: string;
  type?: NodeType | undefined;
  node?: Node | undefined;
}

/** The roots with kept layers over them (oldest first). `resolve` and `list` throw `PathError` for a path that can't be. */
export function createView(roots: readonly Root[], layers: readonly string[]): View {
  let opened: Promise<Tree> | undefined;
  const tree = (): Promise<Tree> => (opened ??= openTree(roots, layers));
  return {
    layers,
    resolve: async (path, how = "follow") => describe(await reach(roots, await tree(), toRaw(path), how), roots),
    list: async (path) => {
      const open = await tree();
      const found = await reach(roots, open, toRaw(path), "follow");
      if (found.node?.type !== "folder") throw new PathError("ENOTDIR", `${path} is no folder inside the roots`);
      const names = (await open.names(found.node)).filter(([name]) => !DOOR_NAME.test(name));
      return names.map(([name, type]) => ({ name: showPath(name), type }));
    },
  };
}

/** Where a raw absolute path leads in a given tree: what `View.resolve` answers, for a change set that would land as well. */
export async function resolveIn(roots: readonly Root[], tree: Tree, path: RawPath): Promise<Resolved> {
  return describe(await reach(roots, tree, path, "follow"), roots);
}

async function reach(roots: readonly Root[], tree: Tree, path: RawPath, how: "follow" | "stay"): Promise<Reached> {
  if (path.includes("\0")) throw new PathError("NUL", "a path can't hold a NUL byte");
  if (!path.startsWith("/")) throw new PathError("RELATIVE", `${showPath(path)} is no absolute path`);
  try {
    return await walk(roots, tree, path, how);
  } catch (error) {
    if (error instanceof PathError || !(error instanceof Error) || !("code" in error)) throw error;
    const why: Record<string, string> = { ENAMETOOLONG: "the name is too long", EACCES: "permission denied" };
    throw new PathError(String(error.code), `${showPath(path)}: ${why[String(error.code)] ?? error.message}`);
  }
}

async function walk(roots: readonly Root[], tree: Tree, path: string, how: "follow" | "stay"): Promise<Reached> {
  const todo = path.split("/").toReversed();
  let now: Reached = { at: "", type: "folder" };
  const above: Reached[] = [];
  for (let links = 0, name = todo.pop(); name !== undefined; name = todo.pop()) {
    if (name === "" || name === ".") continue;
    if (name === "..") {
      // Of a link as the system says: else a name that a later step makes would decide where an earlier link leads.
      if (links > 0 && now.type !== "folder")
        throw new PathError(now.type === undefined ? "ENOENT" : "ENOTDIR", notThere(path, now));
      now = above.pop() ?? { at: "", type: "folder" };
      continue;
    }
    const next = await step(roots, tree, now, name);
    if (next.type !== "link" || (how === "stay" && todo.every((n) => n === ""))) {
      above.push(now);
      now = next;
      continue;
    }
    if (++links > MAX_LINKS) throw new PathError("ELOOP", `${showPath(path)}: too many links, one leads to itself`);
    const target = await readlink(rawBytes(next.node?.places[0]?.real ?? next.at), { encoding: "buffer" });
    const raw = target.toString("latin1");
    todo.push(...raw.split("/").toReversed());
    if (raw.startsWith("/")) {
      above.length = 0;
      now = { at: "", type: "folder" };
    }
  }
  return now;
}

function notThere(path: string, { at, type }: Reached): string {
  return `${showPath(path)}: ${showPath(at)} is ${type === undefined ? "not there" : "no folder"}`;
}

/** One name further. */
async function step(roots: readonly Root[], tree: Tree, from: Reached, name: string): Promise<Reached> {
  const at = `${from.at}/${name}`;
  if (from.node !== undefined) {
    const node = await tree.child(from.node, name);
    return { at, node, type: node?.type };
  }
  const root = roots.findIndex((r) => toRaw(r.path) === at);
  if (root >= 0) {
    const node = await tree.root(root);
    return { at, node, type: node?.type };
  }
  const stat = from.type === "folder" ? await statOf(at) : undefined;
  if (stat === undefined) return { at };
  const folderOrSpecial = stat.isDirectory() ? "folder" : "special";
  return { at, type: stat.isFile() ? "file" : stat.isSymbolicLink() ? "link" : folderOrSpecial };
}

function describe(found: Reached, roots: readonly Root[]): Resolved {
  const path = found.at === "" ? "/" : showPath(found.at);
  const root = rootOf(roots, path);
  const base = { path, real: showPath(found.node?.places[0]?.real ?? (found.at === "" ? "/" : found.at)) };
  const where = { ...base, inside: root >= 0, root };
  if (found.type === undefined) return { ...where, exists: false };
  if (found.node === undefined) return { ...where, exists: true, type: found.type };
  const { size, mtimeMs } = found.node.stat;
  return { ...where, exists: true, type: found.type, size: Number(size), mtimeMs: Number(mtimeMs) };
}
