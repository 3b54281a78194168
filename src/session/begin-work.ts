import type { LiveParts } from "./live-parts.ts";

/** So often a judge's no goes back to the model, for the contract and for the work each. */
const ROUNDS = 3;

/**
 * What the session was opened for becomes a fact, once: from there on it holds, a resume included (C8, C9).
 * @throws Error with one line where there is no agent of the judge's name.
 */
export async function beginWork({ options, log, agents }: LiveParts): Promise<void> {
  const { work, judge } = options;
  if (work !== undefined && log.state.work === undefined) await log.append({ type: "work.begun", ...work });
  if (judge === undefined || judge === log.state.judge?.agent) return;
  if (agents.book.find(judge) === undefined)
    throw new Error(`--judge ${JSON.stringify(judge)}: there is no such agent (/agents kinds lists them)`);
  await log.append({ type: "judge.named", agent: judge, rounds: ROUNDS });
}
