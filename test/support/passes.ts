import type { Fingerprint } from "../../src/workspace/change.ts";
import type { Entry, Journal } from "../../src/workspace/journal.ts";
import type { Op, Pass, PassEnd } from "../../src/workspace/plan.ts";

/** A file's fingerprint as some moment saw it. */
export function printed(at: number, more: Partial<Fingerprint> = {}): Fingerprint {
  const time = String(at * 1_000_000);
  return { type: "file", mode: 0o644, size: 7, mtime: time, ctime: time, ino: String(at), nlink: 1, ...more };
}

/** A pass of a step, with nothing in it but what is given. */
export function passOf(entry: Pick<Entry, "operationId" | "order">, more: Partial<Pass> = {}): Pass {
  return {
    v: 1,
    kind: "land",
    number: 0,
    order: entry.order,
    operationId: entry.operationId,
    sessionId: "s_test",
    pid: 1,
    at: "2026-01-01T00:00:00.000Z",
    roots: ["/r"],
    ready: true,
    ops: [],
    temps: [],
    lifts: [],
    changes: [],
    merged: [],
    ...more,
  };
}

/** How it ended. */
export function endOf(more: Partial<PassEnd> = {}): PassEnd {
  return { done: true, at: "2026-01-01T00:00:01.000Z", prints: [], changes: [], bytes: 0, ...more };
}

/** Writes a pass and its end; `prints`: what then lay at each op's target. */
export function record(
  journal: Journal,
  entry: Entry,
  ops: readonly [Op, Fingerprint | null][],
  more: Partial<Pass> & { done?: boolean } = {},
): Pass {
  const { done = true, ...of } = more;
  const pass = passOf(entry, { ops: ops.map(([op]) => op), ...of });
  journal.writePass(entry, pass);
  journal.writeEnd(entry, pass, endOf({ done, prints: ops.map(([, print]) => print) }));
  return pass;
}
