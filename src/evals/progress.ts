import { sanitize } from "../util/visible.ts";
import { trialKey } from "./run-folder.ts";
import type { RunEvent } from "./run-suite.ts";
import type { Run, RunHeader, Trial } from "./trial.ts";

/** What is known of a run while it goes on: each trial's state by its key. */
export interface Progress {
  header: RunHeader;
  trials: ReadonlyMap<string, Trial>;
  running: ReadonlySet<string>;
}

export function progressOf({ header, trials }: Run): Progress {
  return { header, trials: new Map(trials.map((t) => [trialKey(t.taskId, t.trial), t])), running: new Set() };
}

/** Pure. */
export function reduceProgress(progress: Progress, event: RunEvent): Progress {
  if (event.kind === "again") return progress;
  const running = new Set(progress.running);
  if (event.kind === "begun")
    return { ...progress, running: running.add(trialKey(event.job.task.id, event.job.trial)) };
  const { trial } = event;
  const key = trialKey(trial.taskId, trial.trial);
  running.delete(key);
  return { ...progress, running, trials: new Map(progress.trials).set(key, trial) };
}

const SIGNS = { pass: "✓", fail: "✗", infra: "!" } as const;

/** The table of a run that goes on, at most `height` rows of `width` columns: a row for each task, a sign for each trial, sums below. */
export function progressRows(progress: Progress, width: number, height: number): string[] {
  const { header, trials, running } = progress;
  const wide = Math.min(Math.max(...header.tasks.map(({ id }) => id.length)), Math.max(12, width - header.k - 10));
  const rows = header.tasks.map(({ id }) => {
    const signs = Array.from({ length: header.k }, (_, i) => {
      const key = trialKey(id, i + 1);
      if (running.has(key)) return "▸";
      const outcome = trials.get(key)?.outcome;
      return outcome === undefined ? "·" : SIGNS[outcome];
    });
    const passed = signs.filter((sign) => sign === SIGNS.pass).length;
    const judged = signs.filter((sign) => sign === SIGNS.pass || sign === SIGNS.fail).length;
    return {
      busy: signs.includes("▸"),
      text: `${id.slice(0, wide).padEnd(wide)}  ${signs.join("")}  ${passed}/${judged}`,
    };
  });
  const room = Math.max(1, height - 2);
  // Where not all fit, those that something happens in.
  const shown =
    rows.length <= room ? rows : [...rows.filter((r) => r.busy), ...rows.filter((r) => !r.busy)].slice(0, room);
  const more = rows.length - shown.length;
  return [
    ...shown.map((row) => row.text.slice(0, width)),
    ...(more > 0 ? [`and ${more} more tasks`] : []),
    sumLine(progress).slice(0, width),
  ];
}

/** "31 of 50 trials: 27 passed, 3 failed, 1 broke; 4 running". */
export function sumLine({ header, trials, running }: Progress): string {
  const all = [...trials.values()];
  const n = (outcome: Trial["outcome"]): number => all.filter((t) => t.outcome === outcome).length;
  const broke = n("infra") === 0 ? "" : `, ${n("infra")} broke`;
  const busy = running.size === 0 ? "" : `; ${running.size} running`;
  const done = n("pass") + n("fail");
  return `${done} of ${header.tasks.length * header.k} trials: ${n("pass")} passed, ${n("fail")} failed${broke}${busy}`;
}

/** A line for a trial that ended, where no table can be drawn. */
export function trialLine({ taskId, trial, outcome, reason, steps, durationMs }: Trial): string {
  const turns = steps === 1 ? "1 turn" : `${steps} turns`;
  const why = reason === "" ? "" : `: ${sanitize(reason)}`;
  return `${outcome.padEnd(5)} ${trialKey(taskId, trial)}  ${turns}, ${(durationMs / 1000).toFixed(1)} s${why}`;
}
