import { readFileSync, statfsSync } from "node:fs";
import { isBelow } from "../workspace/roots.ts";

/** File systems by their magic number that can't be an overlay's lower layer reliably: changes of others are seen late or not at all. */
const REMOTE: Readonly<Record<number, string>> = {
  0x6969: "NFS",
  0x65735546: "FUSE",
  0x01021997: "9p",
  0xff534d42: "CIFS",
  0xfe534d42: "SMB",
};

/** Why a folder can't be copied by an overlay, or undefined. */
export function unfit(root: string): string | undefined {
  if (root === "/") return "the folder is the whole machine (/)";
  const remote = REMOTE[statfsSync(root).type >>> 0];
  if (remote !== undefined) return `${root} lies on ${remote}, where an overlay is not reliable`;
  const below = mountPoints().find((at) => at !== root && isBelow(root, at));
  return below === undefined ? undefined : `another file system is mounted inside of it (${below})`;
}

function mountPoints(): string[] {
  const lines = readFileSync("/proc/self/mountinfo", "utf8").split("\n");
  return lines.flatMap((line) => {
    const at = line.split(" ")[4];
    return at === undefined
      ? []
      : [at.replace(/\\([0-7]{3})/g, (_, octal: string) => String.fromCharCode(parseInt(octal, 8)))];
  });
}

/** True when nothing is mounted below a folder: an overlay over it can be made. */
export function whole(folder: string): boolean {
  return !mountPoints().some((at) => at !== folder && isBelow(folder, at));
}

/** Bytes free for an ordinary user where a folder lies. */
export function freeBytes(folder: string): number {
  const { bavail, bsize } = statfsSync(folder);
  return bavail * bsize;
}
