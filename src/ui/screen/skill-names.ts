import type { Session } from "../../session/session.ts";
import type { Clock } from "../../util/deps.ts";
import { prefixMode } from "../input/editor/edit.ts";
import type { Store } from "../store/store.ts";
import type { ScreenState } from "./state.ts";

/** Files of skills are looked at anew when the menu opens and the last look is older than that. */
const FRESH_MS = 10_000;

/** Keeps the skills that the person may name for the menu behind `/` (IN-10). Nothing is read while no command is typed. */
export function followSkills(store: Store<ScreenState>, session: () => Session, clock: Clock): void {
  let lookedAt = -Infinity;
  let of: Session | undefined;
  store.subscribe(() => {
    if (prefixMode(store.get().editor) !== "command") return;
    const now = session();
    if (now === of && clock.now() - lookedAt < FRESH_MS) return;
    [of, lookedAt] = [now, clock.now()];
    void skillsOf(now)
      .then((skills) => store.setNow((state) => ({ ...state, skills })))
      // What is wrong with them tells /skills.
      .catch(() => undefined);
  });
}

async function skillsOf(session: Session): Promise<ScreenState["skills"]> {
  const found = await session.beside.texts?.skills();
  return found?.skills.flatMap(({ name, description, hint, byPerson }) =>
    byPerson ? [{ name, text: description, ...(hint === undefined ? {} : { args: hint }) }] : [],
  );
}
