import { escaped } from "../../session/export-html.ts";
import { wilson } from "../numbers/interval.ts";
import { MEASURES, type RunSummary, taskMedian, type TaskSummary } from "../numbers/summary.ts";
import { percents } from "../numbers/words.ts";
import type { Trial } from "../trial.ts";
import { figure, MEASURE_WORDS } from "./figures.ts";
import { idOf } from "./traces.ts";

/** A row for each task, a cell for each trial that leads to its trace. */
export function heatMap({ tasks, header }: RunSummary): string {
  const heads = Array.from({ length: header.k }, (_, i) => `<th class="middle">${i + 1}</th>`).join("");
  const measures = MEASURES.map((name) => `<th class="more right">${MEASURE_WORDS[name]}</th>`).join("");
  const rows = tasks.map((task, at) => taskRow(task, at)).join("\n");
  return `<div class="wide"><table class="heat"><thead><tr><th>task</th>${heads}<th class="more right">passed</th><th class="more">95 % (Wilson)</th>${measures}</tr></thead><tbody>
${rows}
</tbody></table></div>`;
}

const SIGNS: Readonly<Record<Trial["outcome"], string>> = { pass: "✓", fail: "✗", infra: "!" };

function taskRow(task: TaskSummary, at: number): string {
  const cells = task.trials.map((trial, i) => `<td>${cell(trial, idOf(at, i + 1))}</td>`).join("");
  const title = task.title === "" || task.title === task.id ? "" : `<div class="plain">${escaped(task.title)}</div>`;
  const interval =
    task.n === 0 ? "" : `${bar(task)}<span class="plain">${percents(wilson(task.passes, task.n))}</span>`;
  const measures = MEASURES.map(
    (name) => `<td class="more right">${escaped(figure(name, taskMedian(task, name)))}</td>`,
  ).join("");
  return `<tr><td>${escaped(task.id)}${title}</td>${cells}<td class="more right">${task.passes} of ${task.n}</td><td class="more">${interval}</td>${measures}</tr>`;
}

function cell(trial: Trial | undefined, id: string): string {
  if (trial === undefined) return '<span class="cell none" title="not run">·</span>';
  const why = trial.reason === "" ? "" : `: ${trial.reason}`;
  return `<a class="cell ${trial.outcome}" href="#${id}" title="${escaped(`${trial.taskId}/${trial.trial} ${trial.outcome}${why}`)}">${SIGNS[trial.outcome]}</a>`;
}

/** The interval as a short bar from 0 to 100 %. */
function bar({ passes, n }: TaskSummary): string {
  const { low, high } = wilson(passes, n);
  const x = (share: number): number => Math.round(4 + share * 92);
  return `<svg viewBox="0 0 100 12" width="100" aria-hidden="true"><line class="grid" x1="4" x2="96" y1="6" y2="6"/><line class="one" stroke-width="3" stroke-linecap="round" x1="${x(low)}" x2="${x(high)}" y1="6" y2="6"/><circle class="one" cx="${x(passes / n)}" cy="6" r="4"/></svg>`;
}
