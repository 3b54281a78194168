import { EndReason, type SessionEvent } from "../events/event.ts";
import type { Asker } from "../permissions/asker.ts";
import { budgetsOf, ledgerNow, timeLeft } from "./limits.ts";
import { SCOPES } from "./ledger.ts";
import { limitText } from "./limit-words.ts";
import type { Clock } from "../util/deps.ts";
import type { LoopDeps, Stop } from "./deps.ts";

/** A longer sleep would not see that the person moved the limit meanwhile. */
const LOOK_MS = 1000;

/** Why a signal was aborted: at a limit, or else by the person. */
export function stopOf(signal: AbortSignal): Stop {
  const { reason } = signal as { reason: unknown };
  const stop = typeof reason === "object" && reason !== null && "reason" in reason ? reason : {};
  const named = EndReason.safeParse("reason" in stop ? stop.reason : undefined);
  if (!named.success) return { reason: "interrupted" };
  return {
    reason: named.data,
    ...("detail" in stop && typeof stop.detail === "string" ? { detail: stop.detail } : {}),
  };
}

/**
 * Runs a query under its time limit (S3): at its end a running reply, command or check is cut off, and the stop says so. While the person is asked
 * the time stands still, so nobody comes back to a query that ended because of them.
 */
export async function* underDeadline(
  run: (deps: LoopDeps, signal: AbortSignal) => AsyncGenerator<SessionEvent, Stop>,
  deps: LoopDeps,
  signal: AbortSignal,
): AsyncGenerator<SessionEvent, Stop> {
  // Where no limit is set nothing has to be watched; one that is set meanwhile counts from the next turn on.
  if (timeLeft(deps) === Infinity) return yield* run(deps, signal);
  const late = new AbortController();
  const over = new AbortController();
  const pauses = new Pauses(deps.asker, deps.clock);
  const watched = watch(deps, pauses, late, over.signal);
  try {
    return yield* run({ ...deps, asker: pauses.asker }, AbortSignal.any([signal, late.signal]));
  } finally {
    over.abort();
    pauses.end();
    await watched;
  }
}

async function watch(deps: LoopDeps, pauses: Pauses, late: AbortController, over: AbortSignal): Promise<void> {
  while (!over.aborted) {
    await pauses.none();
    const left = timeLeft(deps) + pauses.after(Date.parse(deps.log.state.lastAt));
    if (over.aborted) return;
    if (left <= 0) return late.abort(timeStop(deps));
    await deps.clock.sleep(Math.min(left, LOOK_MS), over);
  }
}

function timeStop(deps: LoopDeps): Stop {
  const [budgets, ledger] = [budgetsOf(deps), ledgerNow(deps)];
  const scope = SCOPES.find((s) => ledger[s].timeMs >= (budgets[s].timeMs ?? Infinity)) ?? "message";
  return {
    reason: "time-limit",
    detail: limitText(scope, "timeMs", budgets[scope].timeMs ?? 0, ledger[scope].timeMs),
  };
}

/** Knows while a person is being asked. */
class Pauses {
  readonly asker: Asker;
  #open = 0;
  #last = { from: 0, to: 0 };
  #resume: (() => void)[] = [];

  constructor(asker: Asker, clock: Clock) {
    const paused = async <R>(work: () => Promise<R>): Promise<R> => {
      if (this.#open++ === 0) this.#last = { from: clock.now(), to: 0 };
      try {
        return await work();
      } finally {
        this.#last = { ...this.#last, to: clock.now() };
        if (--this.#open === 0) this.end();
      }
    };
    this.asker = {
      ask: (question, signal) => paused(() => asker.ask(question, signal)),
      together: (callId) => asker.together?.(callId) === true,
      askPerson: (question, signal) => paused(() => asker.askPerson(question, signal)),
    };
  }

  /** Resolves when nobody is asked, or at the end. */
  async none(): Promise<void> {
    if (this.#open > 0) await new Promise<void>((resolve) => this.#resume.push(resolve));
  }

  /** How long the newest pause was behind this time: the log, which knows of answers, may not have it yet. */
  after(time: number): number {
    return Math.max(0, this.#last.to - Math.max(this.#last.from, time));
  }

  end(): void {
    for (const resolve of this.#resume.splice(0)) resolve();
  }
}
