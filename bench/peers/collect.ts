import type { GroupOfRows } from "./groups.ts";
import type { Ready } from "./place.ts";
import type { Server } from "./server.ts";
import { type Spread, spreadOf } from "./stats.ts";

/** Figures of one program by row, and why some are missing: by group. */
export interface Collected {
  figures: Record<string, Spread>;
  missing: Record<string, string>;
}

/**
 * All programs in turn, one go of each, then the next round: a busy moment of the machine meets them all. A program that
 * fails in a group is left out of that group, also of the rounds that were.
 */
export async function collect(
  group: Pick<GroupOfRows, "name" | "n" | "go">,
  programs: readonly Ready[],
  server: Server,
  into: Map<string, Collected>,
): Promise<void> {
  const values = new Map<string, Record<string, number[]>>();
  for (let round = 0; round <= group.n; round++) {
    for (const ready of programs) {
      const { name } = ready.program;
      const all = of(into, name);
      if (all.missing[group.name] !== undefined) continue;
      try {
        const figures = await group.go(ready, server);
        if (round === 0 && group.n > 0) continue;
        for (const [id, value] of Object.entries(figures))
          ((values.get(name) ?? set(values, name))[id] ??= []).push(value);
      } catch (error) {
        all.missing[group.name] = error instanceof Error ? error.message : String(error);
        values.delete(name);
      }
    }
  }
  for (const [name, rows] of values)
    for (const [id, each] of Object.entries(rows)) {
      const spread = spreadOf(each);
      if (spread !== undefined) of(into, name).figures[id] = spread;
    }
}

function of(into: Map<string, Collected>, name: string): Collected {
  const found = into.get(name) ?? { figures: {}, missing: {} };
  into.set(name, found);
  return found;
}

function set(values: Map<string, Record<string, number[]>>, name: string): Record<string, number[]> {
  const rows: Record<string, number[]> = {};
  values.set(name, rows);
  return rows;
}
