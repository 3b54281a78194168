import { escaped, partHtml } from "../../session/export-html.ts";
import type { Part } from "../../session/export-parts.ts";
import type { RunSummary } from "../numbers/summary.ts";
import type { Trial } from "../trial.ts";
import { figure, MEASURE_WORDS } from "./figures.ts";
import { MEASURES, measureOf } from "../numbers/summary.ts";

/** What a trial's log says, by "task/trial"; undefined where there is none. */
export type TraceOf = (trial: Trial) => readonly Part[] | undefined;

/** Letters of one text of a trace, of one trace, and of all of a page: more is left out and said. */
const LONGEST_TEXT = 8_000;
const LONGEST_TRACE = 60_000;
const LONGEST_PAGE = 6_000_000;

/** The place of a trial's trace within the page. */
export function idOf(task: number, trial: number): string {
  return `t${task + 1}-${trial}`;
}

/** A target for each trial that there is: its verdict, graders and conversation. Failed ones come first where not all find room. */
export function traceTargets({ tasks, header }: RunSummary, traceOf: TraceOf): string[] {
  const all = tasks.flatMap((task, at) =>
    task.trials.flatMap((trial, i) => (trial === undefined ? [] : [{ trial, id: idOf(at, i + 1) }])),
  );
  const room = { left: LONGEST_PAGE };
  const bodies = new Map<string, string>();
  const failedFirst = all.toSorted((a, b) => Number(a.trial.outcome === "pass") - Number(b.trial.outcome === "pass"));
  for (const { trial, id } of failedFirst) bodies.set(id, body(trial, traceOf(trial), header.id, room));
  return all.map(({ trial, id }, at) => {
    const link = (to: string | undefined, words: string): string =>
      to === undefined ? "" : `<a href="#${to}">${words}</a>`;
    const nav = `<nav>${link("top", "back")}${link(all[at - 1]?.id, "previous")}${link(all[at + 1]?.id, "next")}</nav>`;
    return `<section class="trace" id="${id}"><div>${nav}${head(trial)}${bodies.get(id) ?? ""}</div></section>`;
  });
}

function head(trial: Trial): string {
  const measures = MEASURES.map((name) => `${MEASURE_WORDS[name]} ${figure(name, measureOf(trial, name))}`);
  const graders = trial.graders.map(({ name, ok, text, rubric }) => {
    const why = ok || text === "" ? "" : `: ${text}`;
    return `<li>${ok ? "✓" : "✗"} ${escaped(name)}${escaped(why)}${rubric === true ? " (judged by a model)" : ""}</li>`;
  });
  const reason = trial.reason === "" ? "" : `<p>${escaped(trial.reason)}</p>`;
  const about = [`mode ${trial.mode}`, `ended: ${trial.end}`, ...measures].join(" · ");
  return `<h2>${escaped(trial.taskId)}, trial ${trial.trial} <span class="tag ${trial.outcome}">${trial.outcome}</span></h2>${reason}<p class="note">${escaped(about)}</p><ul>${graders.join("")}</ul>`;
}

function body(trial: Trial, parts: readonly Part[] | undefined, run: string, room: { left: number }): string {
  const command = `agent eval show ${trial.taskId}/${trial.trial} ${run}`;
  if (parts === undefined) return '<p class="note">There is no log of it.</p>';
  const shown: string[] = [];
  let left = Math.min(LONGEST_TRACE, room.left);
  for (const part of parts) {
    const html = partHtml(boundedPart(part));
    left -= html.length;
    if (left < 0) {
      shown.push(`<p class="note">The rest is left out; ${escaped(command)} shows all of it.</p>`);
      break;
    }
    room.left -= html.length;
    shown.push(html);
  }
  return shown.join("\n");
}

/** A piece whose texts are no longer than a person reads. */
export function boundedPart(part: Part): Part {
  switch (part.kind) {
    case "person":
    case "reply":
      return { ...part, text: cut(part.text) };
    case "call":
      return { ...part, input: cut(part.input), result: cut(part.result), landed: part.landed.slice(0, 50) };
    case "end":
      return { ...part, detail: cut(part.detail) };
  }
}

function cut(text: string): string {
  if (text.length <= LONGEST_TEXT) return text;
  const half = LONGEST_TEXT / 2;
  const left = text.length - 2 * half;
  return `${text.slice(0, half)}\n… ${left.toLocaleString("en-US")} letters left out …\n${text.slice(-half)}`.toWellFormed();
}
