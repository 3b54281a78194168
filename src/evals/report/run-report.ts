import { coverageWords } from "../numbers/coverage.ts";
import { flipRate } from "../numbers/pass-k.ts";
import {
  type Estimate,
  MEASURES,
  type RunSummary,
  taskMedian,
  type TaskSummary,
  verdicts,
} from "../numbers/summary.ts";
import { percent, percents, pointWords } from "../numbers/words.ts";
import type { Trial } from "../trial.ts";
import { figure, MEASURE_WORDS, several } from "./figures.ts";
import { nameOf } from "./name.ts";
import { permissionSection } from "./permission-report.ts";
import type { Report, Section } from "./report.ts";

/** Failures that are told one by one. */
const MOST_FAILURES = 20;

/** What a run came to. Pure. */
export function runReport(summary: RunSummary): Report {
  const { header } = summary;
  return {
    title: `${header.suite} with ${nameOf(header)}`,
    verdict: verdictOf(summary),
    facts: [
      ["run", header.id],
      ["date", header.date],
      ["size", `${several(header.tasks.length, "task")} × ${several(header.k, "trial")}, seed ${header.seed}`],
      ["suite", `${header.suite} ${header.suiteHash.slice(0, 12)}`],
      ["version", header.version],
    ],
    sections: [
      successSection(summary),
      passKSection(summary),
      taskSection(summary),
      measureSection(summary),
      permissionSection(summary.permissions),
      endSection(summary),
      ...failureSections(summary),
    ].filter((section) => section.table !== undefined || section.lines.length > 0),
  };
}

function verdictOf({ rate, passes, n, infra, missing, header }: RunSummary): string[] {
  const all = header.tasks.length * header.k;
  const left =
    missing === 0 ? [] : [`${missing} of ${several(all, "trial")} ${missing === 1 ? "has" : "have"} no verdict yet.`];
  const broke = infra.tooMany
    ? [
        `This is no measurement: ${percent(infra.share)} of the attempts broke around the agent, more than ${percent(header.maxInfraShare)}.`,
      ]
    : [];
  if (rate === undefined) return ["No trial has a verdict.", ...left, ...broke];
  return [
    `${percent(rate.value)} pass (${passes} of ${several(n, "trial")}); with 95 % confidence ${percents(rate.interval)} on tasks like these.`,
    ...left,
    ...broke,
  ];
}

function successSection({ rate, normal, wilson, n, flips, infra, finds }: RunSummary): Section {
  if (rate === undefined) return { title: "Success", lines: [], notes: [] };
  const covers = coverageWords("rate", rate.tasks);
  return {
    title: "Success",
    lines: [],
    table: {
      header: ["95 % interval", "", "says"],
      rows: [
        ["bootstrap over tasks", percents(rate.interval), "how it does on other tasks like these"],
        [`Wilson, ${several(n, "trial")}`, percents(wilson), "how it does on these tasks, were they all equally hard"],
        [
          `normal approximation, ${several(n, "trial")}`,
          percents(normal),
          "the same as papers tell it: too narrow near 0 and 100 %",
        ],
      ],
    },
    notes: [
      ...(covers === "" ? [] : [`${covers[0]?.toUpperCase()}${covers.slice(1)}.`]),
      ...(flips === undefined ? [] : [flipWords(flips)]),
      ...(infra.attempts === 0
        ? []
        : [
            `${several(infra.attempts, "attempt")} broke around the agent (${percent(infra.share)}): neither passed nor failed, in no figure.`,
          ]),
      ...(finds === undefined || finds === 0
        ? []
        : [
            `Another run of this size would show a change of ${pointWords(finds)} or more four times out of five, at best.`,
          ]),
    ],
  };
}

function flipWords({ rate, mixed }: { rate: number; mixed: number }): string {
  if (mixed === 0) return "Every task ends the same each time.";
  return `Flip rate ${percent(rate)}: so often do two trials of one task end differently; ${several(mixed, "task")} did both.`;
}

