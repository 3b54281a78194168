import { mayAnswer, questionGone } from "../input/arming.ts";
import type { InputEvent, Key } from "../input/key.ts";
import { DEFAULT_KEYMAP, type Keymap } from "../input/keymap.ts";
import { type Line, paint, truncate } from "../render/spans.ts";
import type { Store } from "../store/store.ts";
import type { Theme } from "../theme.ts";
import type { Display } from "./display.ts";
import type { KeysNow } from "./own-keys.ts";
import type { ScreenState } from "./state.ts";

/** What a view is drawn for. */
export interface Size {
  cols: number;
  rows: number;
}

/** Something that has the whole screen and all keys until it is left. */
export interface FullView {
  /** At most `rows` rows; the cursor is hidden where no caret is told. `waits`: what is to be told of questions that wait behind it. */
  draw(
    size: Size,
    waits: string | undefined,
    keymap?: Keymap,
  ): { rows: readonly Line[]; caret?: { x: number; y: number } };
  /** "leave": it is over. */
  key(key: Key, size: Size, keymap?: Keymap): "leave" | undefined;
  /** Pasted text is for a field alone. */
  paste?(text: string): void;
}

export interface FullOptions {
  store: Store<ScreenState>;
  options: { theme: Theme; keys?: Pick<KeysNow, "keymap"> | undefined };
  display(): Display | undefined;
  /** Ctrl-Z. */
  suspend(): void;
  /** The screen is back. `resized`: the window has another size than when it was covered. */
  back(resized: boolean): void;
}

/** The view that covers the screen, if one does. Questions that come meanwhile wait, and are armed anew when the screen is back (P-4). */
export class Full {
  readonly #deps: FullOptions;
  #open: { view: FullView; size: Size; left: () => void } | undefined;

  constructor(options: FullOptions) {
    this.#deps = options;
  }

  get isOpen(): boolean {
    return this.#open !== undefined;
  }

  /** Shows a view until it is left; one at a time, a second one opens over the first and closes with it. */
  show(view: FullView): Promise<void> {
    const display = this.#deps.display();
    if (display === undefined || this.#open !== undefined) return Promise.resolve();
    return new Promise((resolve) => {
      this.#open = { view, size: display.size(), left: resolve };
      this.paint();
    });
  }

  /** Takes every key and paste while something is open; false when nothing is. */
  input(event: InputEvent): boolean {
    const open = this.#open;
    if (open === undefined) return false;
    // They count as pressed, so that none of them is the key that answers when the screen is back.
    this.#deps.store.set((state) => ({ ...state, arming: mayAnswer(state.arming, event).state }));
    if (event.kind === "paste") open.view.paste?.(event.text);
    if (event.kind === "key" && event.key.ctrl && event.key.name === "z") this.#deps.suspend();
    else if (event.kind === "key" && open.view.key(event.key, this.#size(), this.#keymap()) === "leave") this.leave();
    this.paint();
    return true;
  }

  /** Draws it; true when something covers the screen. */
  paint(): boolean {
    const display = this.#deps.display();
    if (this.#open === undefined || display === undefined) return false;
    const size = this.#size();
    const { rows, caret } = this.#open.view.draw(size, this.#waits(), this.#keymap());
    const fitted = rows.slice(0, size.rows).map((row) => truncate(row, size.cols));
    display.cover(paint(fitted, this.#deps.options.theme), caret);
    return true;
  }

  leave(): void {
    const open = this.#open;
    if (open === undefined) return;
    const now = this.#size();
    this.#open = undefined;
    // Ahead of the write that brings the question back: it is armed by that one, and no further one may come (P-4).
    this.#deps.store.set((state) => ({ ...state, arming: questionGone(state.arming) }));
    this.#deps.display()?.uncover();
    this.#deps.store.setNow((state) => ({ ...state }));
    this.#deps.back(open.size.cols !== now.cols || open.size.rows !== now.rows);
    open.left();
  }

  #keymap(): Keymap {
    return this.#deps.options.keys?.keymap() ?? DEFAULT_KEYMAP;
  }

  #size(): Size {
    return this.#deps.display()?.size() ?? { cols: 80, rows: 24 };
  }

  #waits(): string | undefined {
    const { prompts } = this.#deps.store.get();
    const [first] = prompts;
    if (first === undefined) return undefined;
    const what = first.kind === "permission" ? first.prompt.question.effect.tool : "the model";
    return prompts.length > 1 ? `${prompts.length} questions wait` : `a question waits: ${what}`;
  }
}
