import { lstatSync } from "node:fs";
import type { SessionState } from "../events/state.ts";

/** Said when a session goes on in another folder than before (E4); undefined: it doesn't. */
export function movedWords({ folder, steps }: SessionState, now: string): string | undefined {
  if (folder === "" || folder === now) return undefined;
  const landed = steps.some((step) => step.status === "landed");
  const gone = lstatSync(folder, { throwIfNoEntry: false }) === undefined;
  const where = gone ? `${folder}, which is gone` : folder;
  const undo = gone
    ? "What it landed there can be undone once that folder is back at its place."
    : `What it landed there is undone there (agent undo in ${folder}).`;
  return `This session worked in ${where}; it goes on in ${now}. Files are read again before they are changed.${landed ? ` ${undo}` : ""}`;
}
