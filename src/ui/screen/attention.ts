import { basename } from "node:path";
import type { Clock } from "../../util/deps.ts";
import { callSequence, type Callers, titleSequence } from "../term/notify.ts";
import type { ModeName } from "../term/modes.ts";
import type { ScreenState } from "./state.ts";

/** What the person wants of the window (settings `terminal`). */
export interface AttentionOptions {
  title: boolean;
  progress: boolean;
  when: "unfocused" | "always" | "never";
  callers: Callers;
  clock: Pick<Clock, "now">;
  /** Writes a command to the terminal that shows nothing on the screen. */
  aside(sequence: string): void;
  /** On and off, so that whatever way the program ends the window is as it was. */
  enable(mode: ModeName): void;
  disable(mode: ModeName): void;
}

/** Follows the screen's state and tells the window of it (N-1). No timer of its own. */
export interface Attention {
  focus(on: boolean): void;
  /** The terminal was with another program: the window is told anew. */
  again(): void;
  follow(state: Pick<ScreenState, "busy" | "prompts" | "view">): void;
}

/** What takes longer is worth a call at its end. */
const LONG_MS = 10_000;
/** Some terminals take the progress away that nobody told of for fifteen seconds. */
const FRESH_MS = 5000;
const PROGRESS = "\x1b]9;4;3\x07";
type State = "ready" | "working" | "asking";

/** See `Attention`. A terminal that never told whether it has the focus counts as looked at. */
export function createAttention(options: AttentionOptions): Attention {
  const { clock, callers } = options;
  const aside = (sequence: string) => options.aside(sequence);
  let focused = true;
  let busySince: number | undefined;
  let calledFor: number | undefined;
  let shown: string | undefined;
  let toldAt: number | undefined;
  const call = (project: string, words: string) => {
    if (options.when === "never" || (options.when === "unfocused" && focused)) return;
    aside(callSequence(`agent – ${project}`, words, callers));
  };
  const title = (project: string, state: State) => {
    const next = titleSequence(["agent", project, state]);
    if (!options.title || next === shown) return;
    if (shown === undefined) options.enable("title");
    shown = next;
    aside(next);
  };
  const progress = (on: boolean) => {
    if (!options.progress || !callers.progress || (!on && toldAt === undefined)) return;
    if (!on) options.disable("progress");
    else if (toldAt === undefined) options.enable("progress");
    else if (clock.now() - toldAt < FRESH_MS) return;
    else aside(PROGRESS);
    toldAt = on ? clock.now() : undefined;
  };
  return {
    focus: (on) => void (focused = on),
    again() {
      if (shown !== undefined) aside(shown);
    },
    follow({ busy, prompts, view }) {
      const project = basename(view.folder) || view.folder;
      const open = prompts[0];
      const state: State = open !== undefined ? "asking" : busy ? "working" : "ready";
      title(project, state);
      progress(busy && open === undefined);
      if (open !== undefined && open.key !== calledFor) {
        calledFor = open.key;
        call(project, open.kind === "permission" ? "waits for your yes or no" : "asks you something");
      }
      if (busy) busySince ??= clock.now();
      else if (busySince !== undefined) {
        const took = clock.now() - busySince;
        busySince = undefined;
        if (took > LONG_MS) call(project, "done");
      }
    },
  };
}
