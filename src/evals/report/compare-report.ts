import { LEAST_TASKS } from "../numbers/bootstrap.ts";
import type { Comparison } from "../numbers/compare.ts";
import { type MeasureDifference, namesOf, type RunComparison } from "../numbers/compare-runs.ts";
import { coverageWords } from "../numbers/coverage.ts";
import { percent, pointRange, points } from "../numbers/words.ts";
import { change, figure, MEASURE_WORDS, several } from "./figures.ts";
import { nameOf } from "./name.ts";
import type { Report, Section } from "./report.ts";

/** Whether the candidate is better than the base. Pure. */
export function compareReport(comparison: RunComparison): Report {
  const { base, candidate, rates, notes } = comparison;
  return {
    title: `${candidate.suite}: ${nameOf(base)} against ${nameOf(candidate)}`,
    verdict: [rates.words, ...(rates.nonInferior === undefined ? [] : [rates.nonInferior.words]), ...notes],
    facts: [
      ["base", `${base.id}: ${nameOf(base)}`],
      ["candidate", `${candidate.id}: ${nameOf(candidate)}`],
      ["suite", `${candidate.suite} ${candidate.suiteHash.slice(0, 12)}`],
    ],
    sections: [
      differenceSection(comparison),
      solvedSection(comparison),
      taskSection(comparison),
      measureSection(comparison),
    ],
  };
}

function differenceSection({ rates, base, candidate }: RunComparison): Section {
  const names = namesOf(base, candidate);
  const covers = coverageWords("difference", rates.tasks);
  return {
    title: "Success",
    lines: [],
    table: {
      header: [
        names === undefined ? "base" : `base: ${names.base}`,
        names === undefined ? "candidate" : `candidate: ${names.candidate}`,
        "difference",
        "95 % interval",
      ],
      rows: [
        [
          percent(rates.base),
          percent(rates.candidate),
          `${points(rates.difference)} points`,
          pointRange(rates.interval),
        ],
      ],
    },
    notes: [
      `Paired by task, over ${several(rates.tasks, "task")}; ${intervalWords(rates)}.`,
      ...(covers === "" ? [] : [`${covers[0]?.toUpperCase()}${covers.slice(1)}.`]),
      ...(rates.power.words === "" ? [] : [rates.power.words]),
    ],
  };
}

function intervalWords({ tasks, power }: Comparison): string {
  if (tasks < LEAST_TASKS) return "too few to draw from, so for the interval each counts as one trial";
  if (power.spread === 0) return "all with the same difference, so for the interval each counts as one trial";
  return "interval by bootstrap over tasks";
}

function solvedSection({ rates: { mcNemar: m } }: RunComparison): Section {
  return {
    title: "Tasks solved more often than not",
    lines: [],
    table: {
      header: ["", "candidate solves", "candidate doesn't"],
      rows: [
        ["base solves", String(m.both), String(m.onlyBase)],
        ["base doesn't", String(m.onlyCandidate), String(m.neither)],
      ],
      right: [1, 2],
    },
    notes: [
      m.onlyBase + m.onlyCandidate === 0
        ? "No task was solved by one alone."
        : `By chance alone such a split of ${several(m.onlyBase + m.onlyCandidate, "task")}, or a more uneven one, comes with p = ${m.p.toFixed(3)} (McNemar, exact).`,
    ],
  };
}

function taskSection({ tasks }: RunComparison): Section {
  const rows = tasks.map(({ id, base, candidate }) => {
    const known = base.n > 0 && candidate.n > 0;
    const by = known ? candidate.passes / candidate.n - base.passes / base.n : undefined;
    return [
      id,
      `${base.passes} of ${base.n}`,
      `${candidate.passes} of ${candidate.n}`,
      by === undefined ? "–" : points(by),
    ];
  });
  return {
    title: "Tasks",
    lines: [],
    table: { header: ["task", "base", "candidate", "points"], rows, right: [1, 2, 3] },
    notes: [],
  };
}

function measureSection({ measures }: RunComparison): Section {
  return {
    title: "Work",
    lines: [],
    table: {
      header: ["of a trial", "base", "candidate", "change", "95 % interval"],
      rows: measures.map((m) => [
        MEASURE_WORDS[m.name],
        figure(m.name, m.base),
        figure(m.name, m.candidate),
        `${change(m.name, m.difference)}${shareWords(m)}`,
        m.interval === undefined ? "–" : `${change(m.name, m.interval.low)} to ${change(m.name, m.interval.high)}`,
      ]),
      right: [1, 2, 3],
    },
    notes: ["Means over tasks of the medians of their trials."],
  };
}

function shareWords({ base, difference }: MeasureDifference): string {
  if (base === 0 || difference === 0) return "";
  return ` (${difference < 0 ? "−" : "+"}${Math.abs(Math.round((100 * difference) / base))} %)`;
}
