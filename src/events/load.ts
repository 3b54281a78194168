import { join } from "node:path";
import { type ChainKey, chainKey, type Residue, residue, statedMac, verified } from "./chain.ts";
import { type ContentStore, contentStore } from "./content.ts";
import type { LogEvent } from "./event.ts";
import { type Head, readHead } from "./head.ts";
import { decodeLine, MAX_LINE } from "./line.ts";
import { readLines, type Rest } from "./lines.ts";
import { LogError } from "./log-error.ts";
import { pairingNotes } from "./pairing.ts";
import { PrefixDigest } from "./prefix.ts";
import { openPrivate } from "./private.ts";
import { readPrefix, type ReadPrefix } from "./read-prefix.ts";
import { distrusted, fold, initialState } from "./reduce.ts";
import type { SessionState } from "./state.ts";

/** A log larger than this is not read (a long session has some ten megabytes). */
export const MAX_LOG = 512 * 1024 * 1024;

export interface LoadOptions {
  sessionsDir: string;
  contentDir: string;
  sessionId: string;
  /** 32 bytes: `loadKey`. */
  key: Uint8Array;
}

/** A log as it was read. Nothing was changed on the disk. */
export interface LoadedLog {
  file: string;
  /** The fold; of a foreign log what is left when nothing of it is trusted (E1). */
  state: SessionState;
  events: LogEvent[];
  /** What the person must be told, with file and line. */
  notices: string[];
  /** Bytes behind the last complete line: a line that was cut short. */
  torn: number;
  /** Bytes of the complete lines. */
  complete: number;
  /** What was wrong with it beside that, and how it counts; what the log tells already is not in it. */
  repaired: string[];
  /** Why nothing of it is trusted, when the log doesn't say so itself yet. */
  foreign?: string;
  /** What the next line's mac goes over. */
  before: string;
  /** Lines that were checked one by one; the others the head vouches for. */
  checked: number;
  /** Over the complete lines; undefined: one of them did not verify, so no head may vouch for them. */
  digest?: PrefixDigest;
}

/** Where the files of a session lie. Throws for an id that is none: it becomes a file name. */
export function sessionFiles(sessionsDir: string, sessionId: string): { log: string; head: string; lock: string } {
  if (!/^[A-Za-z0-9][A-Za-z0-9_-]{0,100}$/.test(sessionId)) {
    throw new LogError("invalid", sessionsDir, `${JSON.stringify(sessionId)} is no session id.`);
  }
  const base = join(sessionsDir, sessionId);
  return { log: `${base}.jsonl`, head: `${base}.head`, lock: `${base}.lock` };
}

/**
 * Reads a session's log in one pass. A last line that was cut short is left out and said; from the first line that does not verify the
 * session is foreign: its lines are read as far as they can be, and its state keeps nothing that needs trust. Throws a LogError when
 * there is none, it is too large, unsafe to read, of another format version, or nothing in it can be used.
 */
export async function loadLog(options: LoadOptions): Promise<LoadedLog> {
  const files = sessionFiles(options.sessionsDir, options.sessionId);
  const file = files.log;
  const opened = openPrivate(file);
  if (opened === undefined) throw new LogError("missing", file, `There is no session ${options.sessionId} (${file}).`);
  if (opened.size > MAX_LOG) {
    throw new LogError("too-large", file, `${file} has ${opened.size} bytes; more than ${MAX_LOG} are not read.`);
  }
  const key = chainKey(options.key);
  const head = readHead(key, options.sessionId, files.head);
  const store = contentStore(options.contentDir);
  const prefix = await readPrefix(opened.fd, opened.size, head, store);
  const reading = new Reading(file, key, store, prefix);
  const rest = await readLines(
    opened.fd,
    MAX_LINE,
    (bytes, length, number) => reading.line(bytes, length, number),
    prefix === undefined ? undefined : { bytes: prefix.digest.bytes, lines: prefix.lines },
  );
  const foreign = reading.foreign ?? checkEnd(reading, rest, head, files.head);
  return finish(options, reading, rest, foreign);
}

/** Whether the end is where the head says that it was; a last line cut short explains one event. */
function checkEnd(reading: Reading, rest: Rest, head: Head | undefined, headFile: string): string | undefined {
  if (reading.events.length === 0) return undefined;
  if (head === undefined) return `${headFile}, which tells where the log ends, is missing or damaged`;
  const last = reading.lastSeq;
  if (head.seq > last + (rest.torn > 0 ? 1 : 0)) {
    return `${reading.file} ends at event ${last}, but had ${head.seq}: its end was cut off`;
  }
  return undefined;
}