function passKSection({ passK, header }: RunSummary): Section {
  if (header.k < 2 || passK.length === 0) return { title: "Again and again", lines: [], notes: [] };
  const cell = ({ value, interval }: Estimate): string => `${percent(value)} (${percents(interval)})`;
  const fewer = passK.filter(({ all }) => all.tasks < (passK[0]?.all.tasks ?? 0));
  return {
    title: "Again and again",
    lines: [],
    table: {
      header: ["of k trials", "pass@k: at least one passes", "pass^k: all pass"],
      rows: passK.map(({ k, any, all }) => [String(k), cell(any), cell(all)]),
    },
    notes: fewer.map(({ k, all }) => `For k = ${k} only ${several(all.tasks, "task")} had trials enough.`),
  };
}

const SIGNS: Readonly<Record<Trial["outcome"], string>> = { pass: "✓", fail: "✗", infra: "!" };

/** A sign for each trial. */
export function trialSigns({ trials }: TaskSummary): string {
  return trials.map((t) => (t === undefined ? "·" : SIGNS[t.outcome])).join("");
}

function taskSection({ tasks }: RunSummary): Section {
  return {
    title: "Tasks",
    lines: [],
    table: {
      header: ["task", "trials", "passed", "flips", ...MEASURES.map((name) => MEASURE_WORDS[name])],
      rows: tasks.map((task) => [
        task.id,
        trialSigns(task),
        `${task.passes} of ${task.n}`,
        percent(flipRate(task.n, task.passes)),
        ...MEASURES.map((name) => figure(name, taskMedian(task, name))),
      ]),
      right: [2, 3, 4, 5, 6, 7],
    },
    notes: ["Steps, tokens, cost and time are medians. ✓ passed, ✗ failed, ! broke around the agent, · not run."],
  };
}

function measureSection({ measures, tasks }: RunSummary): Section {
  const known = MEASURES.flatMap((name) => {
    const median = measures[name];
    return median === undefined ? [] : [{ name, ...median }];
  });
  const level = known.map((m) => m.level).find((l) => l < 0.95);
  return {
    title: "Work",
    lines: [],
    table: {
      header: ["of a trial", "median", "95 % interval"],
      rows: known.map(({ name, median, low, high }) => [
        MEASURE_WORDS[name],
        figure(name, median),
        `${figure(name, low)} – ${figure(name, high)}`,
      ]),
      right: [1],
    },
    notes: [
      ...(level === undefined ? [] : [`So few tasks give an interval of ${percent(level)} only.`]),
      ...(verdicts(tasks.flatMap((t) => t.trials)).some((t) => t.usd === undefined)
        ? ["The price of some trials is not known; they are left out of the cost."]
        : []),
    ],
  };
}

function endSection({ ends }: RunSummary): Section {
  return {
    title: "How they ended",
    lines: [],
    table: {
      header: ["end", "trials", "passed"],
      rows: ends.map(({ end, trials, passes }) => [end, String(trials), String(passes)]),
      right: [1, 2],
    },
    notes: [],
  };
}

function failureSections({ tasks, rubrics }: RunSummary): Section[] {
  const failed = tasks.flatMap((t) => t.trials).filter((t) => t !== undefined && t.outcome !== "pass");
  const rows = failed.slice(0, MOST_FAILURES).map((t) => (t === undefined ? [] : [`${t.taskId}/${t.trial}`, t.reason]));
  const more = failed.length - rows.length;
  return [
    {
      title: "What failed",
      lines: [],
      ...(rows.length === 0 ? {} : { table: { header: ["trial", "why"], rows } }),
      notes: more > 0 ? [`${several(more, "further trial")} not listed.`] : [],
    },
    {
      title: "What a model judged",
      lines: [],
      ...(rubrics.length === 0
        ? {}
        : {
            table: {
              header: ["rubric", "met", "95 % interval, over tasks"],
              rows: rubrics.map(({ name, n, ok, interval }) => [name, `${ok} of ${n}`, percents(interval)]),
            },
          }),
      notes: ["Beside the verdicts: a judge errs in ways of its own."],
    },
  ];
}
