import type { LogEvent, LogEventOf } from "../events/event.ts";
import type { EventLog } from "../events/log.ts";
import { toldNow } from "../memory/tell.ts";

/** So much of what was loaded comes back behind a summary, the newest first. */
const MOST_CHARS = 20_000;

/** Skills that were loaded and that a summary took out of sight are told again as they were: the work that they describe goes on (C6). */
export async function skillsAgain(log: EventLog): Promise<LogEvent[]> {
  const facts: LogEvent[] = [];
  for (const { v: _v, seq: _seq, at: _at, mac: _mac, ...body } of lost(log)) facts.push(await log.append(body));
  return facts;
}

function lost({ state, events }: EventLog): LogEventOf<"skill.loaded">[] {
  const { items, firstItem, resets, trusted } = state;
  const summary = events.findLast((e) => e.type === "context.compacted");
  // A handoff, and /clear, are a fresh start.
  if (summary?.type !== "context.compacted" || summary.handoff !== undefined) return [];
  const since = resets.at(-1) ?? 0;
  const inSight = toldNow(state, "skill");
  const gone = new Set(
    items
      .slice(0, firstItem)
      .flatMap((item) => (item.kind === "note" && item.told?.kind === "skill" ? [item.seq] : [])),
  );
  const chosen = new Map<string, LogEventOf<"skill.loaded">>();
  let room = MOST_CHARS;
  for (const event of gone.size === 0 ? [] : events.toReversed()) {
    if (event.seq <= since) break;
    if (event.type !== "skill.loaded" || !gone.has(event.seq)) continue;
    if (inSight.has(event.name) || chosen.has(event.name) || (event.source === "project" && !trusted)) continue;
    if (event.text.length > room) continue;
    room -= event.text.length;
    chosen.set(event.name, event);
  }
  return [...chosen.values()].toReversed();
}
