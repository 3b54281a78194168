import type { SessionState } from "../events/state.ts";
import { askUserTool, questionsOf } from "../tools/ask-user.ts";
import { exitPlanTool, planQuestions } from "../tools/exit-plan.ts";
import type { PersonQuestion } from "../tools/tool.ts";

const ASKED: Readonly<Record<string, (input: unknown) => PersonQuestion[]>> = {
  [askUserTool.name]: questionsOf,
  [exitPlanTool.name]: planQuestions,
};

/** The open questions of the model's that a session waits with, in the order in which answers are taken (S6). None: it waits for none. */
export function openQuestions({ query, calls }: SessionState): PersonQuestion[] {
  if (query === undefined || (query.ended ?? "waiting") !== "waiting") return [];
  return [...calls.values()]
    .filter((c) => c.result === undefined && c.replySeq > query.startSeq)
    .flatMap((c) => ASKED[c.tool]?.(c.input) ?? []);
}

/** A question of the model's, its options by the numbers that answer. */
export function questionLines({ question, options, multiple, place }: PersonQuestion): string[] {
  const which = place === undefined ? "" : ` (${place.n} of ${place.of})`;
  const several = multiple === true ? " (several may be chosen, such as 1,3)" : "";
  return [
    `the model asks${which}: ${question}${several}`,
    ...options.map(({ label, description }, at) => {
      const more = description === undefined ? "" : ` · ${description}`;
      return `  ${at + 1} ${label}${more}`;
    }),
  ];
}
