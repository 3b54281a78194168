import { createHash } from "node:crypto";
import type { ChangeSummary } from "../events/effect.ts";
import type { FileDiff } from "../workspace/workspace.ts";
import type { Question } from "./asker.ts";

/**
 * SHA-256, hex, over all that a question puts before the person: what is asked, exact words and folder, every change with its
 * fingerprint, every line of its diffs. The log keeps it with question and answer, so that a yes is to this and to nothing else.
 */
export function shownHash({ gate, effect, command, diffs, regenerable, review, together, keeps }: Question): string {
  const shown = [gate, effect, command ?? null, diffs, regenerable ?? null, review ?? null];
  const more = [...(together === undefined ? [] : [together]), ...(keeps === undefined ? [] : [{ keeps }])];
  return hashed([...shown, ...more]);
}

/**
 * The same over exactly what one call would change, as far as it can be told before the calls ahead of it have landed: without what says
 * which file on the disk it was.
 */
export function resultHash(tool: string, changes: ChangeSummary, diffs: readonly FileDiff[]): string {
  const { manifestHash: _, ...told } = changes;
  return hashed(sorted([tool, told, diffs]));
}

/** What comes out of the log has its fields in the order of the schema. */
function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (typeof value !== "object" || value === null) return value;
  const fields = Object.entries(value).filter(([, v]) => v !== undefined);
  return Object.fromEntries(fields.toSorted(([a], [b]) => (a < b ? -1 : 1)).map(([k, v]) => [k, sorted(v)]));
}

function hashed(value: unknown): string {
  return createHash("sha256").update(JSON.stringify(value)).digest("hex");
}
