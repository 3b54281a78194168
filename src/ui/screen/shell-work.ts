import type { Session } from "../../session/session.ts";
import type { Clock } from "../../util/deps.ts";
import { ARMING_MS } from "../input/arming.ts";
import { prefixMode } from "../input/editor/edit.ts";
import type { Store } from "../store/store.ts";
import type { OutsideRun } from "../term/outside.ts";
import type { Actions } from "./actions.ts";
import { put } from "./composer-keys.ts";
import { completeShellPath } from "./shell-paths.ts";
import type { ScreenState } from "./state.ts";

const TOAST_MS = 4000;

export interface ShellDeps {
  store: Store<ScreenState>;
  clock: Clock;
  session: () => Session;
  notice: (words: string) => void;
  /** A command as it was typed, for the transcript. */
  echo: (words: string) => void;
  /** Runs the person's own shell command outside, with the terminal. */
  outside: (command: string, cwd?: string) => Promise<OutsideRun>;
  cols: () => number;
  home: string;
}

/** What the person's own commands need beside the session: `!!`, its output, paths, what is to go on in the background (U8, Q-9). */
export class ShellWork {
  readonly #deps: ShellDeps;

  constructor(deps: ShellDeps) {
    this.#deps = deps;
  }

  /** Runs one in the person's own shell, which has the terminal meanwhile. */
  outside(command: string, cwd: string): Promise<OutsideRun> {
    return this.#deps.outside(command, cwd);
  }

  /** `!!command`. That it ran is a fact; what it said goes nowhere unless the person wants it. */
  run(command: string): void {
    if (command === "") return;
    const { echo, session, outside, notice, store } = this.#deps;
    echo(`!!${command}`);
    const { own } = session();
    void outside(command)
      .then(async ({ exit, output = "" }) => {
        if (exit !== 0) notice(`!! ended with ${exit ?? "a signal"}`);
        await own.ran(command, exit);
        const at = this.#deps.clock.now();
        if (output.trim() !== "") store.setNow((state) => ({ ...state, offer: { command, exit, output, at } }));
      })
      .catch((error: unknown) => this.#failed(error));
  }

  /** What the last `!!` said goes to the model, with the next message. A Tab that was meant for the command itself comes too early. */
  showOutput(): void {
    const { store, session, notice, clock } = this.#deps;
    const { offer } = store.get();
    if (offer === undefined || clock.now() - offer.at < ARMING_MS) return;
    store.setNow((state) => ({ ...state, offer: undefined }));
    void session()
      .own.show(offer.command, offer.exit, offer.output)
      .then(() => notice(`The model sees what !!${offer.command} said, with your next message.`))
      .catch((error: unknown) => this.#failed(error));
  }

  /** Tab in a `!` line; `!!` begins in the session's folder. */
  completePath(): Promise<void> {
    const { store, session, clock, cols, home } = this.#deps;
    const { shell, folder } = session().state();
    const cwd = prefixMode(store.get().editor) === "outside" ? folder : shell.cwd;
    return completeShellPath(store, { cwd, home }, { at: clock.now(), width: cols() });
  }

  /**
   * Ctrl-B. What began in the foreground can't be moved: a background shell has mounts, layers and a filter of its own from its first
   * instruction on (ADR 11). So the key says what does it, and has the words for it ready.
   */
  background(): void {
    const { store, clock, cols } = this.#deps;
    const call = store.get().view.running.find((c) => c.startedAt !== undefined && c.tool === "Bash");
    const at = clock.now();
    const toast = (text: string) => ({ text, until: at + TOAST_MS });
    if (call === undefined) return store.setNow((state) => ({ ...state, toast: toast("No command runs") }));
    const command = typeof call.input["command"] === "string" ? call.input["command"].split("\n")[0] : "";
    const words = `Start that again, to go on in the background (run_in_background): ${command}`;
    store.setNow((state) => ({
      ...put(state, words, { at, width: cols() }),
      toast: toast("A command can't be moved while it runs: Esc stops it, Enter then has it started in the background"),
    }));
  }

  #failed(error: unknown): void {
    this.#deps.notice(error instanceof Error ? error.message : String(error));
  }
}

/** What keys bring about in it. */
export function shellActions(
  shell: () => ShellWork,
  later: (act: () => void) => void,
): Pick<Actions, "showOutput" | "completePath" | "background"> {
  return {
    showOutput: () => later(() => shell().showOutput()),
    completePath: () => later(() => void shell().completePath()),
    background: () => later(() => shell().background()),
  };
}
