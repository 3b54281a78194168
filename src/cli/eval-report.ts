import { findRun, readRun } from "../evals/run-folder.ts";
import { progressOf, sumLine } from "../evals/progress.ts";
import { programDirs } from "../session/environment.ts";
import { openStore } from "../session/store.ts";
import type { EvalInvocation } from "./args-eval.ts";
import { tell } from "./diff-text.ts";

type ReportInvocation = Extract<EvalInvocation, { verb: "eval-report" | "eval-compare" }>;

/** `agent eval report RUN`, `agent eval compare RUN OTHER`. */
export function evalReport(invocation: ReportInvocation): number {
  const { state } = openStore(programDirs(process.env));
  const { options } = invocation;
  const names = "run" in options ? [options.run] : [options.a, options.b];
  for (const name of names) tell(sumLine(progressOf(readRun(findRun(state, name)))));
  return 0;
}
