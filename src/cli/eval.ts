import { basename, dirname, join } from "node:path";
import { findRun, readRun } from "../evals/run-folder.ts";
import { trialLine } from "../evals/progress.ts";
import { writeSuite } from "../evals/write-suite.ts";
import { loadKey } from "../events/key.ts";
import { loadLog } from "../events/load.ts";
import { programDirs } from "../session/environment.ts";
import { openStore } from "../session/store.ts";
import { traceOf } from "../session/trace.ts";
import { sanitize } from "../util/visible.ts";
import { tell } from "./diff-text.ts";
import { ownPrices } from "./own-prices.ts";
import { traceLines } from "./trace-text.ts";
import { UsageError } from "./usage-error.ts";

/** `agent eval init FOLDER`. */
export function evalInit(folder: string): number {
  for (const file of writeSuite(folder)) tell(join(folder, file));
  tell(`to try it without a model: agent eval run ${folder} --model oracle`);
  return 0;
}

/** `agent eval show TASK/N [RUN]`: its verdict, its graders, the trace of its session. */
export async function evalShow(wanted: string, runId: string): Promise<number> {
  const { state } = openStore(programDirs(process.env));
  const run = readRun(findRun(state, runId));
  const [, taskId, n] = /^(.+)\/(\d+)$/.exec(wanted) ?? [];
  const trial = run.trials.find((t) => t.taskId === taskId && t.trial === Number(n));
  if (trial === undefined) {
    const there = run.trials.slice(0, 5).map((t) => `${t.taskId}/${t.trial}`);
    throw new UsageError(
      `run ${run.header.id} has no trial ${wanted}; name one as TASK/N, such as ${there.join(", ")}`,
    );
  }
  tell(trialLine(trial));
  for (const { name, ok, text } of trial.graders) tell(sanitize(`  ${ok ? "✓" : "✗"} ${name}${ok ? "" : `: ${text}`}`));
  if (!trial.log.endsWith(".jsonl")) return 0;
  const sessions = join(run.dir, dirname(trial.log));
  const loaded = await loadLog({
    sessionsDir: sessions,
    contentDir: join(dirname(sessions), "content"),
    sessionId: basename(trial.log, ".jsonl"),
    key: loadKey(join(run.dir, "config", "key")),
  });
  for (const line of traceLines(traceOf(loaded.events, ownPrices()))) tell(line);
  return 0;
}
