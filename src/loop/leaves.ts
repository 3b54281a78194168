import type { Need } from "../events/effect.ts";

/** What it does can't be taken back by dropping the copy. A port that was open lets others in, not the command out. */
export function leaves(need: Need): boolean {
  if (need.kind === "port") return false;
  return need.kind !== "change" && need.kind !== "before" && !(need.kind === "outside" && need.access === "read");
}
