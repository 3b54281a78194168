import { compareRuns } from "../evals/numbers/compare-runs.ts";
import { summarise } from "../evals/numbers/summary.ts";
import { compareReport } from "../evals/report/compare-report.ts";
import { compareJson, runJson } from "../evals/report/json.ts";
import { markdownOf } from "../evals/report/markdown.ts";
import { comparePage, runPage } from "../evals/report/pages.ts";
import { readTraces } from "../evals/report/read-trace.ts";
import type { Report } from "../evals/report/report.ts";
import { runReport } from "../evals/report/run-report.ts";
import { findRun, readRun } from "../evals/run-folder.ts";
import { loadKey } from "../events/key.ts";
import { programDirs } from "../session/environment.ts";
import { writeExport } from "../session/export.ts";
import { openStore, type Store } from "../session/store.ts";
import { jsonLine } from "../util/json-line.ts";
import { assertNever } from "../util/never.ts";
import { maskDeep } from "../util/secrets/deep.ts";
import { keysOf } from "../util/secrets/environment.ts";
import { makeSecrets } from "../util/secrets/secrets.ts";
import { sanitize } from "../util/visible.ts";
import type { EvalCompareOptions, EvalInvocation, EvalReportOptions, ReportFormat } from "./args-eval.ts";
import { say } from "./diff-text.ts";
import { reportRows } from "./eval-report-text.ts";
import { outWidth } from "./out-width.ts";

type ReportInvocation = Extract<EvalInvocation, { verb: "eval-report" | "eval-compare" }>;

/** `agent eval report RUN`, `agent eval compare RUN OTHER`: to stdout, or to a new file. */
export async function evalReport(invocation: ReportInvocation): Promise<number> {
  const store = openStore(programDirs(process.env));
  const { options } = invocation;
  const pieces = "run" in options ? await ofRun(options, store) : ofComparison(options, store);
  if (options.file === undefined) for (const piece of pieces) process.stdout.write(sanitize(piece));
  else {
    await writeExport(options.file, pieces);
    say(`written: ${options.file}`);
  }
  return 0;
}

/** What the three forms of a report are made of. */
interface Forms {
  report: Report;
  json: object;
  page: () => Iterable<string>;
}

/** Logs have no keys in them; what graders and errors said might. */
function masked<T>(value: T, store: Store): T {
  return maskDeep(value, makeSecrets({ key: loadKey(store.key), values: keysOf(process.env) }));
}

async function ofRun({ run: name, format }: EvalReportOptions, store: Store): Promise<Iterable<string>> {
  const run = readRun(findRun(store.state, name));
  const summary = masked(summarise(run), store);
  const traces = format === "html" ? masked([...(await readTraces(run))], store) : [];
  const byTrial = new Map(traces);
  return piecesOf(format, {
    report: runReport(summary),
    json: runJson(summary),
    page: () => runPage(summary, ({ taskId, trial }) => byTrial.get(`${taskId}/${trial}`)),
  });
}

function ofComparison({ a, b, delta, format }: EvalCompareOptions, store: Store): Iterable<string> {
  const [base, candidate] = [a, b].map((name) => readRun(findRun(store.state, name)));
  if (base === undefined || candidate === undefined) return [];
  const comparison = masked(compareRuns(base, candidate, delta), store);
  return piecesOf(format, {
    report: compareReport(comparison),
    json: compareJson(comparison),
    page: () => comparePage(comparison),
  });
}

function piecesOf(format: ReportFormat, { report, json, page }: Forms): Iterable<string> {
  switch (format) {
    case "text":
      return reportRows(report, outWidth()).map((row) => `${row}\n`);
    case "json":
      return [`${jsonLine(json)}\n`];
    case "md":
      return [markdownOf(report)];
    case "html":
      return page();
    default:
      return assertNever(format);
  }
}
