import { keyWords } from "../commands/help.ts";
import { chordStep } from "../input/chords.ts";
import type { InputEvent } from "../input/key.ts";
import type { Context, Keymap } from "../input/keymap.ts";
import type { ScreenState } from "./state.ts";

type KeyEvent = Extract<InputEvent, { kind: "key" }>;

/** What takes the keys now. */
function contextOf({ picker, panel, prompts, search, focused }: ScreenState): Context {
  if (picker !== undefined || (panel !== undefined && prompts.length === 0)) return "overlay";
  if (search !== undefined) return "search";
  return prompts.length > 0 && focused ? "prompt" : "composer";
}

/** A key as a part of a chord (N-5): the state with what is pending, and the key or whole chord to act on, if there is one. */
export function chorded(state: ScreenState, event: KeyEvent, keymap: Keymap): { state: ScreenState; event?: KeyEvent } {
  const { chord, ...rest } = state;
  const step = chordStep(chord, event, keymap, contextOf(state));
  if ("event" in step) return chord === undefined ? { state, event: step.event } : { state: rest, event: step.event };
  const [next, words] = "waits" in step ? [{ ...rest, chord: step.waits }, step.waits] : [rest, step.nothing];
  const text = `${words.split(" ").map(keyWords).join(" ")}${"waits" in step ? " …" : " is bound to nothing"}`;
  return { state: { ...next, toast: { text, until: event.at + 4000 } } };
}
