import { ARMING_MS } from "../input/arming.ts";
import type { InputEvent } from "../input/key.ts";
import { actionOf, type Keymap } from "../input/keymap.ts";
import { openPanel, panelKey, type PanelText } from "../prompt/panel.ts";
import type { Store } from "../store/store.ts";
import { put } from "./composer-keys.ts";
import type { ScreenState } from "./state.ts";

/** Shows a panel until the person chose one of its choices, or left (undefined). */
export function askPanel(store: Store<ScreenState>, text: PanelText, at: number): Promise<string | undefined> {
  return new Promise((resolve) =>
    store.setNow((state) => ({ ...state, panel: { panel: openPanel(text), openedAt: at, resolve } })),
  );
}

/** A key while a panel is open. One that was typed ahead of it chooses nothing (P-4). */
export function panelKeys(
  state: ScreenState,
  event: Extract<InputEvent, { kind: "key" }>,
  keymap: Keymap,
): ScreenState {
  const { panel: open, ...rest } = state;
  if (open === undefined) return state;
  const step = panelKey(open.panel, event.key, actionOf(keymap, "overlay", event.key));
  const early = (event.at - open.openedAt < ARMING_MS || !event.alone) && step.done?.id !== undefined;
  if (step.done === undefined || early) return { ...state, panel: { ...open, panel: early ? open.panel : step.panel } };
  open.resolve(step.done.id);
  return rest;
}

/** A text in the composer, where nothing is. */
export function offerDraft(store: Store<ScreenState>, text: string, env: Parameters<typeof put>[2]): void {
  store.setNow((state) => (state.editor.text === "" ? put(state, text, env) : state));
}
