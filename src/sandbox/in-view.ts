import { join } from "node:path";
import type { Root } from "../events/event.ts";
import { showPath, toRaw } from "../util/bytes.ts";
import { isBelow, pathIn, rootOf } from "../workspace/roots.ts";
import { type Node, openTree, type Tree } from "../workspace/tree.ts";
import { codeOf } from "./clone.ts";
import { kindOf, type Kind } from "./home.ts";
import type { Below, Placed } from "./plan.ts";
import { SandboxError } from "./sandbox-error.ts";

/**
 * Of what is to be put below roots, that which has a place there as commands will see it, layers and all. What puts it there follows
 * links, and makes what is missing: where a layer has a link, something of another kind or nothing on the way, the person's own is not
 * reachable by that path, so there is nothing to cover. In a folder that the layer closed to its owner the whole folder is covered:
 * a command could open it again.
 */
export async function inView(
  roots: readonly Root[],
  layers: readonly string[],
  all: readonly Below[],
): Promise<Placed[]> {
  if (all.every((placed) => rootOf(roots, placed.at) < 0)) return [...all];
  const tree = await openTree(roots, layers);
  const kept: Below[] = [];
  for (const placed of all) {
    const n = rootOf(roots, placed.at);
    const root = roots[n];
    const covered = kept.some((k) => k.kind === "empty" && k.at !== placed.at && isBelow(k.at, placed.at));
    if (root === undefined || root.path === placed.at || covered) {
      kept.push(placed);
      continue;
    }
    const found = await findOpen(tree, n, pathIn(root.path, placed.at));
    if (found === undefined) continue;
    if (found.closed) kept.push({ kind: "empty", at: join(root.path, showPath(found.node.path)), sizeMb: 1 });
    else if ((found.node.type === "folder") === (needs(placed) === "folder") && found.node.type !== "link")
      kept.push(placed);
  }
  return kept;
}

function needs(placed: Below): Kind {
  if (placed.kind === "blank") return "file";
  return "from" in placed ? (kindOf(placed.from) ?? "file") : "folder";
}

/** The entry at a path, or the folder on the way that may not be looked into. */
async function findOpen(tree: Tree, root: number, path: string): Promise<{ node: Node; closed: boolean } | undefined> {
  let node = await tree.root(root);
  for (const name of toRaw(path).split("/")) {
    if (node === undefined) return undefined;
    try {
      node = await tree.child(node, name);
    } catch (error) {
      if (codeOf(error) !== "EACCES") throw error;
      if (node?.path === "" || node === undefined)
        throw new SandboxError("the folder is closed to its own user; open it with chmod");
      return { node, closed: true };
    }
  }
  return node === undefined ? undefined : { node, closed: false };
}
