import { isAbsolute, resolve } from "node:path";
import { StringDecoder } from "node:string_decoder";
import type { JSONRPCMessage, Transport } from "@modelcontextprotocol/client";
import type { Clock } from "../util/deps.ts";
import { endGroup, findProgram, startProcess, type ChildProcess } from "../util/process.ts";
import type { Guard } from "./guard.ts";
import { Tail } from "./tail.ts";

/** Characters of one message; a server that sends a longer one is ended. */
const MOST_MESSAGE = 16 << 20;
/** What a server may send at once, and what of that each second gives back, in characters and messages: more is a flood. */
const FLOOD = { chars: 40 << 20, charsPerSecond: 1 << 20, messages: 5000, messagesPerSecond: 100 };
/** How long a server has to end by itself once its input is closed, and then once it was asked to. */
const GRACE_MS = 500;

export interface StdioLaunch {
  command: string;
  args: readonly string[];
  /** The whole environment. */
  env: Readonly<Record<string, string>>;
  cwd: string;
  /** From these folders nothing is started by a bare name (SECURITY 15). */
  roots: readonly string[];
  guard: Guard;
  clock: Clock;
}

/**
 * Messages to and from a program's standard input and output, a line each. Lines that are no messages are kept for whoever looks why, and
 * pass for nothing else. Its process group ends with the connection.
 */
export class StdioTransport implements Transport {
  onclose?: () => void;
  onerror?: (error: Error) => void;
  onmessage?: (message: JSONRPCMessage) => void;
  /** What the program said that is no message. */
  readonly tail = new Tail();
  /** Why it is over, once it is. */
  ended: string | undefined;
  readonly #launch: StdioLaunch;
  #child: ChildProcess | undefined;
  #exited: Promise<void> = Promise.resolve();
  #closed = false;
  readonly #parts: string[] = [];
  #length = 0;
  #heard = { at: 0, chars: 0, messages: 0 };

  constructor(launch: StdioLaunch) {
    this.#launch = launch;
  }

  get pid(): number | undefined {
    return this.#child?.pid;
  }

  /** Rejects with one readable line where the program can't be started. */
  start(): Promise<void> {
    const { args, env, cwd, guard } = this.#launch;
    const file = this.#program();
    const child = startProcess(file, args, { cwd, env, stdio: ["pipe", "pipe", "pipe"] });
    this.#child = child;
    this.#exited = new Promise((done) => {
      child.once("exit", (code, signal) => {
        this.#over(code === null ? `it was ended by ${signal ?? "a signal"}` : `it ended with exit code ${code}`);
        done();
      });
      child.once("error", () => done());
    });
    child.stdin?.on("error", () => undefined);
    child.stderr?.on("error", () => undefined);
    const decoder = new StringDecoder("utf8");
    child.stderr?.on("data", (part: Buffer) => this.tail.take(decoder.write(part)));
    this.#listen(child);
    return new Promise((started, failed) => {
      child.once("spawn", () => {
        if (child.pid !== undefined) guard.add(child.pid);
        started();
      });
      child.once("error", (error) => {
        const words = `its program ${file} could not be started: ${error.message}`;
        this.ended ??= words;
        failed(new Error(words));
      });
    });
  }

  #program(): string {
    const { command, cwd, env, roots } = this.#launch;
    if (command.includes("/")) return isAbsolute(command) ? command : resolve(cwd, command);
    const found = findProgram(command, env["PATH"] ?? "", roots);
    if (found !== undefined) return found;
    this.ended = `its program ${JSON.stringify(command)} is not there: install it, or write its whole path`;
    throw new Error(this.ended);
  }

  #listen(child: ChildProcess): void {
    const decoder = new StringDecoder("utf8");
    child.stdout?.on("error", () => undefined);
    child.stdout?.on("data", (part: Buffer) => {
      if (!this.#closed) this.#take(decoder.write(part));
    });
  }

  #take(part: string): void {
    if (this.#isFlood(part.length, 0)) return;
    const pieces = part.split("\n");
    for (const [at, piece] of pieces.entries()) {
      this.#length += piece.length;
      if (this.#length > MOST_MESSAGE) return this.#refuse(`it sent a message of more than ${MOST_MESSAGE >> 20} MB`);
      this.#parts.push(piece);
      if (at === pieces.length - 1) break;
      const line = this.#parts.splice(0).join("");
      this.#length = 0;
      if (line.trim() !== "" && !this.#isFlood(0, 1)) this.#read(line);
      if (this.#closed) return;
    }
  }

  #isFlood(chars: number, messages: number): boolean {
    const now = this.#launch.clock.now();
    const { at, ...before } = this.#heard;
    const seconds = Math.max(0, now - at) / 1000;
    const left = (had: number, back: number, more: number): number => Math.max(0, had - seconds * back) + more;
    this.#heard = {
      at: now,
      chars: left(before.chars, FLOOD.charsPerSecond, chars),
      messages: left(before.messages, FLOOD.messagesPerSecond, messages),
    };
    if (this.#heard.chars <= FLOOD.chars && this.#heard.messages <= FLOOD.messages) return false;
    this.#refuse("it flooded its output, and was ended");
    return true;
  }

  #read(line: string): void {
    let message: unknown;
    try {
      message = JSON.parse(line);
    } catch {
      message = undefined;
    }
    if (typeof message !== "object" || message === null || Reflect.get(message, "jsonrpc") !== "2.0")
      return this.tail.take(`(no message) ${line.slice(0, 400)}\n`);
    // The client's own parser looks at it; what it can't use it tells to `onerror`.
    this.onmessage?.(message as JSONRPCMessage);
  }

  #refuse(words: string): void {
    this.ended ??= words;
    void this.close();
  }

  #over(words: string): void {
    this.ended ??= words;
    const { pid } = this.#child ?? {};
    if (pid !== undefined) {
      // What it left of its group goes with it.
      endGroup(pid);
      this.#launch.guard.remove(pid);
    }
    this.#tellClosed();
  }

  #tellClosed(): void {
    if (this.#closed) return;
    this.#closed = true;
    this.#child?.stdout?.destroy();
    this.onclose?.();
  }

  send(message: JSONRPCMessage): Promise<void> {
    const { stdin } = this.#child ?? {};
    if (this.#closed || stdin === null || stdin === undefined || !stdin.writable)
      return Promise.reject(new Error(this.ended ?? "the connection is closed"));
    // A server that does not read must not hold the session; the call has its own time.
    stdin.write(`${JSON.stringify(message)}\n`);
    return Promise.resolve();
  }

  /** Ends the program, gently first. Resolves when it is gone. */
  async close(): Promise<void> {
    const { pid, stdin } = this.#child ?? {};
    this.#tellClosed();
    if (pid === undefined) return;
    stdin?.end();
    if (await this.#goneWithin(GRACE_MS)) return;
    endGroup(pid, "SIGTERM");
    if (await this.#goneWithin(GRACE_MS)) return;
    endGroup(pid);
    await this.#goneWithin(GRACE_MS);
  }

  async #goneWithin(ms: number): Promise<boolean> {
    const over = new AbortController();
    const gone = await Promise.race([
      this.#exited.then(() => true),
      this.#launch.clock.sleep(ms, over.signal).then(() => false),
    ]);
    over.abort();
    return gone;
  }
}
