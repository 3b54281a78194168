import type { Session } from "../session/session.ts";
import { pickAnswer } from "../tools/answer.ts";
import { UsageError } from "./usage-error.ts";

/** What was typed, as answers to the questions that are open. @throws UsageError where it answers none of them. */
export function readAnswers(
  session: Pick<Session, "id" | "questions" | "unfinished">,
  typed: readonly string[],
): string[] {
  const questions = session.questions();
  const { id } = session;
  if (questions.length === 0) {
    const open = session.unfinished();
    const how = open === undefined ? "" : `; it ${open}: agent -p --resume ${id} goes on`;
    throw new UsageError(`session ${id} waits for no answer${how}`);
  }
  if (questions.length !== typed.length)
    throw new UsageError(
      `session ${id} asks ${several(questions.length, "question")}: give --answer ${several(questions.length, "time")}, not ${typed.length}`,
    );
  return typed.map((words, at) => {
    const question = questions[at] ?? { question: "", options: [] };
    const read = pickAnswer(question, words);
    if ("answer" in read) return read.answer;
    throw new UsageError(`--answer "${words}": ${read.problem} (${question.question})`);
  });
}

function several(n: number, what: string): string {
  return `${n} ${what}${n === 1 ? "" : "s"}`;
}
