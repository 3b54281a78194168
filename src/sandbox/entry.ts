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
import { makeWhiteout } from "./whiteout.ts";

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
    await this.#make("mkfifo", target, async (file, at) => {
      const { code } = await runProcess(file, [at], { cwd: "/", env: { PATH: LAUNCH_PATH } });
      if (code !== 0) throw new Error(`no named pipe could be made in ${this.#scratch}`);
    });
  }

  /** How an upper layer says "deleted here". Throws where the file system takes no marks. */
  async whiteout(target: RawPath): Promise<void> {
    await this.#make("mknod", target, makeWhiteout);
  }

  /** Arguments are text: a name that is none goes through a plain one. */
  async #make(
    name: "mkfifo" | "mknod",
    target: RawPath,
    make: (file: string, at: string) => Promise<void>,
  ): Promise<void> {
    const file = this.#programs[name];
    if (file === undefined) throw new Error(`${name} is not installed`);
    const plain = join(this.#scratch, `.made-${process.pid}-${++this.#made}`);
    await make(file, plain);
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
