import type { Need } from "../events/effect.ts";

/** What it does can't be taken back by dropping the copy. */
export function leaves(need: Need): boolean {
  return need.kind !== "change" && need.kind !== "before" && !(need.kind === "outside" && need.access === "read");
}
