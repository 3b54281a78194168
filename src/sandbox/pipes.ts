import { closeSync, constants, mkdirSync, openSync } from "node:fs";
import { Socket } from "node:net";
import { join } from "node:path";
import type { Readable } from "node:stream";
import { runProcess } from "../util/process.ts";
import { LAUNCH_PATH, type Programs } from "./programs.ts";
import { removeTree } from "./remove.ts";

/** Made at once: one program start for many commands. */
const SPARE = 8;

/** Both ends of a pipe; `write` goes to the child, and is closed here once it has it. */
export interface OutPipe {
  reader: Readable;
  write: number;
}

/**
 * Real pipes for commands' output, as named pipes of ours. Why: Node's own are sockets, which can't be opened by name, so
 * that `> /dev/stderr` and the like would fail in every command. A pipe serves one command at a time and is used again.
 */
export class Pipes {
  readonly #dir: string;
  readonly #programs: Programs;
  readonly #free: string[] = [];
  #made = 0;

  constructor(dir: string, programs: Programs) {
    this.#dir = dir;
    this.#programs = programs;
  }

  async take(): Promise<OutPipe> {
    const path = this.#free.pop() ?? (await this.#more());
    const read = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
    const write = openSync(path, constants.O_WRONLY);
    const reader = new Socket({ fd: read, readable: true, writable: false });
    reader.once("close", () => this.#free.push(path));
    return { reader, write };
  }

  async #more(): Promise<string> {
    const { mkfifo } = this.#programs;
    if (mkfifo === undefined) throw new Error("mkfifo is not installed");
    if (this.#made === 0) await removeTree(this.#dir);
    mkdirSync(this.#dir, { recursive: true, mode: 0o700 });
    const paths = Array.from({ length: SPARE }, () => join(this.#dir, String(this.#made++)));
    const done = await runProcess(mkfifo, ["-m", "600", ...paths], { cwd: this.#dir, env: { PATH: LAUNCH_PATH } });
    const [first, ...rest] = paths;
    if (done.code !== 0 || first === undefined) throw new Error(`no pipe could be made in ${this.#dir}`);
    this.#free.push(...rest);
    return first;
  }
}

/** Closes the end that the child has by now. */
export function handedOver(pipe: OutPipe): void {
  closeSync(pipe.write);
}
