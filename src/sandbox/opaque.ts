import type { RawPath } from "../util/bytes.ts";
import { runProcess } from "../util/process.ts";
import { LAUNCH_PATH } from "./programs.ts";

const BLOCK = 512;

/**
 * Which of these folders of an upper layer hide what lies below them. Node can't read the mark (an xattr); GNU tar can,
 * and is part of every base system with bash. Throws when it can't be told: a guess would hide deletions.
 */
export async function findOpaque(
  tar: string,
  upper: string,
  folders: readonly RawPath[],
  root: boolean,
): Promise<Set<RawPath>> {
  if (folders.length === 0) return new Set();
  const mark = `${root ? "trusted" : "user"}.overlay.opaque`;
  const flags = ["-c", "-f", "-", "--xattrs", `--xattrs-include=${mark}`, "--format=pax", "--no-recursion", "--null"];
  const done = await runProcess(tar, [...flags, "--verbatim-files-from", "-T", "-"], {
    cwd: upper,
    env: { PATH: LAUNCH_PATH, LC_ALL: "C" },
    input: Buffer.from(folders.map((path) => `./${path}\0`).join(""), "latin1"),
  });
  const marks = readMarks(done.stdout, `SCHILY.xattr.${mark}`);
  if (done.code !== 0 || marks.length !== folders.length) {
    throw new Error(`the copy's folders can't be read: ${Buffer.from(done.stderr).toString("utf8").trim()}`);
  }
  return new Set(folders.filter((_, n) => marks[n] === true));
}

/** One answer for each member of an archive of folders, in order: does it carry the attribute with value y? */
export function readMarks(archive: Uint8Array, attribute: string): boolean[] {
  const bytes = Buffer.from(archive);
  const marks: boolean[] = [];
  let marked = false;
  for (let at = 0; at + BLOCK <= bytes.length;) {
    const type = String.fromCharCode(bytes[at + 156] ?? 0);
    if (bytes[at] === 0) break;
    // Octal digits up to a NUL or a space.
    const size = parseInt(bytes.toString("latin1", at + 124, at + 136), 8) || 0;
    if (type === "x") marked = recordsOf(bytes.subarray(at + BLOCK, at + BLOCK + size)).includes(`${attribute}=y`);
    else if (type !== "g") {
      marks.push(marked);
      marked = false;
    }
    at += BLOCK + Math.ceil(size / BLOCK) * BLOCK;
  }
  return marks;
}

/** `LENGTH KEY=VALUE\n` records of an extended header; the length counts itself. */
function recordsOf(header: Buffer): string[] {
  const records: string[] = [];
  for (let at = 0; at < header.length;) {
    const space = header.indexOf(0x20, at);
    const length = Number(header.toString("latin1", at, space));
    if (!(length > 0)) break;
    records.push(header.toString("latin1", space + 1, at + length - 1));
    at += length;
  }
  return records;
}
