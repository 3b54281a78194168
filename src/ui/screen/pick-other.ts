import { openPick, type Pick as Picking } from "../prompt/pick.ts";
import { addDetails, doAct } from "../prompt/pick-acts.ts";
import type { Store } from "../store/store.ts";
import type { ControllerOptions } from "./options.ts";
import type { ScreenState } from "./state.ts";

/** Shows the picker in the place of the composer, without the session that is open. undefined: the person left it. */
export async function pickOther(
  store: Store<ScreenState>,
  { sessions, picking: source }: Pick<ControllerOptions, "sessions" | "picking">,
  own: string | undefined,
): Promise<string | undefined> {
  const list = (await sessions()).filter((row) => row.id !== own);
  if (list.length === 0) throw new Error("There is no other session yet.");
  const update = (change: (pick: Picking) => Picking) =>
    store.setNow((state) =>
      state.picker === undefined ? state : { ...state, picker: { ...state.picker, pick: change(state.picker.pick) } },
    );
  return new Promise((resolve) => {
    const act: NonNullable<ScreenState["picker"]>["act"] = (wanted) => {
      if (source !== undefined) void doAct(wanted, source, update);
    };
    store.setNow((state) => ({ ...state, picker: { pick: openPick(list), resolve, act } }));
    if (source !== undefined) void addDetails(source, update);
  });
}
