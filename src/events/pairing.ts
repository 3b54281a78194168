import type { LogEvent } from "./event.ts";
import { uniqueCallIds } from "./ids.ts";

/** More of a kind are counted, not named. */
const MOST_NAMED = 5;

/**
 * What a log holds that no conversation may, and how it counts all the same (L4): results without a call, second results, ids used before.
 * The fold and the request are right whatever there is; this says so, once: what `session.repaired` tells already is left out.
 */
export function pairingNotes(events: readonly LogEvent[]): string[] {
  const calls = new Map<string, { answered: boolean }>();
  const found = { stray: new Set<string>(), twice: new Set<string>(), renamed: new Set<string>() };
  const told = new Set<string>();
  for (const event of events) {
    if (event.type === "session.repaired") for (const note of event.notes) told.add(note);
    if (event.type === "reply.completed") {
      const ids = uniqueCallIds(event.blocks, { seq: event.seq - 1, calls });
      ids.forEach((block, i) => {
        const before = event.blocks[i];
        if (block.type !== "tool_use") return;
        if (before?.type === "tool_use" && before.id !== block.id) found.renamed.add(before.id);
        calls.set(block.id, { answered: false });
      });
    }
    if (event.type !== "call.finished") continue;
    const call = calls.get(event.callId);
    if (call === undefined) found.stray.add(event.callId);
    else if (call.answered) found.twice.add(event.callId);
    else call.answered = true;
  }
  const notes = [
    ...noteOf(found.stray, "results of calls that no reply made are left out"),
    ...noteOf(found.twice, "of several results of a call the first counts"),
    ...noteOf(found.renamed, "calls with an id that was used before, or is none, have new ids"),
  ];
  return notes.filter((note) => !told.has(note));
}

function noteOf(ids: ReadonlySet<string>, words: string): string[] {
  if (ids.size === 0) return [];
  const named = [...ids].slice(0, MOST_NAMED).map((id) => JSON.stringify(id));
  const more = ids.size > named.length ? ` and ${ids.size - named.length} more` : "";
  return [`${words} (${named.join(", ")}${more})`];
}
