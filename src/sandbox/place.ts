import { existsSync, readFileSync, statfsSync } from "node:fs";
import { isBelow } from "../workspace/roots.ts";

/** File systems by their magic number that can't be an overlay's lower layer reliably: changes of others are seen late or not at all. */
const REMOTE: Readonly<Record<number, string>> = {
  0x6969: "NFS",
  0x65735546: "FUSE (sshfs and the like)",
  0x01021997: "9p (a folder of the host's, drvfs)",
  0x53464846: "drvfs",
  0xff534d42: "CIFS",
  0xfe534d42: "SMB",
  0x00c36400: "Ceph",
  0x0bd00bd0: "Lustre",
  0x47504653: "GPFS",
};

/** Why a folder can't be copied by any backend, or undefined. */
export function unfit(root: string): string | undefined {
  return root === "/" ? "the folder is the whole machine (/)" : undefined;
}

/** Why an overlay over a folder can't be made or trusted, or undefined. */
export function unfitForOverlay(root: string): string | undefined {
  const remote = remoteName(statfsSync(root).type);
  if (remote !== undefined) return `${root} lies on ${remote}, where an overlay is not reliable`;
  const below = mountPoints().find((at) => at !== root && isBelow(root, at));
  return below === undefined ? undefined : `another file system is mounted inside of it (${below})`;
}

/** The name of a file system that other machines (or programs) change too, by its magic number. */
export function remoteName(magic: number): string | undefined {
  return REMOTE[magic >>> 0];
}

/** Where something is mounted, absolute. */
export function mountPoints(): string[] {
  const lines = readLines("/proc/self/mountinfo");
  return lines.flatMap((line) => {
    const at = line.split(" ")[4];
    return at === undefined
      ? []
      : [at.replace(/\\([0-7]{3})/g, (_, octal: string) => String.fromCharCode(parseInt(octal, 8)))];
  });
}

/** None on a system without the file. */
function readLines(path: string): string[] {
  return existsSync(path) ? readFileSync(path, "utf8").split("\n") : [];
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
