import type { Root } from "../events/event.ts";
import { rawBytes, type RawPath } from "../util/bytes.ts";
import type { Fingerprint } from "../workspace/change.ts";
import { breathe, hashOf } from "../workspace/fingerprint.ts";
import type { Changed } from "../workspace/mirror.ts";
import { joinRaw, type Node, splitRaw, type Tree } from "../workspace/tree.ts";
import type { Known } from "./group-known.ts";
import { BLOCKED, GONE, layerBytes, layerNames, layerPrint, plainBytes } from "./group-layer.ts";
import type { GroupView } from "./group-view.ts";

export interface MirrorParts {
  stepFolder: string;
  roots: readonly Root[];
  view: GroupView;
  known: Known;
  /** Kept from commands by a rule: neither written nor taken away in the view, where it may be covered. */
  hidden(path: RawPath): boolean;
}

/** Larger ones of the same size are taken to differ. */
const COMPARED = 4 << 20;

/**
 * Writes what changed in the person's folder into a group's view. A path that the group changed itself is left as the group has it,
 * and is one of those returned. Throws for what the group's file system refuses, when the rest is written.
 */
export async function mirror(parts: MirrorParts, tree: Tree, changed: readonly Changed[]): Promise<Changed[]> {
  const clashes: Changed[] = [];
  const failed: unknown[] = [];
  // Folders before what lies in them; deletions below a folder that goes are then done already.
  for (const one of changed.toSorted((a, b) => (a.path < b.path ? -1 : 1))) {
    await breathe();
    await mirrorOne(parts, tree, one, clashes).catch((error: unknown) => failed.push(error));
  }
  if (failed.length > 0) throw failed[0];
  return clashes;
}

async function mirrorOne(parts: MirrorParts, tree: Tree, one: Changed, clashes: Changed[]): Promise<void> {
  const { root, path } = one;
  if (path === "" || parts.hidden(path)) return;
  const node = await tree.find(root, path);
  const source = sourceOf(node);
  const known = parts.known.get(root, path);
  if (node === undefined && known?.source === GONE && known.print === GONE) return;
  if (one.maybe === true && known?.source === source && node?.type !== "folder") return;
  // It came from here; what the group made of it since is its own, and made from that.
  const own = one.by !== undefined && known?.offered === one.by;
  if (own && known.print !== printIn(parts, one)) {
    const { print } = known;
    return parts.known.put({ root, path, print, source });
  }
  if (!own && isOwn(parts, one, node)) return void clashes.push(one);
  let written = true;
  try {
    written = await write(parts, tree, one, node);
  } finally {
    // What was done of it before it failed is no change of the group's either.
    if (written) parts.known.put({ root, path, print: printIn(parts, one), source });
  }
  if (!written) return;
  if (one.deep !== true || node?.type !== "folder") return;
  const names = new Set((await tree.names(node)).map(([name]) => name));
  const has = (await parts.view.at(rootPath(parts, root), path, (held) => Promise.resolve(held.names()))) ?? [];
  for (const name of new Set([...names, ...has])) {
    await breathe();
    const maybe = !names.has(name) || one.maybe === true;
    if (!names.has(name) && isOwn(parts, { root, path: joinRaw(path, name) }, undefined)) continue;
    await mirrorOne(parts, tree, { root, path: joinRaw(path, name), deep: true, maybe }, clashes);
  }
}

function printIn({ stepFolder }: MirrorParts, { root, path }: Changed): string {
  return layerPrint(stepFolder, root, path) ?? GONE;
}

/** Writes one entry; folders on the way to it that the group doesn't have are made. False where there is no way. */
async function write(
  parts: MirrorParts,
  tree: Tree,
  { root, path }: Changed,
  node: Node | undefined,
): Promise<boolean> {
  const [folder, name] = splitRaw(path);
  const { view } = parts;
  const put = (): Promise<boolean | undefined> =>
    view.at(rootPath(parts, root), folder, async (held) => {
      if (node === undefined) await view.remove(held, name);
      else await view.put(held, name, node);
      return true;
    });
  if ((await put()) === true) return true;
  if (node === undefined || folder === "") return false;
  const above = await tree.find(root, folder);
  if (above === undefined || isOwn(parts, { root, path: folder }, above)) return false;
  return (await write(parts, tree, { root, path: folder }, above)) && (await put()) === true;
}

/** Whether the group has a change of its own at a path, other than what comes now. */
function isOwn({ stepFolder, known }: MirrorParts, { root, path, before }: Changed, node: Node | undefined): boolean {
  const print = layerPrint(stepFolder, root, path);
  const line = known.get(root, path);
  // What was offered and did not land is the group's own still.
  if (print === undefined || (print === line?.print && line.offered === undefined)) return false;
  if (print === BLOCKED) return true;
  if (print === GONE) return node !== undefined;
  if (print.startsWith("folder ")) return node?.type !== "folder" && holdsOwn(stepFolder, known, root, path);
  const mine = (): Buffer => layerBytes(stepFolder, root, path);
  return !isUntouched(mine, print, before) && (node === undefined || !sameBytes(mine, node));
}

/** A copy of what lay there before, as overlay makes one of a file that is opened to be written. */
function isUntouched(mine: () => Buffer, print: string, before: Fingerprint | undefined): boolean {
  const [, , size, mtime] = print.split(" ");
  if (before?.type !== "file" || size !== String(before.size)) return false;
  if (mtime === before.mtime) return true;
  try {
    return before.hash !== undefined && hashOf(mine()) === before.hash;
  } catch {
    return false;
  }
}

/** Whether a folder of the layer holds anything that the group made or changed itself. */
export function holdsOwn(stepFolder: string, known: Known, root: number, path: RawPath): boolean {
  return layerNames(stepFolder, root, path).some((name) => {
    const below = joinRaw(path, name);
    const print = layerPrint(stepFolder, root, below);
    if (print?.startsWith("folder ") === true) return holdsOwn(stepFolder, known, root, below);
    return print !== undefined && print !== GONE && print !== known.get(root, below)?.print;
  });
}

function sameBytes(mine: () => Buffer, node: Node): boolean {
  const place = node.places[0]?.real;
  if (node.type !== "file" || place === undefined || node.stat.size > COMPARED) return false;
  try {
    return mine().equals(plainBytes(rawBytes(place)));
  } catch {
    return false;
  }
}

/** What the group saw last of the person's own entry. */
export function sourceOf(node: Node | undefined): string {
  return node === undefined ? GONE : `${node.stat.ctimeNs} ${node.stat.ino}`;
}

function rootPath({ roots }: MirrorParts, root: number): string {
  const found = roots[root];
  if (found === undefined) throw new Error(`no root ${root}`);
  return found.path;
}
