import type { Session } from "../../session/session.ts";
import { sanitize } from "../../util/visible.ts";
import type { FileDiff } from "../../workspace/workspace.ts";
import { type Line, paint } from "../render/spans.ts";
import { bytes } from "../render/units.ts";
import type { Entry } from "../store/entry.ts";
import { TURN_MARK } from "../term/out.ts";
import { clipboardSequence } from "../term/clipboard.ts";
import type { ControllerOptions } from "./options.ts";
import type { OpenPrompt } from "./state.ts";
import type { ReviewText } from "../review/text.ts";
import { Full, type FullOptions } from "./full.ts";

export interface CoverDeps extends FullOptions {
  session(): Session;
  diffs(callId: string): readonly FileDiff[] | undefined;
  say(rows: (width: number) => Line[]): void;
  notice(words: string): void;
  options: Pick<ControllerOptions, "theme" | "openText" | "tmux" | "keys">;
  /** Gives the terminal to another program. */
  lend<R>(run: () => Promise<R>): Promise<R>;
}

/**
 * An entry's rows for the scrollback, with what the terminal makes something of: links, and a mark where a turn begins (the first row of
 * all is blank).
 */
export function paintEntry(
  entry: Entry,
  lines: readonly Line[],
  {
    theme,
    marks = false,
    links = false,
    fileLinks: files = false,
  }: Pick<ControllerOptions, "theme" | "marks" | "links" | "fileLinks">,
): string[] {
  const rows = paint(lines, theme, { links, files });
  if (!marks || entry.kind !== "person" || entry.when !== "start") return rows;
  return rows.map((row, at) => (at === 1 ? TURN_MARK + row : row));
}

/** A blank row, the composer, the status. */
const REGION_ROWS = 3;

function goesAlong(words: string): string {
  return `With the answer goes: ${words}`;
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
    const deps = this.#deps;
    const { transcriptView } = await import("../pager/view.ts");
    const view = transcriptView({
      facts: () => deps.session().looks.facts(),
      state: () => deps.session().state(),
      diffs: (callId) => deps.diffs(callId),
      say: (rows) => deps.say(rows),
      copy: (text) => this.copy(text),
      openText: (text) => void this.#openText(text),
    });
    await this.full.show(view);
  }

  /** Rows to read: in the transcript where a window holds them above the region, else on a screen of their own. */
  async text(title: string, rows: (width: number) => Line[]): Promise<void> {
    const deps = this.#deps;
    const size = deps.display()?.size();
    if (size === undefined || rows(size.cols).length <= size.rows - REGION_ROWS) return deps.say(rows);
    const { textView } = await import("../pager/text-view.ts");
    await this.full.show(textView({ title, rows, say: () => deps.say(rows) }));
  }

  /** A change set, to be read (T-2); resolves when it is left. */
  async changes(text: ReviewText): Promise<void> {
    const { reviewView } = await import("../review/view.ts");
    await this.full.show(reviewView(text, () => this.full.paint()));
  }

  /** A question's change set: what is chosen and written there goes back to the question, where it is answered. */
  async question({ key, prompt }: Extract<OpenPrompt, { kind: "permission" }>, edit?: () => void): Promise<void> {
    const [{ reviewView }, { reviewOfQuestion }] = await Promise.all([
      import("../review/view.ts"),
      import("../review/text.ts"),
    ]);
    const { question, left, comment = "" } = prompt;
    const done = (chosen: ReadonlySet<string>, words: string, seen: ReadonlySet<number>) =>
      this.#deps.store.setNow((state) => ({
        ...state,
        prompts: state.prompts.map((open) => {
          if (open.key !== key || open.kind !== "permission") return open;
          const { comment: _, ...rest } = open.prompt;
          const names = Array.from(seen, (at) => `entry:${at}`);
          const prompt = { ...rest, left: chosen, seen: new Set([...rest.seen, ...names]) };
          return { ...open, prompt: words === "" ? prompt : { ...prompt, comment: words, hint: goesAlong(words) } };
        }),
      }));
    const view = reviewView(reviewOfQuestion(question), () => this.full.paint(), {
      question,
      left,
      comment,
      done,
      ...(edit === undefined ? {} : { edit }),
    });
    await this.full.show(view);
  }

  /** Puts a text into the clipboard; says what came of it. */
  copy(raw: string): string {
    // What can't be seen would be pasted without having been read.
    const text = sanitize(raw);
    const sequence = clipboardSequence(text, { tmux: this.#deps.options.tmux === true });
    const size = bytes(Buffer.byteLength(text));
    if (sequence === undefined) return `${size} are too long for the terminal's clipboard`;
    this.#deps.display()?.aside(sequence);
    return `${size} copied, where the terminal lets programs do that (OSC 52)`;
  }

  /** The only place that takes rows out of the terminal's own scrollback, since the person said so (T-7). */
  clearScrollback(): void {
    this.#deps.display()?.aside("\x1b[3J");
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
