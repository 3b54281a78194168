import {
  chmodSync,
  constants,
  copyFileSync,
  lchownSync,
  linkSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readlinkSync,
  rmSync,
  symlinkSync,
  utimesSync,
  type BigIntStats,
} from "node:fs";
import { join } from "node:path";
import { rawBytes, toRaw, type RawPath } from "../util/bytes.ts";
import { runProcess } from "../util/process.ts";
import { type Change, upperOf } from "../workspace/change.ts";
import { breathe } from "../workspace/fingerprint.ts";
import { parentsOf } from "../workspace/parents.ts";
import { LAUNCH_PATH, type Programs } from "./programs.ts";
import { makeWhiteout } from "./whiteout.ts";
import { isWhiteout } from "./scan-print.ts";

/** Copies an entry out of a layer: owner, mode and times as they are. `whole`: a folder with all below it. */
export async function copyEntry(from: RawPath, to: RawPath, whole: boolean, programs: Programs): Promise<void> {
  const stat = lstatSync(rawBytes(from), { bigint: true });
  if (isWhiteout(stat) || stat.isSocket()) return;
  if (stat.isSymbolicLink()) symlinkSync(readlinkSync(rawBytes(from), { encoding: "buffer" }), rawBytes(to));
  else if (stat.isDirectory()) await copyFolder(from, to, whole, programs);
  else if (stat.isFIFO()) await makePipe(showable(to), programs);
  else readable(from, stat, 0o400, () => copyFileSync(rawBytes(from), rawBytes(to), constants.COPYFILE_FICLONE));
  own(to, stat);
  if (stat.isSymbolicLink()) return;
  // After the owner, whose change takes set-id bits away.
  chmodSync(rawBytes(to), Number(stat.mode) & 0o7777);
  utimesSync(rawBytes(to), Number(stat.atimeNs) / 1e9, Number(stat.mtimeNs) / 1e9);
}

async function copyFolder(from: RawPath, to: RawPath, whole: boolean, programs: Programs): Promise<void> {
  mkdirSync(rawBytes(to), { recursive: true, mode: 0o700 });
  if (!whole) return;
  for (const name of readdirSync(rawBytes(from), { encoding: "buffer" })) {
    await breathe();
    const below = name.toString("latin1");
    await copyEntry(`${from}/${below}`, `${to}/${below}`, true, programs);
  }
}

/** What its own user took the permission to read away from, for the time of a read. */
function readable(path: RawPath, { mode }: BigIntStats, bits: number, read: () => void): void {
  const now = Number(mode) & 0o7777;
  const lacking = process.getuid?.() !== 0 && (now & bits) !== bits;
  if (lacking) chmodSync(rawBytes(path), now | bits);
  try {
    read();
  } finally {
    if (lacking) chmodSync(rawBytes(path), now);
  }
}

function own(path: RawPath, { uid, gid }: BigIntStats): void {
  if (process.getuid?.() === 0) lchownSync(rawBytes(path), Number(uid), Number(gid));
}

/**
 * Marks deletions in a step's layer as overlay does, so that it can be kept and mounted under later commands. Where the state
 * folder's file system takes no marks, the change set alone names them.
 */
export async function markDeleted(stepFolder: string, gone: readonly Change[], programs: Programs): Promise<void> {
  if (gone.length === 0) return;
  const mark = join(stepFolder, "mark");
  const { mknod } = programs;
  const marked =
    mknod === undefined
      ? false
      : await makeWhiteout(mknod, mark).then(
          () => true,
          () => false,
        );
  if (!marked) return;
  for (const { root, path } of gone) {
    const upper = toRaw(upperOf(stepFolder, root));
    for (const parent of ["", ...parentsOf(path)]) mkdirSync(rawBytes(`${upper}/${parent}`), { recursive: true });
    linkSync(mark, rawBytes(`${upper}/${path}`));
  }
  rmSync(mark);
}

/** Nothing, where it can't be made. */
async function makePipe(at: string, { mkfifo }: Programs): Promise<void> {
  if (mkfifo !== undefined) await runProcess(mkfifo, [at], { cwd: "/", env: { PATH: LAUNCH_PATH } });
}

/** Programs are given text; a name that is none can't be handed on. */
function showable(path: RawPath): string {
  return Buffer.from(path, "latin1").toString("utf8");
}