function finish(options: LoadOptions, reading: Reading, rest: Rest, foreign: string | undefined): LoadedLog {
  const { file, events } = reading;
  const first = events[0];
  if (first === undefined) {
    const why = reading.foreign ?? (rest.torn > 0 ? "its first line was cut short" : "it is empty");
    throw new LogError("damaged", file, `${file} holds no session that could be read: ${why}.`);
  }
  const why = misplaced(file, first, options.sessionId) ?? foreign;
  const state = fold(initialState(options.sessionId), events);
  const notices: string[] = [];
  if (rest.torn > 0) {
    notices.push(`${file}, line ${rest.lines + 1}: the last line was cut short (${rest.torn} bytes) and is left out.`);
  }
  for (const note of skippedNote(reading)) notices.push(`${file}: ${note}.`);
  const pairing = pairingNotes(events);
  for (const note of pairing) notices.push(`${file}: ${note}.`);
  if (why !== undefined) notices.push(`${why}. ${DISTRUST}`);
  else if (state.foreign) notices.push(`${file} was changed from outside before. ${DISTRUST}`);
  return {
    file,
    state: why === undefined ? state : distrusted(state),
    events,
    notices,
    torn: rest.torn,
    complete: rest.complete,
    // What was skipped was recorded when the log was first found to be foreign.
    repaired: [...(why === undefined ? [] : skippedNote(reading)), ...pairing],
    ...(why === undefined ? {} : { foreign: why }),
    before: reading.before,
    checked: reading.checked,
    ...(reading.digest === undefined ? {} : { digest: reading.digest }),
  };
}

function skippedNote({ skipped, firstSkipped }: Reading): string[] {
  return skipped === 0 ? [] : [`${skipped} damaged line(s) were skipped, the first is line ${firstSkipped}`];
}

function misplaced(file: string, first: LogEvent, sessionId: string): string | undefined {
  if (first.type !== "session.opened") return `${file}, line 1: it doesn't begin a session`;
  return first.sessionId === sessionId ? undefined : `${file}, line 1: it is the log of session ${first.sessionId}`;
}

const DISTRUST = "The session can be read; its mode, approvals and unfinished calls before that no longer count.";

const LINE_END = Buffer.from("\n");

/** The pass over the lines. */
class Reading {
  readonly file: string;
  readonly events: LogEvent[];
  digest: PrefixDigest | undefined;
  foreign: string | undefined;
  checked = 0;
  skipped = 0;
  firstSkipped = 0;
  lastSeq: number;
  readonly #key: ChainKey;
  readonly #store: ContentStore;
  #mac: string;
  #residue: Residue | undefined;

  constructor(file: string, key: ChainKey, store: ContentStore, prefix: ReadPrefix | undefined) {
    this.file = file;
    this.#key = key;
    this.#store = store;
    this.events = prefix?.events ?? [];
    this.digest = prefix?.digest ?? new PrefixDigest();
    this.lastSeq = prefix?.seq ?? 0;
    this.#mac = prefix?.mac ?? "";
  }

  get before(): string {
    return this.#residue?.digest() ?? this.#mac;
  }

  line(bytes: Buffer, length: number, number: number): void {
    this.checked++;
    const mac = length < MAX_LINE ? this.#verified(bytes) : undefined;
    if (mac === undefined) this.#distrust(`${this.file}, line ${number}: ${this.#problem(bytes, length)}`);
    const decoded = length < MAX_LINE ? decodeLine(bytes, this.#store) : undefined;
    // What another version would have written differently can only be told from damage while the chain vouches for it.
    if (decoded?.ok === false && (decoded.other === "version" || (decoded.other === "content" && mac !== undefined))) {
      throw this.#otherVersion(number, decoded.why);
    }
    this.digest?.add(bytes);
    this.digest?.add(LINE_END);
    if (mac !== undefined) this.#trust(mac);
    else this.#residue?.add(bytes, length);
    if (decoded?.ok !== true) {
      this.skipped++;
      this.firstSkipped ||= number;
      if (mac !== undefined) this.#distrust(`${this.file}, line ${number}: ${decoded?.why ?? "it is too long"}`);
      return;
    }
    const { body, at, missing } = decoded;
    // Outside the chain numbers are only a claim; they still have to grow.
    const seq = mac !== undefined || isNext(decoded.seq, this.lastSeq) ? decoded.seq : this.lastSeq + 1;
    this.lastSeq = seq;
    this.events.push({ v: 1, seq, at, mac: mac ?? statedMac(bytes) ?? "", ...body });
    if (missing.length > 0) {
      this.#distrust(
        `${this.file}, line ${number}: content ${missing[0]} is missing from the content store or damaged`,
      );
    }
  }

  /** The chain may start anew at a `session.foreign` line, over everything that stands before it. */
  #verified(bytes: Buffer): string | undefined {
    if (this.#residue === undefined) return verified(this.#key, this.#mac, bytes);
    return bytes.includes('"type":"session.foreign"') ? verified(this.#key, this.#residue.digest(), bytes) : undefined;
  }
  #trust(mac: string): void {
    this.#mac = mac;
    this.#residue = undefined;
    this.foreign = undefined;
  }
  #distrust(why: string): void {
    this.#residue ??= residue(this.#mac);
    this.foreign ??= why;
    this.digest = undefined;
  }
  #otherVersion(number: number, why: string): LogError {
    const then = "The session was written by another version of this program; use that one, or update.";
    return new LogError("newer", this.file, `${this.file}, line ${number}: ${why}. ${then}`);
  }
  #problem(bytes: Buffer, length: number): string {
    if (length >= MAX_LINE) return `it has ${length} bytes, more than the ${MAX_LINE} of any line of ours`;
    if (bytes.every((b) => b === 0)) return "it holds nothing but NUL bytes";
    return "it was not written by this program with the person's key, or was changed since";
  }
}

function isNext(seq: number, last: number): boolean {
  return Number.isSafeInteger(seq) && seq > last && seq < 2 ** 40;
}
