import type { Action } from "../input/keymap.ts";
import { prefixMode } from "../input/editor/edit.ts";
import type { Actions } from "./actions.ts";
import type { ScreenState } from "./state.ts";

/** Keys that mean something else in a shell line, or while nothing is written; undefined: the composer's, as always. */
export function spareKey(
  state: ScreenState,
  action: Action | undefined,
  { actions }: { actions: Pick<Actions, "showOutput" | "background" | "completePath"> },
): ScreenState | undefined {
  const mode = prefixMode(state.editor);
  if (action === "complete" && (mode === "shell" || mode === "outside")) {
    actions.completePath();
    return state;
  }
  if (state.editor.text !== "") return undefined;
  if (action === "complete" && state.offer !== undefined) {
    actions.showOutput();
    return state;
  }
  if (action === "left-or-background" && state.busy) {
    actions.background();
    return state;
  }
  return undefined;
}
