import { chmodSync, copyFileSync, lstatSync, mkdirSync, readdirSync, readlinkSync, rmSync, symlinkSync } from "node:fs";
import { execFileSync } from "node:child_process";
import { dirname } from "node:path";
import { rawBytes, toRaw } from "../../src/util/bytes.ts";
import { type Change, type ChangeSet, upperOf } from "../../src/workspace/change.ts";

/** Lays a change set over a copy of the root, as simply as can be: no journal, no conflicts. What the door does for real. */
export function applyChanges(set: ChangeSet, root: number, target: string): void {
  const mine = set.changes.filter((change) => change.root === root);
  const upper = toRaw(upperOf(set.stepFolder, root));
  const modes: [string, number][] = [];
  const at = (change: Change): string => `${toRaw(target)}/${change.path}`;
  for (const change of mine) {
    if (change.op === "chmod") continue;
    open(at(change).slice(0, at(change).lastIndexOf("/")), modes);
    const stat = lstatSync(rawBytes(at(change)), { throwIfNoEntry: false });
    if (stat !== undefined) remove(at(change));
  }
  for (const change of mine) {
    if (change.op === "chmod" && change.after !== undefined) modes.push([at(change), change.after.mode]);
    else if (change.op !== "delete") {
      open(`${upper}/${change.path}`.slice(0, `${upper}/${change.path}`.lastIndexOf("/")), []);
      copy(`${upper}/${change.path}`, at(change), change.tree !== undefined, modes, change.after?.mode);
    }
  }
  for (const [path, mode] of modes.toReversed()) chmodSync(rawBytes(path), mode);
}

/** An ordinary user's own folder without permissions. */
function open(folder: string, modes: [string, number][]): void {
  const stat = lstatSync(rawBytes(folder), { throwIfNoEntry: false });
  if (stat === undefined || !stat.isDirectory() || (stat.mode & 0o700) === 0o700) return;
  modes.push([folder, stat.mode & 0o7777]);
  chmodSync(rawBytes(folder), 0o700);
}

function remove(path: string): void {
  const open = (at: string): void => {
    const stat = lstatSync(rawBytes(at));
    if (!stat.isDirectory()) return;
    chmodSync(rawBytes(at), 0o700);
    for (const name of readdirSync(rawBytes(at), { encoding: "buffer" })) open(`${at}/${name.toString("latin1")}`);
  };
  open(path);
  rmSync(rawBytes(path), { recursive: true });
}

function copy(from: string, to: string, whole: boolean, modes: [string, number][], mode: number | undefined): void {
  const stat = lstatSync(rawBytes(from));
  mkdirSync(rawBytes(dirname(to)), { recursive: true });
  if (stat.isSymbolicLink()) {
    symlinkSync(readlinkSync(rawBytes(from), { encoding: "buffer" }), rawBytes(to));
    return;
  }
  modes.push([to, mode ?? stat.mode & 0o7777]);
  if (stat.isDirectory()) {
    mkdirSync(rawBytes(to));
    if ((stat.mode & 0o700) !== 0o700) chmodSync(rawBytes(from), stat.mode | 0o700);
    if (!whole) return;
    for (const name of readdirSync(rawBytes(from), { encoding: "buffer" })) {
      const child = name.toString("latin1");
      if (!lstatSync(rawBytes(`${from}/${child}`)).isCharacterDevice())
        copy(`${from}/${child}`, `${to}/${child}`, true, modes, undefined);
    }
  } else if (stat.isFIFO()) execFileSync("mkfifo", [rawBytes(to).toString("utf8")]);
  else {
    if ((stat.mode & 0o400) === 0 && process.getuid?.() !== 0) chmodSync(rawBytes(from), stat.mode | 0o400);
    copyFileSync(rawBytes(from), rawBytes(to));
  }
}
