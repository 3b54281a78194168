import { mayAnswer } from "../input/arming.ts";
import type { InputEvent } from "../input/key.ts";
import { type Action, actionOf, type Keymap } from "../input/keymap.ts";
import { pressEnd, pressEsc, pressInterrupt, pressOther, type Situation, type StopAct } from "../input/stopping.ts";
import { pickKey } from "../prompt/pick.ts";
import { composerKey, envOf, type KeyContext, cleared, pasted } from "./composer-keys.ts";
import { openMenu } from "./menu-keys.ts";
import { chorded } from "./chord-keys.ts";
import { panelKeys } from "./panel-keys.ts";
import { promptKeys, promptPaste } from "./prompt-keys.ts";
import { ownKey, resting } from "./vim-keys.ts";
import { searchKey, searchPaste } from "./search-keys.ts";
import { spareKey } from "./spare-keys.ts";
import { hasDraft, type ScreenState } from "./state.ts";

export type ScreenContext = KeyContext & { rows: number; keymap: Keymap };

/** One input event to the next state; what it brings about beyond that is done through `actions`. */
export function onInput(before: ScreenState, input: InputEvent, context: ScreenContext): ScreenState {
  const { counts, state: arming } = mayAnswer(before.arming, input);
  const { state, event } =
    input.kind === "key"
      ? chorded({ ...before, arming }, input, context.keymap)
      : { state: { ...before, arming }, event: input };
  if (event === undefined) return state;
  if (event.kind === "paste" && state.search !== undefined) return searchPaste(state, event.text);
  if (event.kind === "paste")
    return (
      promptPaste(state, event.text, event.at) ?? unfocus(resting(state, pasted(state, event.text, envOf(context))))
    );
  if (event.kind !== "key") return before;
  if (state.picker !== undefined) return pickerKey(state, event, context.keymap);
  if (state.panel !== undefined && state.prompts.length === 0) return panelKeys(state, event, context.keymap);
  if (state.search !== undefined)
    return searchKey(state, event.key, envOf(context), actionOf(context.keymap, "search", event.key));
  const prompt = promptKeys(state, event, counts, context);
  if (prompt.used) return { ...prompt.state, stop: pressOther(prompt.state.stop) };
  return refocus(prompt.state, screenKey(prompt.state, event, context));
}

/** A draft that was sent or deleted: a question of the model's has the keys again. A permission must be turned to (UX-P-5). */
function refocus(before: ScreenState, next: ScreenState): ScreenState {
  const done = next.prompts[0]?.kind === "person" && hasDraft(before) && !hasDraft(next);
  return done ? { ...next, focused: true, again: undefined } : next;
}

/** Text went to the draft: it has the keys now. */
function unfocus(state: ScreenState): ScreenState {
  return state.prompts.length > 0 && hasDraft(state) ? { ...state, focused: false } : state;
}

function screenKey(
  state: ScreenState,
  event: Extract<InputEvent, { kind: "key" }>,
  context: ScreenContext,
): ScreenState {
  const own = ownKey(state, event.key, context);
  if (own !== undefined) return { ...own, stop: pressOther(own.stop) };
  const action = actionOf(context.keymap, "composer", event.key);
  const stopped = stopKey(state, action, event.at, context);
  if (stopped !== undefined) return stopped;
  const next: ScreenState = { ...state, stop: pressOther(state.stop) };
  const spare = spareKey(next, action, context);
  if (spare !== undefined) return spare;
  switch (action) {
    case "mode-next":
      context.actions.nextMode();
      return next;
    case "repaint":
      context.actions.repaint();
      return next;
    case "suspend":
      context.actions.suspend();
      return next;
    default:
      return resting(next, composerKey(next, action, event.key, context));
  }
}

/** Esc, Ctrl-C and Ctrl-D, by what is on screen; undefined for any other key. */
function stopKey(
  state: ScreenState,
  action: Action | undefined,
  at: number,
  context: ScreenContext,
): ScreenState | undefined {
  const now = situation(state);
  if (action === "escape") return acted(state, pressEsc(state.stop, now, at), at, context);
  if (action === "interrupt") return acted(state, pressInterrupt(state.stop, now, at), at, context);
  if (action !== "delete-right-or-exit" || state.editor.text !== "") return undefined;
  return acted(state, pressEnd(state.stop, now, at), at, context);
}

function situation(state: ScreenState): Situation {
  return {
    menu: openMenu(state) !== undefined,
    search: false,
    overlay: false,
    prompt: state.prompts.length === 0 ? "none" : state.focused ? "focused" : "unfocused",
    running: state.busy,
    draft: state.editor.text !== "",
  };
}

function acted(
  before: ScreenState,
  { act, state: stop }: { act: StopAct; state: ScreenState["stop"] },
  at: number,
  context: ScreenContext,
): ScreenState {
  const state: ScreenState = { ...before, stop };
  const say = (text: string): ScreenState => ({ ...state, toast: { text, until: at + 4000 } });
  switch (act) {
    case "close-menu":
      return { ...state, menu: { ...state.menu, closed: state.editor.text } };
    case "focus-prompt":
      return { ...state, focused: true, again: undefined };
    // Only a question of the model's comes here: it has no "no", so the query is stopped.
    case "answer-no":
    case "stop":
      context.actions.stop();
      return { ...state, stopping: true };
    case "clear":
      return cleared(state, envOf(context));
    case "arm":
      return stop.exit === undefined ? state : say(`${stop.exit.key === "ctrl+c" ? "Ctrl-C" : "Ctrl-D"} again to exit`);
    case "rewind":
      context.actions.send("/rewind");
      return state;
    case "exit":
      context.actions.exit();
      return state;
    case "exit-hard":
      context.actions.exitHard();
      return state;
    default:
      return state;
  }
}

function pickerKey(state: ScreenState, { key }: Extract<InputEvent, { kind: "key" }>, keymap: Keymap): ScreenState {
  const { picker, ...rest } = state;
  if (picker === undefined) return state;
  const { pick, done, act } = pickKey(picker.pick, key, actionOf(keymap, "overlay", key));
  if (act !== undefined) queueMicrotask(() => picker.act(act));
  if (done === undefined) return { ...state, picker: { ...picker, pick } };
  picker.resolve(done.id);
  return rest;
}
