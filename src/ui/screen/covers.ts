import type { Session } from "../../session/session.ts";
import type { FileDiff } from "../../workspace/workspace.ts";
import type { Line } from "../render/spans.ts";
import { bytes } from "../render/units.ts";
import { clipboardSequence } from "../term/clipboard.ts";
import type { ControllerOptions } from "./options.ts";
import { Full, type FullOptions } from "./full.ts";

export interface CoverDeps extends FullOptions {
  session(): Session;
  diffs(callId: string): readonly FileDiff[] | undefined;
  say(rows: (width: number) => Line[]): void;
  notice(words: string): void;
  options: Pick<ControllerOptions, "theme" | "openText" | "tmux">;
  /** Gives the terminal to another program. */
  lend<R>(run: () => Promise<R>): Promise<R>;
}

/** What covers the whole screen for a while. Each is loaded when it is first asked for: none is needed to begin. */
export class Covers {
  readonly full: Full;
  readonly #deps: CoverDeps;

  constructor(deps: CoverDeps) {
    this.#deps = deps;
    this.full = new Full(deps);
  }

  /** The whole session (T-5); resolves when it is left. */
  async transcript(): Promise<void> {
    const { session, diffs, say } = this.#deps;
    const { transcriptView } = await import("../pager/view.ts");
    const view = transcriptView({
      facts: () => session().looks.facts(),
      state: () => session().state(),
      diffs,
      say,
      copy: (text) => this.copy(text),
      openText: (text) => void this.#openText(text),
    });
    await this.full.show(view);
  }

  /** Puts a text into the clipboard; says what came of it. */
  copy(text: string): string {
    const sequence = clipboardSequence(text, { tmux: this.#deps.options.tmux === true });
    const size = bytes(Buffer.byteLength(text));
    if (sequence === undefined) return `${size} are too long for the terminal's clipboard`;
    this.#deps.display()?.aside(sequence);
    return `${size} copied, where the terminal lets programs do that (OSC 52)`;
  }

  async #openText(text: string): Promise<void> {
    try {
      const code = await this.#deps.lend(() => this.#deps.options.openText(text));
      if (code !== 0) this.#deps.notice(`the program that showed the transcript ended with ${code ?? "a signal"}`);
    } catch (error) {
      this.#deps.notice(error instanceof Error ? error.message : String(error));
    }
    this.full.paint();
  }
}
