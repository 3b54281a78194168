import { isFact, type SessionEvent } from "../../events/event.ts";
import { initialState, reduce } from "../../events/reduce.ts";
import type { SessionState } from "../../events/state.ts";
import { entryLines } from "../render/entry.ts";
import { markdown } from "../render/markdown.ts";
import { paint } from "../render/spans.ts";
import { openSource } from "../store/stream.ts";
import { createTranscript, type Transcript } from "../store/transcript.ts";
import { reduceView } from "../store/view-state.ts";
import { NO_VIEW, type View } from "../store/view.ts";
import type { Theme } from "../theme.ts";

/** A session as the screen shows it, fed with its events one by one: the same folds and rows as in a live session. */
export class Film {
  readonly #theme: Theme;
  readonly #transcript: Transcript;
  #state: SessionState = initialState("");
  #view: View = NO_VIEW;
  #at = 0;

  constructor(theme: Theme) {
    this.#theme = theme;
    const facts = { state: () => this.#state, diffs: () => undefined };
    this.#transcript = createTranscript((entry, width) => paint(entryLines(entry, facts, width), theme));
  }

  get view(): View {
    return this.#view;
  }

  show(event: SessionEvent): void {
    if (isFact(event)) {
      this.#state = reduce(this.#state, event);
      this.#at = Date.parse(event.at);
    }
    const step = reduceView(this.#view, event, this.#at);
    this.#view = step.view;
    this.#transcript.append(step.entries);
  }

  /** Rows since the last time. */
  take(width: number): string[] {
    return this.#transcript.take(width);
  }

  /** The last rows, for a screen that is painted anew. */
  newest(width: number, rows: number): string[] {
    this.#transcript.take(width);
    return this.#transcript.newest(width, rows);
  }

  /** What of the open reply is not in the transcript yet. */
  tail(width: number, rows: number): string[] {
    const open = openSource(this.#view.stream);
    if (open.trim() === "" || rows < 1) return [];
    return ["", ...paint(markdown(open, width), this.#theme)].slice(-rows);
  }
}
