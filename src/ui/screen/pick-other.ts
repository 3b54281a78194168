import { openPick } from "../prompt/pick.ts";
import type { SessionRow } from "../render/menu.ts";
import type { Store } from "../store/store.ts";
import type { ScreenState } from "./state.ts";

/** Shows the picker in the place of the composer, without the session that is open. undefined: the person left it. */
export function pickOther(
  store: Store<ScreenState>,
  all: readonly SessionRow[],
  own: string | undefined,
): Promise<string | undefined> {
  const list = all.filter((row) => row.id !== own);
  if (list.length === 0) throw new Error("There is no other session yet.");
  return new Promise((resolve) => store.setNow((state) => ({ ...state, picker: { pick: openPick(list), resolve } })));
}
