import { textOf } from "../events/block.ts";
import type { SessionEvent } from "../events/event.ts";
import type { JudgeState } from "../events/state.ts";
import { asData } from "../tools/as-data.ts";
import type { LoopDeps, Stop } from "./deps.ts";
import { stopOf } from "./deadline.ts";

/** What a second agent answered, or why it could not. */
export type Judged = { text: string } | { failed: string };

/** Ahead of a message that is judged, for the model. */
export const CONTRACT_FIRST =
  "A second agent judges what you do for the next message. First agree with it on a contract: read what you need, then answer in words alone, without a call: what you will do, point by point, and how each point is checked. Nothing lands before it is agreed; you are told when it is.";

/**
 * Where the model says that it is done (C9): the first time the second agent looks at the contract it proposes, then at the work. Its no goes
 * back to the model, so often as its rounds say, then to the person as the query's end. undefined: nothing is judged here, or it said yes to the work.
 */
export async function* judging(
  deps: LoopDeps,
  signal: AbortSignal,
): AsyncGenerator<SessionEvent, Stop | "again" | undefined> {
  const { judge } = deps.log.state;
  if (judge === undefined || deps.judge === undefined || deps.log.state.mode === "plan") return undefined;
  const about = judge.contract === undefined ? "contract" : "work";
  const proposal = lastWords(deps);
  const words = about === "contract" ? contractTask(deps, proposal) : workTask(deps, judge);
  const checkId = deps.makeId("op");
  yield { type: "check.started", checkId, name: judge.agent, command: `judges the ${about}` };
  const said = yield* deps.judge(judge, words, signal);
  if (signal.aborted) return stopOf(signal);
  const { ok, text } = verdictOf(said);
  const round = judge.against + 1;
  yield await deps.log.append({
    type: "verdict.given",
    about,
    ok,
    text,
    round,
    ...(about === "contract" && ok ? { of: proposal } : {}),
  });
  if (ok && about === "work") return undefined;
  if (!ok && round > judge.rounds) return { reason: "checks-failed", detail: overDetail(about, text, deps) };
  yield await deps.log.append({ type: "note.added", text: ok ? AGREED : againText(about, text, round, judge.rounds) });
  return "again";
}

const AGREED =
  "The contract is agreed as you put it: changes land from here on. Do all of it now; what you leave is judged by it.";

function againText(about: JudgedThing, text: string, round: number, rounds: number): string {
  const head =
    about === "contract"
      ? "The contract is not agreed. Answer with a whole new one, in words alone."
      : "You are not done: the agent that judges your work by the contract says no. Mend it, then say that you are done.";
  return `${head} What it said:\n${asData(text)}\n(Try ${round} of ${rounds}.)`;
}

type JudgedThing = "contract" | "work";

function overDetail(about: JudgedThing, text: string, deps: LoopDeps): string {
  const words = text.replaceAll(/\s+/g, " ").trim().slice(0, 300);
  if (about === "contract") return `Not begun: no contract was agreed. The agent that judges said: ${words}`;
  const where = deps.log.state.rehearsing ? "What was changed is pending" : "What was changed is in the folder";
  return `Not done, says the agent that judges: ${words} ${where}; a new message goes on, /undo takes steps back.`;
}

/** Its last words decide, where they are one of the two; anything else is a no. */
export function verdictOf(said: Judged): { ok: boolean; text: string } {
  if ("failed" in said) return { ok: false, text: `It could not judge: ${said.failed}` };
  const lines = said.text.trim().split("\n");
  const at = lines.findLastIndex((line) => /^\W*VERDICT:/i.test(line));
  const verdict = /^\W*VERDICT:\W*(yes|no)\W*$/i.exec(lines[at] ?? "")?.[1]?.toLowerCase();
  const rest = lines
    .filter((_, i) => i !== at)
    .join("\n")
    .trim();
  if (verdict === undefined) return { ok: false, text: `It gave no verdict. ${rest}`.trim() };
  return { ok: verdict === "yes", text: rest };
}

const LAST_LINE =
  'Say what is wrong or missing, each point with where it is seen. Your last line is "VERDICT: yes" or "VERDICT: no", nothing else counts.';

function contractTask(deps: LoopDeps, proposal: string): string {
  return `Another agent is about to work for a person, and proposes this contract. Judge it before it begins: does it hold all that the person asked for, and can each point be checked as it says? Look at the folder where that helps. ${LAST_LINE}\n\n${asked(deps)}\n\n# The contract that it proposes\n${asData(proposal)}`;
}

function workTask(deps: LoopDeps, { contract = "" }: JudgeState): string {
  const { state } = deps.log;
  const checks = [...state.checks.values()].map(({ name, exit }) => `- ${name}: ${exit === 0 ? "passed" : "failed"}`);
  const changed = [...state.changed.keys()].map((path) => `- ${path}`).slice(0, 100);
  return [
    `Another agent says that it is done. Judge what lies in the folder by the contract that was agreed, not by what it says of it. ${LAST_LINE}`,
    asked(deps),
    `# The contract\n${asData(contract)}`,
    `# What it changed in this session\n${changed.length === 0 ? "nothing" : changed.join("\n")}`,
    ...(checks.length === 0 ? [] : [`# Checks of the program's, as they last ran\n${checks.join("\n")}`]),
    `# What it says\n${asData(lastWords(deps))}`,
  ].join("\n\n");
}

function asked({ log }: LoopDeps): string {
  const from = log.state.query?.startSeq ?? 0;
  const words = log.state.items.flatMap((i) => (i.kind === "prompt" && i.seq >= from ? [textOf(i.content)] : []));
  return `# What the person asked for\n${asData(words.join("\n\n"))}`;
}

function lastWords({ log }: LoopDeps): string {
  const last = log.state.items.findLast((item) => item.kind === "reply");
  return last?.kind === "reply" ? textOf(last.blocks).trim() : "";
}
