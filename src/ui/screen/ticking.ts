import type { Clock } from "../../util/deps.ts";
import type { Store } from "../store/store.ts";
import type { ScreenState } from "./state.ts";

/** Eight times a second while something goes on; with less motion once, which is enough for the seconds (F-4). */
const TICK_MS = 125;
const CALM_MS = 1000;
const TOAST_MS = 500;

/** The only timer of a screen: it runs while something goes on or a toast stands, and not a moment longer. */
export class Ticking {
  readonly #store: Store<ScreenState>;
  readonly #clock: Clock;
  #timer: NodeJS.Timeout | undefined;

  constructor(store: Store<ScreenState>, clock: Clock) {
    this.#store = store;
    this.#clock = clock;
  }

  /** After each frame. */
  goOn(): void {
    const { busy, toast, calm } = this.#store.get();
    if (!busy && toast === undefined) return;
    const every = !busy ? TOAST_MS : calm ? CALM_MS : TICK_MS;
    this.#timer ??= setTimeout(() => this.#tick(), every);
  }

  close(): void {
    clearTimeout(this.#timer);
  }

  #tick(): void {
    this.#timer = undefined;
    const now = this.#clock.now();
    this.#store.setNow((state) => {
      const { toast, calm, tick } = state;
      const stands = toast !== undefined && toast.until > now;
      return { ...state, now, tick: calm ? 0 : tick + 1, toast: stands ? toast : undefined };
    });
  }
}
