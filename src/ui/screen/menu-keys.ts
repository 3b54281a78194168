import { accepted, type Menu, menuOf } from "../input/complete/menu.ts";
import type { EditorEnv } from "../input/editor/edit.ts";
import type { ScreenState } from "./state.ts";

/** The completion menu that is open, if any: not one that Esc closed for this draft. */
export function openMenu(state: ScreenState): Menu | undefined {
  if (state.menu.closed === state.editor.text || state.search !== undefined) return undefined;
  return menuOf(state.editor, state.files, state.skills);
}

/** The chosen row: of commands none until the person chooses one, of files the best. */
export function chosenRow(menu: Menu, { chosen }: ScreenState["menu"]): number | undefined {
  const last = menu.items.length - 1;
  if (chosen !== undefined) return Math.min(chosen, last);
  return menu.kind === "file" && last >= 0 && !menu.exact ? 0 : undefined;
}

/** Up and Down in an open menu; undefined where there is nothing to move in. */
export function moveInMenu(state: ScreenState, by: -1 | 1): ScreenState | undefined {
  const menu = openMenu(state);
  if (menu === undefined || menu.items.length === 0) return undefined;
  const at = chosenRow(menu, state.menu);
  const last = menu.items.length - 1;
  const chosen = at === undefined ? (by < 0 ? last : 0) : Math.max(0, Math.min(last, at + by));
  return { ...state, menu: { ...state.menu, chosen } };
}

/** Tab: the chosen row's text, else the best one's. */
export function completed(state: ScreenState, env: EditorEnv): ScreenState | undefined {
  const menu = openMenu(state);
  const item = menu?.items[chosenRow(menu, state.menu) ?? 0];
  if (menu === undefined || item === undefined) return undefined;
  const editor = accepted(state.editor, menu, item, env);
  return { ...state, editor, menu: {}, history: { entries: state.history.entries } };
}

/**
 * Enter while a menu is open. `complete`: the draft is not sent but completed, since what is typed is none of them and none was chosen;
 * `run`: what is chosen is what is sent; undefined: the draft as it stands is.
 */
export function enterInMenu(
  state: ScreenState,
  env: EditorEnv,
): { complete: ScreenState } | { run: string } | undefined {
  const menu = openMenu(state);
  if (menu === undefined || menu.items.length === 0) return undefined;
  const picked = state.menu.chosen === undefined ? undefined : menu.items[chosenRow(menu, state.menu) ?? 0];
  const complete = (): { complete: ScreenState } => ({ complete: completed(state, env) ?? state });
  if (menu.kind === "file") return menu.exact && picked === undefined ? undefined : complete();
  if (picked === undefined) return menu.exact || menu.kind === "argument" ? undefined : complete();
  // What a command must be told is not to be left out by one key.
  const needsMore = menu.kind === "command" && /^\S+ [A-Z]/.test(picked.label);
  return needsMore ? complete() : { run: accepted(state.editor, menu, picked, env).text.trimEnd() };
}
