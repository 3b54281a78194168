import type { Answer, Question } from "../permissions/asker.ts";
import { questionText } from "../permissions/question-text.ts";
import type { PersonQuestion } from "../tools/tool.ts";
import type { Answered } from "./input-line.ts";

/** What a line says to a permission question. */
export function answerOf({ allow, note, remember }: Answered, { offer }: Question): Answer | { problem: string } {
  if (allow === undefined) return { problem: "this question is answered by allow: true or false" };
  const words = note === undefined ? {} : { note };
  if (!allow) return { kind: "no", ...words };
  if (remember === undefined) return { kind: "yes", ...words };
  if (offer === undefined) return { problem: "nothing can be remembered of this question: answer without remember" };
  return { kind: "yes", ...words, remember: { scope: remember, rule: offer[remember] } };
}

/** A permission question as a line of output; `text`: all that a person is shown. */
export function permissionLine(question: Question): object {
  const { id, callId, effect, decision, offer, agent } = question;
  return {
    type: "question",
    version: 1,
    kind: "permission",
    question_id: id,
    call_id: callId,
    tool: effect.tool,
    subject: effect.subject,
    risk: decision.risk,
    reason: decision.reason,
    text: questionText(question),
    ...(offer === undefined ? {} : { offer }),
    ...(agent === undefined ? {} : { agent }),
  };
}

/** A question of the model's as a line of output. */
export function personLine(id: string, { question, options, multiple = false, agent }: PersonQuestion): object {
  return {
    type: "question",
    version: 1,
    kind: "choice",
    question_id: id,
    question,
    options: options.map((option, at) => ({ number: at + 1, ...option })),
    multiple,
    ...(agent === undefined ? {} : { agent }),
  };
}
