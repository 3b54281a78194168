import {
  type BigIntStats,
  chmodSync,
  constants,
  copyFileSync,
  lchownSync,
  linkSync,
  mkdirSync,
  readlinkSync,
  renameSync,
  symlinkSync,
  utimesSync,
} from "node:fs";
import { join } from "node:path";
import { rawBytes, type RawPath } from "../util/bytes.ts";
import { runProcess } from "../util/process.ts";
import { LAUNCH_PATH, type Programs } from "./programs.ts";

/** Copies single entries, names in any bytes: content shared where the file system can (reflink), times and modes as they were. */
export class EntryCopier {
  readonly #programs: Programs;
  readonly #scratch: string;
  #made = 0;

  /** `scratch`: a folder of ours on the file system that is written to. */
  constructor(programs: Programs, scratch: string) {
    this.#programs = programs;
    this.#scratch = scratch;
  }

  file(source: RawPath, target: RawPath): void {
    copyFileSync(rawBytes(source), rawBytes(target), constants.COPYFILE_FICLONE);
  }

  link(source: RawPath, target: RawPath): void {
    symlinkSync(readlinkSync(rawBytes(source), { encoding: "buffer" }), rawBytes(target));
  }

  /** A further name of a file that was copied. */
  hardLink(copied: RawPath, target: RawPath): void {
    linkSync(rawBytes(copied), rawBytes(target));
  }

  /** An empty folder that only we may enter until `owned`. */
  folder(target: RawPath): void {
    mkdirSync(rawBytes(target), { mode: 0o700 });
  }

  /** Throws where the system refuses. */
  async fifo(target: RawPath): Promise<void> {
    await this.#make("mkfifo", [], target);
  }

  /** How an upper layer says "deleted here": a device 0/0, which any user may make. */
  async whiteout(target: RawPath): Promise<void> {
    await this.#make("mknod", ["c", "0", "0"], target);
  }

  /** Arguments are text: a name that is none goes through a plain one. */
  async #make(name: "mkfifo" | "mknod", more: readonly string[], target: RawPath): Promise<void> {
    const file = this.#programs[name];
    const plain = join(this.#scratch, `.made-${process.pid}-${++this.#made}`);
    const done =
      file === undefined
        ? undefined
        : await runProcess(file, [plain, ...more], { cwd: "/", env: { PATH: LAUNCH_PATH } });
    if (done?.code !== 0) throw new Error(`${name} made no special file in ${this.#scratch}`);
    renameSync(plain, rawBytes(target));
  }
}

/** Gives a copy owner, mode and times of what it is a copy of; of a link only the owner. */
export function owned(target: RawPath, stat: BigIntStats): void {
  const at = rawBytes(target);
  if (process.getuid?.() === 0) lchownSync(at, Number(stat.uid), Number(stat.gid));
  if (stat.isSymbolicLink()) return;
  utimesSync(at, Number(stat.atimeNs) / 1e9, Number(stat.mtimeNs) / 1e9);
  chmodSync(at, Number(stat.mode) & 0o7777);
}
