import {
  chmodSync,
  copyFileSync,
  linkSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  symlinkSync,
  utimesSync,
} from "node:fs";
import { type Change, type ChangeSet, upperOf } from "../../src/workspace/change.ts";
import { fingerprint } from "../../src/workspace/fingerprint.ts";
import { systemDisk } from "../../src/workspace/land-disk.ts";
import type { Workspace } from "../../src/workspace/workspace.ts";

const raw = (path: string) => Buffer.from(path, "latin1");

/** Copies a tree as it is: modes, times, links; hard links among its files stay links. Paths are raw. */
export function copyTree(from: string, to: string, links = new Map<bigint, string>()): void {
  const stat = lstatSync(raw(from), { bigint: true });
  const mode = Number(stat.mode) & 0o7777;
  if (stat.isSymbolicLink()) return symlinkSync(readlinkSync(raw(from), "buffer"), raw(to));
  if (stat.isDirectory()) {
    mkdirSync(raw(to));
    for (const name of readdirSync(raw(from), { encoding: "buffer" })) {
      copyTree(`${from}/${name.toString("latin1")}`, `${to}/${name.toString("latin1")}`, links);
    }
  } else {
    const twin = stat.nlink > 1n ? links.get(stat.ino) : undefined;
    if (twin !== undefined) return linkSync(raw(twin), raw(to));
    copyFileSync(raw(from), raw(to));
    links.set(stat.ino, to);
  }
  chmodSync(raw(to), mode);
  utimesSync(raw(to), Number(stat.atimeNs) / 1e9, Number(stat.mtimeNs) / 1e9);
}

export interface ToOptions {
  /** New folders as one change each; else each entry by itself. */
  whole?: boolean;
  root?: number;
}

/**
 * The step of a command that would make `folder` what `wanted` is: its layer and its change set, in the shape that the scan
 * of an overlay gives. Paths are raw absolute.
 */
export async function stepTo(
  ws: Workspace,
  operationId: string,
  folder: string,
  wanted: string,
  options: ToOptions = {},
): Promise<ChangeSet> {
  const { stepFolder, since } = await ws.newStep(operationId);
  const changes = changesTo(stepFolder, folder, wanted, options);
  return { operationId, stepFolder, since, changes };
}

/** Fills a step's layer for one root and lists what it changes. */
export function changesTo(stepFolder: string, folder: string, wanted: string, options: ToOptions = {}): Change[] {
  const root = options.root ?? 0;
  const upper = upperOf(stepFolder, root);
  mkdirSync(raw(upper), { recursive: true });
  const changes: Change[] = [];
  const links = new Map<bigint, string>();
  compare("");
  return changes;

  function names(path: string): string[] {
    return readdirSync(raw(path), { encoding: "buffer" }).map((name) => name.toString("latin1"));
  }
  function compare(below: string): void {
    const at = (base: string): string => (below === "" ? base : `${base}/${below}`);
    const [ours, theirs] = [names(at(folder)), names(at(wanted))];
    for (const name of new Set([...ours, ...theirs].toSorted())) {
      const path = below === "" ? name : `${below}/${name}`;
      entry(path, ours.includes(name), theirs.includes(name));
    }
  }
  function entry(path: string, isOld: boolean, isNew: boolean): void {
    const before = isOld ? fingerprint(systemDisk, `${folder}/${path}`) : undefined;
    const after = isNew ? fingerprint(systemDisk, `${wanted}/${path}`) : undefined;
    if (before === undefined && after !== undefined) bring(path, { root, path, op: "create" });
    else if (after === undefined && before !== undefined) {
      const tree = before.type === "folder" ? { tree: { files: 0, bytes: 0 } } : {};
      changes.push({ root, path, op: "delete", before, ...tree });
    } else if (before !== undefined && after !== undefined) {
      if (before.type !== after.type) bring(path, { root, path, op: "type", before });
      else if (before.type === "folder") both(path, before.mode !== after.mode);
      else if (differ(path) || before.target !== after.target) {
        bring(path, { root, path, op: "modify", before });
      } else if (before.mode !== after.mode) bring(path, { root, path, op: "chmod", before });
    }
  }
  function differ(path: string): boolean {
    const [a, b] = [folder, wanted].map((base) => fingerprint(systemDisk, `${base}/${path}`, Infinity)?.hash);
    return a !== b;
  }
  function both(path: string, modeToo: boolean): void {
    const before = fingerprint(systemDisk, `${folder}/${path}`);
    if (modeToo && before !== undefined) {
      parents(`${path}/x`);
      const mode = lstatSync(raw(`${wanted}/${path}`)).mode & 0o7777;
      changes.push({ root, path, op: "chmod", before, after: { ...before, mode } });
    }
    compare(path);
  }
  function parents(path: string): void {
    path.split("/").forEach((_p, n, parts) => {
      const parent = parts.slice(0, n).join("/");
      const found = parent === "" ? "" : lstatSync(raw(`${upper}/${parent}`), { throwIfNoEntry: false });
      if (found === undefined) mkdirSync(raw(`${upper}/${parent}`));
    });
  }
  function bring(path: string, change: Change): void {
    parents(path);
    const from = `${wanted}/${path}`;
    const isFolder = lstatSync(raw(from)).isDirectory();
    if (!isFolder || options.whole === true) copyTree(from, `${upper}/${path}`, links);
    else mkdirSync(raw(`${upper}/${path}`));
    const after = fingerprint(systemDisk, `${upper}/${path}`);
    if (after === undefined) throw new Error(`${path} was not copied`);
    if (!isFolder) return void changes.push({ ...change, after });
    if (options.whole === true) return void changes.push({ ...change, after, tree: { files: 0, bytes: 0 } });
    changes.push({ ...change, after: { ...after, mode: lstatSync(raw(from)).mode & 0o7777 } });
    for (const name of names(from)) bring(`${path}/${name}`, { root, path: `${path}/${name}`, op: "create" });
  }
}

/** Text of a file, for expectations. */
export function textAt(path: string): string {
  return readFileSync(raw(path), "utf8");
}
