import { basename, dirname, join } from "node:path";
import { loadKey } from "../../events/key.ts";
import { loadLog } from "../../events/load.ts";
import { type Part, partsOf } from "../../session/export-parts.ts";
import type { Run, Trial } from "../trial.ts";
import { boundedPart } from "./traces.ts";

/** Pieces of a trace that are kept; a page shows fewer. */
const MOST_PARTS = 500;

/** The conversations of a run's trials out of their logs, by "task/trial", each text as long as a page shows it. What can't be read is told in its place. */
export async function readTraces({ dir, trials }: Run): Promise<ReadonlyMap<string, readonly Part[]>> {
  const traces = new Map<string, readonly Part[]>();
  for (const trial of trials)
    if (trial.log.endsWith(".jsonl")) traces.set(`${trial.taskId}/${trial.trial}`, await readTrace(dir, trial));
  return traces;
}

async function readTrace(dir: string, { log }: Trial): Promise<Part[]> {
  const sessionsDir = join(dir, dirname(log));
  try {
    const { state, events } = await loadLog({
      sessionsDir,
      contentDir: join(dirname(sessionsDir), "content"),
      sessionId: basename(log, ".jsonl"),
      key: loadKey(join(dir, "config", "key")),
    });
    return partsOf(state, events).take(MOST_PARTS).map(boundedPart).toArray();
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    return [{ kind: "end", at: "", reason: "its log can't be read", detail: why.slice(0, 300) }];
  }
}
