import { randomBytes } from "node:crypto";
import {
  appendFileSync,
  closeSync,
  constants,
  existsSync,
  lstatSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  rmSync,
} from "node:fs";
import { Socket } from "node:net";
import { basename, join } from "node:path";
import type { Readable } from "node:stream";
import { runProcess } from "../util/process.ts";
import { LAUNCH_PATH, type Programs } from "./programs.ts";

/** Made at once: one program start for many commands. */
const SPARE = 8;
const OLD_MS = 24 * 3_600_000;

/** Both ends of a pipe; `write` goes to the child, and is closed here once it has it. */
export interface OutPipe {
  reader: Readable;
  write: number;
}

/**
 * Real pipes for commands' output, as named pipes of ours. Why: Node's own are sockets, which can't be opened by name, so
 * that `> /dev/stderr` and the like would fail in every command. A command can read the name of its own pipe: it says
 * nothing of the session, and is gone from the disk as soon as both ends are open.
 */
export class Pipes {
  readonly #dir: string;
  readonly #programs: Programs;
  /** Lists the pipes that this one made: a command can read a pipe's name, which must not tell whose it is. */
  readonly #made: string;
  #free: string[] = [];
  #swept = false;

  /** `dir`: shared by all sessions. */
  constructor(dir: string, programs: Programs) {
    this.#dir = dir;
    this.#programs = programs;
    this.#made = join(ownersOf(dir), `${process.pid}-${randomBytes(4).toString("hex")}`);
    dropDead(dir);
  }

  async take(): Promise<OutPipe> {
    for (;;) {
      const pipe = opened(this.#free.pop() ?? (await this.#more()));
      if (pipe !== undefined) return pipe;
    }
  }

  /** Removes those that no command used. */
  close(): void {
    for (const path of this.#free) rmSync(path, { force: true });
    this.#free = [];
    rmSync(this.#made, { force: true });
  }

  async #more(): Promise<string> {
    const { mkfifo } = this.#programs;
    if (mkfifo === undefined) throw new Error("mkfifo is not installed");
    mkdirSync(this.#dir, { recursive: true, mode: 0o700 });
    const paths = Array.from({ length: SPARE }, () => join(this.#dir, randomBytes(9).toString("base64url")));
    mkdirSync(ownersOf(this.#dir), { recursive: true, mode: 0o700 });
    appendFileSync(this.#made, paths.map((path) => `${basename(path)}\n`).join(""), { mode: 0o600 });
    const done = await runProcess(mkfifo, ["-m", "600", ...paths], { cwd: this.#dir, env: { PATH: LAUNCH_PATH } });
    const [first, ...rest] = paths;
    if (done.code !== 0 || first === undefined) throw new Error(`no pipe could be made in ${this.#dir}`);
    if (!this.#swept) sweep(this.#dir, lstatSync(first).mtimeMs);
    this.#swept = true;
    this.#free.push(...rest);
    return first;
  }
}

/** Both ends of a named pipe, which loses its name; undefined when it was swept meanwhile. */
function opened(path: string): OutPipe | undefined {
  let read: number;
  try {
    read = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "ENOENT") return undefined;
    throw error;
  }
  const write = openSync(path, constants.O_WRONLY);
  rmSync(path, { force: true });
  return { reader: new Socket({ fd: read, readable: true, writable: false }), write };
}

/** What programs left that were killed. A session that still wanted one of these makes new ones. */
function sweep(dir: string, now: number): void {
  for (const name of readdirSync(dir)) {
    const path = join(dir, name);
    const stat = lstatSync(path, { throwIfNoEntry: false });
    if (stat !== undefined && now - stat.mtimeMs > OLD_MS) rmSync(path, { force: true });
  }
}

function ownersOf(dir: string): string {
  return `${dir}-made`;
}

/** The pipes of processes that are no more, at once; `sweep` finds those of one whose number another process has by now. */
function dropDead(dir: string): void {
  const owners = ownersOf(dir);
  for (const owner of existsSync(owners) ? readdirSync(owners) : []) {
    const pid = Number(/^(\d+)-/.exec(owner)?.[1]);
    if (Number.isNaN(pid) || isAlive(pid)) continue;
    const list = join(owners, owner);
    const names = readFileSync(list, "utf8")
      .split("\n")
      .filter((name) => /^[\w-]+$/.test(name));
    for (const name of names) rmSync(join(dir, name), { force: true });
    rmSync(list, { force: true });
  }
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return !(error instanceof Error && "code" in error && error.code === "ESRCH");
  }
}

/** Closes the end that the child has by now. */
export function handedOver(pipe: OutPipe): void {
  closeSync(pipe.write);
}
