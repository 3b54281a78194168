/** How long may nothing be heard, in milliseconds. */
export interface Patience {
  /** Before the first byte: the service reads the prompt. */
  firstMs: number;
  /** Between two bytes: a stream pings every few seconds while it lives. */
  stallMs: number;
  /** Between two events of the reply, while pings alone come. */
  pingsMs: number;
}

/** So long a byte may still be on its way through this process when the time is over: it may have been suspended. */
const GRACE_MS = 200;

const FAREWELL_MS = 1000;

/** Ends a request that says nothing for too long: the SDK has no such limit. */
export class Watchdog {
  readonly #abort = new AbortController();
  readonly #patience: Patience;
  /** Aborted by the person or by the watchdog. */
  readonly signal: AbortSignal;
  readonly #silence: Alarm;
  readonly #pings: Alarm;
  #heard = false;
  #bit: "silence" | "pings" | undefined;

  constructor(patience: Patience, outer: AbortSignal) {
    this.#patience = patience;
    this.signal = AbortSignal.any([outer, this.#abort.signal]);
    this.#silence = new Alarm(() => this.#bite("silence"));
    this.#pings = new Alarm(() => this.#bite("pings"));
    this.#silence.set(patience.firstMs);
  }

  /** It was too silent. */
  get bit(): boolean {
    return this.#bit !== undefined;
  }

  get words(): string {
    const { firstMs, stallMs, pingsMs } = this.#patience;
    const s = (ms: number) => `${Number((ms / 1000).toPrecision(2))} s`;
    if (this.#bit === "pings") return `Signs of life, but no word from the model for ${s(pingsMs)}.`;
    return this.#heard ? `No word from the model for ${s(stallMs)}.` : `No answer from the model within ${s(firstMs)}.`;
  }

  /** A byte has come. */
  alive(): void {
    if (!this.#heard) this.#pings.set(this.#patience.pingsMs);
    this.#heard = true;
    this.#silence.set(this.#patience.stallMs);
  }

  /** An event of the reply has come. */
  progress(): void {
    this.#pings.set(this.#patience.pingsMs);
  }

  /** The last word has come: a server that doesn't close the stream behind it isn't waited for. */
  soon(): void {
    this.#silence.set(Math.min(FAREWELL_MS, this.#patience.stallMs));
    this.#pings.set(Math.min(FAREWELL_MS, this.#patience.stallMs));
  }

  /** Frees the connection of a stream that was left halfway. */
  end(): void {
    this.#silence.clear();
    this.#pings.clear();
    this.#abort.abort();
  }

  #bite(why: "silence" | "pings"): void {
    this.#bit = why;
    this.#abort.abort();
  }
}

/** Rings once after the time that was set last, and a grace. */
class Alarm {
  #timer: NodeJS.Timeout | undefined;
  #ms = 0;
  readonly #ring: () => void;

  constructor(ring: () => void) {
    this.#ring = ring;
  }

  set(ms: number): void {
    // The usual case, thousands of times a second: the same time anew.
    if (this.#timer !== undefined && ms === this.#ms) return void this.#timer.refresh();
    clearTimeout(this.#timer);
    this.#ms = ms;
    this.#timer = setTimeout(() => {
      this.#timer = setTimeout(this.#ring, GRACE_MS);
      this.#ms = -1;
    }, ms);
  }

  clear(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
  }
}
