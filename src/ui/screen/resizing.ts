import type { ScreenState } from "./state.ts";

/** So long after a resize the tail is left out: a window that is pulled at changes many times in a row. */
const SETTLES_MS = 1000;

/** What the last resizes mean for the open reply's tail. */
export interface Resizing {
  at: number;
  /** Start of the message in which some of the tail was left above the window, out of reach. */
  spilt?: number | undefined;
}

/**
 * After the window's size changed. What of the tail the terminal moved into its scrollback stands there for good, and once more when its
 * paragraph is finished. So it is shown again only when the window has come to rest, and after such a loss not before the next message:
 * finished paragraphs come all the same. At most one screenful is repeated by that, however often the size changes.
 */
export function resizedAt(state: ScreenState, at: number, spilt: boolean): ScreenState {
  const before = state.resizing?.spilt;
  const lost = spilt && tailShown(state) ? state.view.startedAt : before;
  return { ...state, now: Math.max(state.now, at), resizing: { at, spilt: lost } };
}

/** The tail has its place in the region. */
export function tailShown({ resizing, view, now }: ScreenState): boolean {
  if (resizing === undefined) return true;
  const lost = resizing.spilt !== undefined && resizing.spilt === view.startedAt;
  return !lost && now - resizing.at >= SETTLES_MS;
}
