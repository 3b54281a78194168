import type { LogBody, SessionEvent } from "../events/event.ts";
import type { JudgeState } from "../events/state.ts";
import type { LoopDeps } from "../loop/deps.ts";
import type { Judged } from "../loop/judging.ts";
import { denyAll } from "../permissions/asker.ts";
import type { Progress } from "../tools/tool.ts";
import type { AgentKind } from "./agents-define.ts";
import type { LiveParts } from "./live-parts.ts";
import { runAgent } from "./spawn.ts";

/** What one that judges may use, whatever its own definition says: none of them writes, and in plan mode nothing that a command did lands. */
const READING = ["Bash", "Glob", "Grep", "Read"] as const;

/** Its rubric is its own: the text of its definition. */
export function asJudge(kind: AgentKind): AgentKind {
  const { isolation: _layer, ...rest } = kind;
  const wanted = kind.tools ?? READING;
  return { ...rest, mode: "plan", tools: READING.filter((name) => wanted.includes(name)) };
}

/** One judgement by a sub-agent in a context of its own, with a log of its own (C9). Where a crash left one, it goes on. */
export async function* judgeBy(
  { agent, given }: JudgeState,
  task: string,
  parts: LiveParts,
  deps: LoopDeps,
  signal: AbortSignal,
): AsyncGenerator<SessionEvent, Judged> {
  const call = {
    callId: `judge_${given + 1}`,
    signal,
    asker: denyAll("an agent that judges asks nobody"),
    as: asJudge,
  };
  const run = runAgent({ agent, description: "judges the work", prompt: task }, parts, deps, call);
  for (;;) {
    const step = await run.next();
    if (step.done === true) {
      const answer = step.value;
      if ("failed" in answer) return answer;
      return answer.status === "ok"
        ? { text: answer.text }
        : { failed: answer.told[0] ?? "it did not come to its end" };
    }
    yield* told(step.value, deps);
  }
}

async function* told(said: Progress, { log }: LoopDeps): AsyncGenerator<SessionEvent> {
  if ("event" in said) yield said.event;
  if (!("fact" in said)) return;
  const fact: LogBody = said.fact;
  yield await log.append(fact);
  // None is begun twice (E3).
  if (fact.type === "agent.started") await log.barrier();
}
