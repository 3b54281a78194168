import type { SessionEvent } from "../events/event.ts";
import { rehearses } from "../events/layers.ts";
import { treeStamp } from "../workspace/stamp.ts";
import { type Check, commandText, isDue, mayRun } from "./check.ts";
import { type Ran, runCheck } from "./check-run.ts";
import { stopOf } from "./deadline.ts";
import type { LoopDeps, Stop } from "./deps.ts";
import { failedChecksText } from "./say.ts";

/**
 * Done as the model says is not done yet (S9): the checks that concern what the session changed since they last passed run in the copy. Failures go
 * back to the model ("again") so often as the settings say, then to the person as the query's end. undefined: all that had to hold holds.
 * In plan mode nothing was changed, so nothing is checked.
 */
export async function* completion(
  deps: LoopDeps,
  signal: AbortSignal,
): AsyncGenerator<SessionEvent, Stop | "again" | undefined> {
  const { checks, log } = deps;
  if (checks === undefined || log.state.mode === "plan") return undefined;
  const due = checks.list.filter((check) => mayRun(check, log.state) && isDue(check, log.state));
  if (due.length === 0) return undefined;
  const round = (log.state.query?.checkRound ?? 0) + 1;
  const failed = yield* failures(due, round, deps, signal);
  if (signal.aborted) return stopOf(signal);
  if (failed.length === 0) return undefined;
  const mendable = failed.filter((ran) => ran.cant !== true);
  if (mendable.length === 0 || round > checks.rounds || !(worked(deps) || mendable.some((ran) => ran.check.always)))
    return handOver(failed, round, deps);
  yield await log.append({ type: "note.added", text: failedChecksText(mendable, round, checks.rounds) });
  return "again";
}

/** Whether this query changed anything: where it only talked, nobody asked it to mend what failed before. */
function worked({ log }: LoopDeps): boolean {
  const { query: q, marks } = log.state;
  return q !== undefined && (q.filesBefore !== marks.files || q.checkRound > 1);
}

/** Runs what has to run; what passed on this very tree has. */
async function* failures(
  due: readonly Check[],
  round: number,
  deps: LoopDeps,
  signal: AbortSignal,
): AsyncGenerator<SessionEvent, Ran[]> {
  const failed: Ran[] = [];
  const tree = await treeNow(deps, signal);
  for (const check of due) {
    if (signal.aborted) break;
    const known = deps.log.state.checks.get(check.name);
    const same = tree !== "" && known?.tree === tree && known.command === commandText(check);
    if (same && known.exit === 0) continue;
    // Nothing has changed since it failed, so a question about that is no reason to wait for it again.
    const again = !same || worked(deps) || check.kind !== "command" || check.always === true;
    const ran: Ran = again
      ? yield* runCheck(check, { tree, round }, deps, signal)
      : { check, exit: known.exit, output: "", ended: "it failed before, and nothing changed since" };
    if (ran.exit !== 0) failed.push(ran);
  }
  return failed;
}

async function treeNow(deps: LoopDeps, signal: AbortSignal): Promise<string> {
  const operationId = deps.makeId("op");
  const { roots, view } = await deps.context({ callId: operationId, operationId }, signal, deps.asker);
  const facts = deps.facts(deps.log.state);
  return treeStamp(roots, view.layers, (root, path) => facts.ignored(root, path), signal);
}

function handOver(failed: readonly Ran[], round: number, { log }: LoopDeps): Stop {
  const tries = round > 1 ? ` after ${round - 1} ${round === 2 ? "try" : "tries"} to mend it` : "";
  const where = rehearses(log.state) ? "What was changed is pending" : "What was changed is in the folder";
  return {
    reason: "checks-failed",
    detail: `Not done: ${failed.map(failureLine).join("; ")}${tries}. ${where}; a new message goes on, /undo takes steps back.`,
  };
}

/** `check "tests" failed (exit code 1: 2 of 14 tests failed)`. */
function failureLine({ check, exit, ended, output }: Ran): string {
  const lines = output.split("\n").map((line) => line.trim());
  const last = lines.findLast((line) => line !== "") ?? "";
  const how = ended ?? (check.kind === "command" ? `exit code ${exit}` : "");
  const words = [how, last.slice(0, 160)].filter((part) => part !== "").join(": ");
  return `check "${check.name}" failed (${words})`;
}
