import type { LogBody } from "../events/event.ts";
import type { LoopDeps } from "../loop/deps.ts";
import type { Asker } from "../permissions/asker.ts";
import type { LiveParts } from "./live-parts.ts";

/**
 * A sub-agent's questions go to the same person, under its name. An answer "for this session" counts for the session that the person
 * talks to, and so for all its agents: `facts` is what that log is to be told. `waited`: how long answers took.
 */
export function agentAsker(
  asker: Asker,
  { options }: LiveParts,
  { clock }: Pick<LoopDeps, "clock">,
  name: string,
): { asker: Asker; facts: LogBody[]; waited(): number } {
  const facts: LogBody[] = [];
  let waited = 0;
  const timed = async <R>(work: () => Promise<R>): Promise<R> => {
    const from = clock.now();
    try {
      return await work();
    } finally {
      waited += clock.now() - from;
    }
  };
  return {
    facts,
    waited: () => waited,
    asker: {
      async ask(question, signal) {
        const answer = await timed(() => asker.ask({ ...question, agent: question.agent ?? name }, signal));
        const rule = answer.kind === "yes" && answer.remember?.scope === "session" ? answer.remember.rule : undefined;
        if (rule !== undefined && options.agent === undefined)
          facts.push({ type: "rule.added", rule: { action: "allow", text: rule, source: "session" } });
        return answer;
      },
      askPerson: (question, signal) =>
        timed(() => asker.askPerson({ ...question, agent: question.agent ?? name }, signal)),
    },
  };
}
