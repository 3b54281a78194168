import type { Clock } from "../util/deps.ts";
import { canonicalBody } from "./canonical.ts";
import { type ChainKey, seal } from "./chain.ts";
import type { ContentStore } from "./content.ts";
import type { LogBody, LogEvent } from "./event.ts";
import { encodeHead, headOf } from "./head.ts";
import { encodeLine } from "./line.ts";
import type { Lock } from "./lock.ts";
import { inWords, LogError } from "./log-error.ts";
import { type LogFs, writeAll } from "./log-fs.ts";
import type { PrefixDigest } from "./prefix.ts";
import { reduce } from "./reduce.ts";
import type { SessionState } from "./state.ts";
import type { Secrets } from "../util/secrets/secrets.ts";
import { withoutKeys } from "./without-keys.ts";

/** The one log of a session, open for writing by this process alone. */
export interface EventLog {
  readonly file: string;
  /** The fold of all events so far. */
  readonly state: SessionState;
  readonly events: readonly LogEvent[];
  /** Said when it was opened: repairs, a foreign log. */
  readonly notices: readonly string[];
  /** What stands for keys here: nothing is appended that holds one. */
  readonly secrets: Secrets;
  /**
   * Adds a fact; kept (handed to the kernel in one write) when it resolves. Facts are written in call order. Rejects with a LogError
   * "invalid" for what is no event (the log goes on), "write" when the disk said no: then every later append rejects too, so the log
   * never has a hole.
   */
  append(body: LogBody): Promise<LogEvent>;
  /** Resolves when everything appended so far is durable (fdatasync). Barriers at the same time share one sync. */
  barrier(): Promise<void>;
  /** Writes out what is left, closes the file, frees the session. Safe to repeat. */
  close(): Promise<void>;
}

export interface LogParts {
  file: string;
  sessionId: string;
  fd: number;
  headFd: number;
  fs: LogFs;
  key: ChainKey;
  clock: Clock;
  store: ContentStore;
  lock: Lock;
  secrets: Secrets;
  state: SessionState;
  events: LogEvent[];
  notices: string[];
  /** What the next line's mac goes over. */
  before: string;
  /** Bytes in the file. */
  length: number;
  /** Over all of them; undefined: a line of them was never verified. */
  digest?: PrefixDigest | undefined;
}

/** Made by `openLog`. */
export class FileLog implements EventLog {
  readonly #p: LogParts;
  /** Settles when every append so far has. */
  #queue: Promise<unknown> = Promise.resolve();
  #failure: LogError | undefined;
  #closed: Promise<void> | undefined;
  #durable = 0;
  #syncing: Promise<void> | undefined;

  constructor(parts: LogParts) {
    this.#p = parts;
  }

  get file(): string {
    return this.#p.file;
  }
  get state(): SessionState {
    return this.#p.state;
  }
  get events(): readonly LogEvent[] {
    return this.#p.events;
  }
  get notices(): readonly string[] {
    return this.#p.notices;
  }
  get secrets(): Secrets {
    return this.#p.secrets;
  }

  async append(body: LogBody): Promise<LogEvent> {
    if (this.#closed !== undefined) throw new LogError("closed", this.file, `${this.file} is closed.`);
    // Copied before anything is awaited: the caller may go on changing its own object.
    const clean = withoutKeys(canonicalBody(body), this.secrets);
    const job = this.#queue.then(() => this.#write(clean));
    this.#queue = job.catch(() => undefined);
    return job;
  }

  async #write(body: LogBody): Promise<LogEvent> {
    if (this.#failure !== undefined) throw this.#failure;
    const p = this.#p;
    if ((p.state.seq === 0) !== (body.type === "session.opened")) {
      throw new LogError("invalid", p.file, `${body.type} can't be event ${p.state.seq + 1} of a session.`);
    }
    const envelope = { v: 1 as const, seq: p.state.seq + 1, at: new Date(p.clock.now()).toISOString() };
    try {
      const json = await encodeLine(envelope, body, p.store);
      const { mac, line } = seal(p.key, p.before, json);
      const event: LogEvent = { ...envelope, mac, ...body };
      const state = reduce(p.state, event);
      this.#put(Buffer.from(line));
      p.before = mac;
      p.state = state;
      p.events.push(event);
      void this.#sync();
      return event;
    } catch (error) {
      if (error instanceof LogError && error.code === "invalid") throw error;
      throw this.#fail(error);
    }
  }

  /** One write of the whole line. What a failed one left of it is taken back, so that the file ends with a whole line. */
  #put(bytes: Uint8Array): void {
    const { fs, fd, file, length } = this.#p;
    const stat = fs.stat(fd);
    if (stat.nlink === 0) throw new LogError("missing", file, `${file} was deleted while the session ran.`);
    if (stat.size !== length) {
      throw new LogError(
        "write",
        file,
        `${file} was changed by another program while the session ran (${stat.size} bytes, not ${length}).`,
      );
    }
    try {
      writeAll(fs, fd, bytes, null);
    } catch (error) {
      try {
        fs.truncate(fd, length);
      } catch {
        // Loading cuts it off.
      }
      throw error;
    }
    this.#p.length += bytes.length;
    this.#p.digest?.add(bytes);
  }

  #fail(error: unknown): LogError {
    const { file, state } = this.#p;
    const what = error instanceof LogError ? error.message : `Can't write ${file}: ${inWords(error)}.`;
    const kept =
      error instanceof LogError && error.code === "missing"
        ? "what was said in it is gone; what it landed stays, and agent undo takes it back"
        : `it is kept up to event ${state.seq}`;
    const then = `Nothing more of this session is recorded; ${kept}.`;
    this.#failure ??= new LogError("write", file, `${what} ${then}`, error);
    return this.#failure;
  }

  async barrier(): Promise<void> {
    await this.#queue;
    const { seq } = this.#p.state;
    while (this.#durable < seq && this.#failure === undefined) await this.#sync();
    if (this.#failure !== undefined) throw this.#failure;
  }

  /** Starts at once behind an append, one at a time; whoever needs what came meanwhile waits for the next. Never rejects. */
  #sync(): Promise<void> {
    this.#syncing ??= this.#syncOnce().finally(() => (this.#syncing = undefined));
    return this.#syncing;
  }

  async #syncOnce(): Promise<void> {
    const p = this.#p;
    try {
      while (this.#durable < p.state.seq && this.#failure === undefined) {
        const { state, before } = p;
        const prefix = p.digest?.prefix();
        await p.fs.datasync(p.fd);
        this.#durable = state.seq;
        // Behind the sync, so that the head is never ahead of the disk; in place, in one page, unsynced: a lost one only notices less.
        writeAll(p.fs, p.headFd, encodeHead(p.key, p.sessionId, headOf(state, before, prefix)), 0);
      }
    } catch (error) {
      // A failed fdatasync must not be tried again: the kernel may have dropped the pages.
      this.#fail(error);
    }
  }

  close(): Promise<void> {
    this.#closed ??= this.#close();
    return this.#closed;
  }

  async #close(): Promise<void> {
    const { fs, fd, headFd, lock } = this.#p;
    try {
      await this.barrier();
    } finally {
      await this.#syncing;
      fs.close(fd);
      fs.close(headFd);
      lock.release();
    }
  }
}
