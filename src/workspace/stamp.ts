import { createHash } from "node:crypto";
import type { Root } from "../events/event.ts";
import type { RawPath } from "../util/bytes.ts";
import type { Ignored } from "./ignored.ts";
import { regenerableFolder } from "./regenerable.ts";
import { type Node, openTree } from "./tree.ts";

/**
 * Hash of what a command in the copy would find now: names, types, modes, sizes and times of all entries of the roots with the layers over them,
 * but for `.git` and regenerable output. Times (which no write can keep) instead of content, since a folder has to be told apart in a moment; so the
 * same bytes written anew are another tree. Anything in the way (a folder that is gone, an aborted signal) gives a hash that no tree has.
 * @param layers step folders, oldest first.
 */
export async function treeStamp(
  roots: readonly Root[],
  layers: readonly string[],
  ignored: Ignored,
  signal: AbortSignal,
): Promise<string> {
  const hash = createHash("sha256").update(JSON.stringify(roots.map((r) => r.path)));
  const skip = (node: Node) =>
    node.path.split("/").at(-1) === ".git" ||
    regenerableFolder(node.root, node.path, node.type === "folder", ignored) !== undefined;
  const whole = await walkTree(roots, layers, signal, (node) => {
    if (skip(node)) return false;
    const { mode, size, mtimeNs, ctimeNs } = node.stat;
    const times = node.type === "folder" ? "" : `${size} ${mtimeNs} ${ctimeNs}`;
    hash.update(`${node.root} ${node.path}\0${mode} ${times}\0`);
    return true;
  });
  return whole ? hash.digest("hex") : "";
}

/** Whether some entry fits, as the session sees the roots. `look`: "yes", or whether something below may. */
export async function hasEntry(
  roots: readonly Root[],
  layers: readonly string[],
  signal: AbortSignal,
  look: (path: RawPath) => "yes" | "below" | "no",
): Promise<boolean> {
  let found = false;
  await walkTree(roots, layers, signal, (node) => {
    if (found) return false;
    const hit = node.path === "" ? "below" : look(node.path);
    found = hit === "yes";
    return hit === "below";
  });
  return found;
}

/** Visits every entry, folders before what is in them; `visit` says whether to go into it. False: it did not come to its end. */
async function walkTree(
  roots: readonly Root[],
  layers: readonly string[],
  signal: AbortSignal,
  visit: (node: Node) => boolean,
): Promise<boolean> {
  const tree = await openTree(roots, layers);
  const walk = async (node: Node | undefined): Promise<boolean> => {
    if (signal.aborted) return false;
    if (node === undefined || !visit(node) || node.type !== "folder") return true;
    for (const [name] of await tree.names(node)) if (!(await walk(await tree.child(node, name)))) return false;
    return true;
  };
  try {
    for (const [index, { kind }] of roots.entries()) {
      if (kind !== "git" && !(await walk(await tree.root(index)))) return false;
    }
    return true;
  } catch (error) {
    // A folder that may not be looked into, or that went meanwhile.
    if (error instanceof Error && "code" in error) return false;
    throw error;
  }
}
