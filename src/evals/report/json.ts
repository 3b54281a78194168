import type { RunComparison } from "../numbers/compare-runs.ts";
import { coverageOf } from "../numbers/coverage.ts";
import { flipRate } from "../numbers/pass-k.ts";
import { type RunSummary } from "../numbers/summary.ts";

/** Of both forms: a field that is there keeps its meaning; another number means another shape. */
export const REPORT_VERSION = 1;

/** A run's report as data: shares of 1, milliseconds, US dollars. Figures that can't be given are left out. */
export function runJson(summary: RunSummary): object {
  const { tasks, rate, normal, wilson, n, passes, ...rest } = summary;
  return {
    type: "eval-report",
    version: REPORT_VERSION,
    ...rest,
    trials: n,
    passes,
    rate: rate === undefined ? undefined : { ...rate, coverage: coverageOf("rate", rate.tasks) ?? 0.95 },
    intervals: { normal, wilson },
    tasks: tasks.map(({ trials, ...task }) => ({
      ...task,
      flipRate: flipRate(task.n, task.passes),
      trials: trials.flatMap((t) => (t === undefined ? [] : [t])),
    })),
  };
}

/** A comparison as data. */
export function compareJson(comparison: RunComparison): object {
  const { rates } = comparison;
  return {
    type: "eval-comparison",
    version: REPORT_VERSION,
    ...comparison,
    rates: { ...rates, coverage: coverageOf("difference", rates.tasks) ?? 0.95 },
  };
}
