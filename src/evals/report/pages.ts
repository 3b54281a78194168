import type { RunComparison } from "../numbers/compare-runs.ts";
import type { RunSummary } from "../numbers/summary.ts";
import { wilson } from "../numbers/interval.ts";
import { compareReport } from "./compare-report.ts";
import { heatMap } from "./heat.ts";
import { pageOf } from "./page.ts";
import { curvePlot, differencePlot, sharePlot } from "./plot.ts";
import { runReport } from "./run-report.ts";
import { traceTargets, type TraceOf } from "./traces.ts";

/** A run as a page: intervals and curves as pictures, a map of all trials, each trial's trace one click away. In pieces. */
export function runPage(summary: RunSummary, traceOf: TraceOf): Generator<string> {
  const { rate, n, passes, passK } = summary;
  const success =
    rate === undefined
      ? ""
      : sharePlot(
          [
            { name: "bootstrap over tasks", value: rate.value, interval: rate.interval },
            { name: `Wilson, ${n} trials`, value: passes / n, interval: summary.wilson },
            { name: `normal, ${n} trials`, value: passes / n, interval: summary.normal },
          ],
          "success rate with three 95 % intervals",
        );
  const curves =
    passK.length < 2
      ? ""
      : curvePlot(
          [
            { name: "at least one of k (pass@k)", points: passK.map(({ k, any }) => ({ k, ...any })) },
            { name: "all of k (pass^k)", points: passK.map(({ k, all }) => ({ k, ...all })) },
          ],
          "pass@k and pass^k over k, with 95 % intervals",
        );
  return pageOf(runReport(summary), {
    pictures: { Success: success, "Again and again": curves },
    instead: { Tasks: heatMap(summary) },
    behind: traceTargets(summary, traceOf),
  });
}

/** A comparison as a page: the difference with its interval, each task below. */
export function comparePage(comparison: RunComparison): Generator<string> {
  const { rates, tasks } = comparison;
  const margin = rates.nonInferior?.margin;
  const both = tasks.filter(({ base, candidate }) => base.n > 0 && candidate.n > 0);
  return pageOf(compareReport(comparison), {
    pictures: {
      Success: [
        differencePlot(
          [{ name: "candidate less base", value: rates.difference, interval: rates.interval }],
          "difference of success rates with its 95 % interval",
          margin,
        ),
      ].join(""),
      Tasks: sharePlot(
        both.flatMap(({ id, base, candidate }) => [
          { name: `${id}: base`, value: base.passes / base.n, interval: wilson(base.passes, base.n) },
          {
            name: "candidate",
            other: true,
            value: candidate.passes / candidate.n,
            interval: wilson(candidate.passes, candidate.n),
          },
        ]),
        "success rate of each task in both runs, with 95 % Wilson intervals",
      ),
    },
    instead: {},
    behind: [],
  });
}
