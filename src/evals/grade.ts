import { absentProblem, fileProblem, folderProblem, onlyChangedProblem, untouchedProblem } from "./grade-files.ts";
import { textProblem } from "./grade-text.ts";
import { askedProblem, callsProblem, spanProblem } from "./grade-trace.ts";
import { type Graded, verdict } from "./graded.ts";
import type { Grader } from "./grader-schema.ts";
import type { GraderResult } from "./trial.ts";

/** Every grader's word on a trial, in the task's order; a rubric has none where the run doesn't ask a judge. Throws where a grader itself broke. */
export async function grade(graders: readonly Grader[], graded: Graded): Promise<GraderResult[]> {
  const results: GraderResult[] = [];
  for (const grader of graders) {
    const result = await one(grader, graded);
    if (result !== undefined) results.push(result);
  }
  return results;
}

async function one(grader: Grader, graded: Graded): Promise<GraderResult | undefined> {
  if ("command" in grader) return await commandResult(grader.command, grader.timeout, graded);
  if ("file" in grader) return verdict(`file ${grader.file}`, fileProblem(grader, graded));
  if ("absent" in grader) return verdict(`absent ${grader.absent.join(", ")}`, absentProblem(grader.absent, graded));
  if ("folder" in grader) return verdict(`folder as ${grader.folder}`, await folderProblem(grader.folder, graded));
  if ("onlyChanged" in grader)
    return verdict(
      `only ${grader.onlyChanged.join(", ") || "nothing"} changed`,
      onlyChangedProblem(grader.onlyChanged, graded),
    );
  if ("untouched" in grader)
    return verdict(`${grader.untouched.join(", ")} untouched`, untouchedProblem(grader.untouched, graded));
  if ("asked" in grader)
    return verdict(`asked ${JSON.stringify(grader.asked)}`, askedProblem(grader.asked, graded.events));
  if ("calls" in grader)
    return verdict(`calls ${JSON.stringify(grader.calls)}`, callsProblem(grader.calls, graded.events));
  if ("turns" in grader)
    return verdict(`at most ${grader.turns.atMost} turns`, spanProblem(graded.turns, grader.turns, "turn"));
  if ("reply" in grader) return verdict("reply", textProblem(graded.reply, grader.reply));
  const judged = await graded.judge?.(grader.rubric);
  return judged === undefined ? undefined : { name: `rubric: ${grader.rubric}`, ...judged, rubric: true };
}

async function commandResult(command: string, seconds: number, graded: Graded): Promise<GraderResult> {
  const { exit, output } = await graded.command(command, seconds * 1000);
  const how =
    exit === null
      ? `did not end within ${seconds} s`
      : exit === 127
        ? "exit code 127, a program is missing"
        : `exit code ${exit}`;
  return verdict(
    `command ${command.split("\n")[0] ?? ""}`,
    exit === 0 ? undefined : [how, sayingWhy(output)].filter((t) => t !== "").join(": "),
  );
}

/** How test programs begin the line that says what is wrong; many end with counts and times. */
const WRONG = /^(not ok\b|E\s{2,}\S|[✖✗×]\s|(\w+\.)*\w*(Error|Exception)\b.*:|FAIL(ED)?:? )/;

/** The first line that says what is wrong, else the last. */
function sayingWhy(output: string): string {
  const lines = output
    .trimEnd()
    .split("\n")
    .map((line) => line.trim());
  return (lines.find((line) => WRONG.test(line)) ?? lines.at(-1) ?? "").slice(0, 200);
}
