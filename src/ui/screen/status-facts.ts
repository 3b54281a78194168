import { branchNow } from "../../session/branch.ts";
import type { Session } from "../../session/session.ts";
import type { Clock } from "../../util/deps.ts";
import { cleanRow } from "../render/clean.ts";
import type { Store } from "../store/store.ts";
import type { ScreenState } from "./state.ts";

/** So long facts may go on changing before the script is asked. */
const DEBOUNCE_MS = 300;

/** What the person's own script for the status row is told, as JSON. */
export interface StatusFacts {
  session_id: string;
  cwd: string;
  mode: string;
  model: string;
  effort?: string | undefined;
  branch?: string | undefined;
  context_percent?: number | undefined;
  cost_usd?: number | undefined;
}

interface StatusDeps {
  store: Store<ScreenState>;
  clock: Clock;
  session: () => Session;
  contextWindow?: ((model: string) => number | undefined) | undefined;
  /** Undefined where it fails or takes too long. */
  statusScript?: ((facts: string) => Promise<string | undefined>) | undefined;
}

/** What the status row has to find out: the branch when work begins and ends, the script's words whenever a fact changed (F-2). */
class StatusSource {
  readonly #deps: StatusDeps;
  #told = "";
  #busy: boolean | undefined;
  #waiting: AbortController | undefined;
  readonly #stop: () => void;

  constructor(deps: StatusDeps) {
    this.#deps = deps;
    this.#stop = deps.store.subscribe(() => this.#look());
    this.#look();
  }

  close(): void {
    this.#stop();
    this.#waiting?.abort();
  }

  #look(): void {
    const { busy } = this.#deps.store.get();
    if (busy !== this.#busy) void this.#branch();
    this.#busy = busy;
    if (this.#deps.statusScript === undefined) return;
    const facts = JSON.stringify(this.#facts());
    if (facts === this.#told) return;
    this.#told = facts;
    void this.#ask(facts);
  }

  async #branch(): Promise<void> {
    const { store, session } = this.#deps;
    const branch = await branchNow(session().state().folder).catch(() => undefined);
    if (store.get().branch !== branch) store.set((state) => ({ ...state, branch }));
  }

  /** The newest facts only, once they rest for a moment. */
  async #ask(facts: string): Promise<void> {
    this.#waiting?.abort();
    const { signal } = (this.#waiting = new AbortController());
    const { clock, statusScript, store } = this.#deps;
    await clock.sleep(DEBOUNCE_MS, signal);
    if (signal.aborted) return;
    const said = await statusScript?.(facts).catch(() => undefined);
    if (signal.aborted) return;
    const words = said === undefined ? undefined : cleanRow(said.split("\n")[0] ?? "").trim();
    store.set((state) => ({ ...state, statusWords: words === "" ? undefined : words }));
  }

  #facts(): StatusFacts {
    const { session, store, contextWindow } = this.#deps;
    const { view, usd, branch } = store.get();
    const window = contextWindow?.(view.model);
    const context = window === undefined || view.contextTokens === 0 ? undefined : (view.contextTokens / window) * 100;
    return {
      session_id: session().id,
      cwd: view.folder,
      mode: view.mode,
      model: view.model,
      effort: view.effort,
      branch,
      context_percent: context === undefined ? undefined : Math.round(context),
      cost_usd: usd === undefined ? undefined : Math.round(usd * 10_000) / 10_000,
    };
  }
}

/** Keeps the status row's facts; gives what ends that. */
export function followStatus(
  store: Store<ScreenState>,
  session: () => Session,
  { clock, contextWindow, statusScript }: Pick<StatusDeps, "clock" | "contextWindow" | "statusScript">,
): () => void {
  const source = new StatusSource({ store, session, clock, contextWindow, statusScript });
  return () => source.close();
}
