import type { Mode } from "../events/effect.ts";
import type { SessionEvent } from "../events/event.ts";
import type { HookFields } from "../hooks/moment.ts";
import type { LoopDeps, Stop } from "../loop/deps.ts";
import { runHooks } from "../loop/run-hooks.ts";

/** How long the end of a session waits for its hooks. */
const END_MS = 10_000;
/** So long nobody does anything before a hook is told that the person is waited for. */
const IDLE_MS = 60_000;

type Run = (signal: AbortSignal) => AsyncGenerator<SessionEvent, unknown>;

/**
 * Hooks of moments at which no query runs: the session's start and end, a switch of the mode, that something waits for the person. They
 * run beside what the person does. Their facts are handed on with the next query's.
 */
export class HookMoments {
  readonly #deps: LoopDeps;
  readonly #events: SessionEvent[] = [];
  readonly #running = new Map<Promise<void>, AbortController>();
  #starting: Promise<unknown> = Promise.resolve();
  readonly #stirredAt: () => number;
  #idle = new AbortController();

  /** `stirredAt`: when the person last did something, in milliseconds of the clock. */
  constructor(deps: LoopDeps, source: HookFields["SessionStart"]["source"], stirredAt: () => number) {
    this.#deps = deps;
    this.#stirredAt = stirredAt;
    this.#start(source);
  }

  /** A query, behind what the start's hooks add; then it waits for the person. */
  async *around(query: AsyncGenerator<SessionEvent, Stop>, signal: AbortSignal): AsyncGenerator<SessionEvent, Stop> {
    this.#idle.abort();
    yield* this.#before(signal);
    const stop = yield* query;
    if (stop.reason === "waiting") this.#notify("elicitation_dialog", "Waits for your answer");
    else void this.#whenIdle(`Waits for you (${stop.reason})`);
    return stop;
  }

  #notify(notification_type: string, message: string): void {
    const fields = { message, title: "Understudy", notification_type };
    void this.#beside((within) => runHooks("Notification", fields, this.#deps, within));
  }

  /** One timer, and only where a hook wants to know. */
  async #whenIdle(message: string): Promise<void> {
    const { clock, hooks } = this.#deps;
    if ((hooks?.concerned("Notification", "idle_prompt") ?? []).length === 0) return;
    const idle = (this.#idle = new AbortController());
    const ended = clock.now();
    for (let left = IDLE_MS; left > 0; left = Math.max(ended, this.#stirredAt()) + IDLE_MS - clock.now()) {
      await clock.sleep(left, idle.signal).catch(() => undefined);
      if (idle.signal.aborted) return;
    }
    this.#notify("idle_prompt", message);
  }

  #start(source: HookFields["SessionStart"]["source"]): void {
    const { model } = this.#deps.log.state;
    this.#starting = this.#beside((signal) => runHooks("SessionStart", { source, model }, this.#deps, signal));
  }

  modeChanged(before: Mode, now: Mode): void {
    void this.#beside((signal) => runHooks("ModeChange", { old_mode: before, new_mode: now }, this.#deps, signal));
  }

  /** Ahead of a query: what the start's hooks add is there first. The person's stop ends them. */
  async *#before(signal: AbortSignal): AsyncGenerator<SessionEvent, void> {
    const stop = (): void => this.#stop();
    signal.addEventListener("abort", stop);
    try {
      if (signal.aborted) stop();
      await this.#starting;
    } finally {
      signal.removeEventListener("abort", stop);
    }
    yield* this.#events.splice(0);
  }

  /** Ends what still runs after a moment, and tells the SessionEnd hooks. */
  async end(reason: HookFields["SessionEnd"]["reason"]): Promise<void> {
    this.#idle.abort();
    void this.#beside((signal) => runHooks("SessionEnd", { reason }, this.#deps, signal));
    const late = new AbortController();
    const all = Promise.all(this.#running.keys());
    await Promise.race([all, this.#deps.clock.sleep(END_MS, late.signal)]);
    late.abort();
    this.#stop();
    await all;
  }

  /** /clear: one conversation ends, another begins. */
  async cleared(): Promise<void> {
    await this.#beside((signal) => runHooks("SessionEnd", { reason: "clear" }, this.#deps, signal));
    this.#start("clear");
  }

  #stop(): void {
    for (const controller of this.#running.values()) controller.abort();
  }

  #beside(run: Run): Promise<void> {
    if (this.#deps.hooks === undefined) return Promise.resolve();
    const controller = new AbortController();
    const done = (async () => {
      for await (const event of run(controller.signal)) this.#events.push(event);
    })()
      // A log that can't be written fails whoever writes next.
      .catch(() => undefined)
      .finally(() => this.#running.delete(done));
    this.#running.set(done, controller);
    return done;
  }
}
