import type { Root } from "../events/event.ts";
import { layersOf } from "../events/layers.ts";
import type { SessionState } from "../events/state.ts";
import { isBelow } from "../workspace/roots.ts";
import { RehearseError } from "./rehearse-error.ts";

/**
 * The roots of a session that goes on. Pending changes name roots by their numbers and lie with the first root, so these stay as they
 * were; new ones come behind them.
 * @throws RehearseError in another folder, or with one around a root.
 */
export function rootsWith(state: SessionState, found: readonly Root[]): readonly Root[] {
  if (!layersOf(state).some((layer) => layer.pended)) return found;
  const old = state.roots;
  const fresh = found.filter((root) => !old.some((o) => isBelow(o.path, root.path)));
  const around = fresh.find((root) => old.some((o) => isBelow(root.path, o.path)));
  if (found[0]?.path !== old[0]?.path || around !== undefined)
    throw new RehearseError(
      `session ${state.id} has changes pending for ${old.map((root) => root.path).join(", ")}. Go on there, or end them first: agent review ${state.id}, then agent land ${state.id} (--drop drops them).`,
    );
  return [...old, ...fresh];
}
