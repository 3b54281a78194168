import { rehearsalOf } from "../../session/rehearse.ts";
import type { Session } from "../../session/session.ts";
import type { Surroundings } from "./frame.ts";
import type { ControllerOptions } from "./options.ts";

/** What of a session stands around the region. */
export function aroundOf(
  session: Session,
  { home, contextWindow }: Pick<ControllerOptions, "home" | "contextWindow">,
  model: string,
): Surroundings {
  const state = session.state();
  return {
    home,
    contained: session.sandbox.contained,
    backend: session.sandbox.kind,
    rehearsing: rehearsalOf(state),
    bypass: state.bypass,
    workedMs: state.workedMs,
    shells: session.background().shells.length,
    contextWindow: contextWindow?.(model),
  };
}
