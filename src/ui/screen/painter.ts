import { questionShown } from "../input/arming.ts";
import type { Frame } from "../render/frame.ts";
import { type Line, paint } from "../render/spans.ts";
import type { Theme } from "../theme.ts";
import type { Painted } from "../views/App.tsx";
import { promptLayout } from "./frame.ts";
import { sawPrompt } from "./prompt-keys.ts";
import type { ScreenState } from "./state.ts";

const PARTS = ["tail", "tools", "todo", "queue", "main", "menu", "status"] as const;

/** Frames to painted rows; a part that did not change stays the same array, so that its view is not drawn again. */
export function createPainter(theme: Theme): (frame: Frame) => Painted {
  let last: Painted | undefined;
  return (frame) => {
    const part = (name: (typeof PARTS)[number]) => same(last?.[name], paint(frame[name] as readonly Line[], theme));
    last = {
      tail: part("tail"),
      tools: part("tools"),
      todo: part("todo"),
      queue: part("queue"),
      main: part("main"),
      menu: part("menu"),
      status: part("status"),
      caret: frame.caret,
    };
    return last;
  };
}

function same(before: readonly string[] | undefined, after: readonly string[]): readonly string[] {
  const equal = before?.length === after.length && after.every((row, at) => row === before[at]);
  return equal && before !== undefined ? before : after;
}

/** After a frame was handed to the terminal at `at`: the question in it is shown, its rows are seen (P-4, P5). */
export function shown(state: ScreenState, cols: number, rows: number, at: number): ScreenState {
  const open = state.prompts[0];
  if (open === undefined) return state;
  const armed = state.arming.shownAt === undefined ? { ...state, arming: questionShown(state.arming, at) } : state;
  // A question that does not fit at all is not shown.
  if (cols < 20 || rows < 4) return state;
  return promptLayout(armed, cols, rows) === undefined ? armed : sawPrompt(armed, cols, rows);
}
