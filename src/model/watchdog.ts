/** How long may nothing be heard, in milliseconds. */
export interface Patience {
  /** Before the first byte: a local model may read a long prompt for minutes. */
  firstMs: number;
  /** Between two bytes: a stream pings every few seconds while it lives. */
  stallMs: number;
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
  #timer: NodeJS.Timeout | undefined;
  #heard = false;
  /** It was too silent. */
  bit = false;

  constructor(patience: Patience, outer: AbortSignal) {
    this.#patience = patience;
    this.signal = AbortSignal.any([outer, this.#abort.signal]);
    this.#wait(patience.firstMs);
  }

  get words(): string {
    const { firstMs, stallMs } = this.#patience;
    const s = (ms: number) => `${Number((ms / 1000).toPrecision(2))} s`;
    return this.#heard ? `No word from the model for ${s(stallMs)}.` : `No answer from the model within ${s(firstMs)}.`;
  }

  /** A byte has come. */
  alive(): void {
    this.#heard = true;
    this.#wait(this.#patience.stallMs);
  }

  /** The last word has come: a server that doesn't close the stream behind it isn't waited for. */
  soon(): void {
    this.#wait(Math.min(FAREWELL_MS, this.#patience.stallMs));
  }

  /** Frees the connection of a stream that was left halfway. */
  end(): void {
    clearTimeout(this.#timer);
    this.#abort.abort();
  }

  #wait(ms: number): void {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => {
      this.#timer = setTimeout(() => {
        this.bit = true;
        this.#abort.abort();
      }, GRACE_MS);
    }, ms);
  }
}
