import { createHash } from "node:crypto";
import type { Question } from "./asker.ts";

/**
 * SHA-256, hex, over all that a question puts before the person: what is asked, exact words and folder, every change with its
 * fingerprint, every line of its diffs. The log keeps it with question and answer, so that a yes is to this and to nothing else.
 */
export function shownHash({ gate, effect, command, diffs, regenerable, review }: Question): string {
  const shown = [gate, effect, command ?? null, diffs, regenerable ?? null, review ?? null];
  return createHash("sha256").update(JSON.stringify(shown)).digest("hex");
}
