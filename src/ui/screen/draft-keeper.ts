import type { DraftFile, Left } from "../input/draft-file.ts";
import { EMPTY, expanded } from "../input/editor/buffer.ts";
import { edit } from "../input/editor/edit.ts";
import { historyEntry, recallOp } from "../input/editor/history.ts";
import type { Store } from "../store/store.ts";
import type { ScreenState } from "./state.ts";

/** A change is on the disk this long after it, at most (IN-17). */
const KEEP_MS = 500;

export interface DraftKeeper {
  /** What is unsent now is on the disk before this returns: the program may be stopped. */
  keep(): void;
  /** The same, and the program ends. */
  flush(): void;
}

/**
 * Keeps what is unsent where the next start finds it: the draft, with what waits to be sent before it, and what was put aside (IN-17).
 * Nothing happens while nothing changes; what was sent is gone from there at once.
 */
export function keepDrafts(
  store: Store<ScreenState>,
  file: Pick<DraftFile, "keep" | "let">,
  session: () => string,
): DraftKeeper {
  let timer: NodeJS.Timeout | undefined;
  let kept = textsOf(store.get());
  let ended = false;
  const write = (how: "keep" | "let") => {
    clearTimeout(timer);
    timer = undefined;
    kept = textsOf(store.get());
    file[how](session(), unsent(store.get()));
  };
  store.subscribe(() => {
    const now = textsOf(store.get());
    if (same(now, kept)) return;
    if (now.every((text) => text === "")) return write("keep");
    timer ??= setTimeout(() => write("keep"), KEEP_MS);
  });
  return {
    keep: () => void (same(textsOf(store.get()), kept) || write("keep")),
    flush() {
      if (ended) return;
      ended = true;
      write("let");
    },
  };
}

/** What has to change for anything to be written; cheap, since it is looked at with every frame. */
function textsOf({ editor, queued, later, stash }: ScreenState): readonly string[] {
  return [editor.text, stash?.text ?? "", ...queued, ...later];
}

function same(a: readonly string[], b: readonly string[]): boolean {
  return a.length === b.length && a.every((text, at) => text === b[at]);
}

/** Texts that nobody has read yet, as one draft. */
function unsent({ editor, queued, later, stash }: ScreenState): Left {
  const waiting = [...queued, ...later];
  if (waiting.length === 0) return { draft: historyEntry(editor), stash };
  const all = [...waiting, ...(editor.text === "" ? [] : [expanded(editor)])];
  return { draft: { text: all.join("\n\n") }, stash };
}

/**
 * What was left comes back, with a word. Where something was typed meanwhile it is put aside instead: an Enter that was typed ahead would
 * send it.
 */
export function broughtBack(state: ScreenState, { draft, stash }: Left, at: number): ScreenState {
  const say = (text: string) => ({ text, until: at + 8000 });
  if (draft.text.trim() === "") return { ...state, stash: stash ?? state.stash };
  if (state.editor !== EMPTY || state.busy)
    return { ...state, stash: draft, toast: say("An unsent draft of before is put aside · Ctrl-S brings it back") };
  const editor = edit(state.editor, recallOp(draft), { at, width: 80 });
  return { ...state, editor, stash, menu: { closed: editor.text }, toast: say("Your draft of before is back") };
}
