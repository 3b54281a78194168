import { keptWords } from "../../events/kept-output.ts";
import type { Session } from "../../session/session.ts";
import type { Clock } from "../../util/deps.ts";
import { cleanRow } from "../render/clean.ts";
import { line, type Line, wrap } from "../render/spans.ts";
import type { Store } from "../store/store.ts";
import { askPanel } from "./panel-keys.ts";
import type { ScreenState } from "./state.ts";
import type { Work } from "./work.ts";

/** How long leaving waits for what runs. */
const PATIENCE_MS = 2000;

/**
 * Stops what runs, waits a moment for its end, and offers what the copy keeps. `here`: the session, while somebody is there to be asked;
 * nobody is where a session leaves nothing behind (`next`). Gives rows on what came of it.
 */
export async function leaveCalmly(
  work: Pick<Work, "stop" | "idle">,
  store: Store<ScreenState>,
  { clock, next }: { clock: Clock; next?: unknown },
  here: () => Session | undefined,
): Promise<(width: number) => Line[]> {
  work.stop();
  const calm = new AbortController();
  await Promise.race([work.idle(), clock.sleep(PATIENCE_MS, calm.signal)]);
  calm.abort();
  const session = next === undefined ? here() : undefined;
  return session === undefined ? () => [] : offerKept(store, session, clock.now());
}

/**
 * Regenerable output that the copy keeps lands on one key before the screen closes (P9); Enter leaves it. Gives rows on what came of it.
 * Nothing is asked while changes wait for a review, which says more.
 */
async function offerKept(store: Store<ScreenState>, session: Session, at: number): Promise<(width: number) => Line[]> {
  const state = session.state();
  const kept = keptWords(state);
  if (kept === undefined || state.mode === "plan" || state.steps.some((step) => step.status === "pended"))
    return () => [];
  const chosen = await askPanel(
    store,
    {
      title: `${cleanRow(kept)} kept in the copy`,
      body: () => [],
      choices: [
        { id: "leave", label: "leave", more: "Enter; your folder stays as it is" },
        { id: "land", label: "l land them in your folder" },
      ],
      keys: { l: "land" },
    },
    at,
  );
  if (chosen !== "land") return () => [];
  const report = await session.land({ yes: true, withRegenerable: true });
  return (width) => wrap(line(cleanRow(report.text), report.ok ? undefined : "error"), { width });
}
