import type { Answer, Question } from "../../permissions/asker.ts";
import type { PersonQuestion } from "../../tools/tool.ts";
import { personHead } from "../prompt/person.ts";
import { cleanRow, exact } from "../render/clean.ts";
import { mayRemember, questionBody, questionTitle } from "../render/question.ts";
import { line, type Line, wrap } from "../render/spans.ts";

/** A permission question as lines to read, with its numbered answers. Everything is shown, nothing scrolls. */
export function questionRows(question: Question, width: number): Line[] {
  const body = questionBody(question, { width }).map(({ row }) => row);
  const options = mayRemember(question)
    ? [
        "1 yes, once",
        `2 yes, for this session: ${exact(question.offer?.session ?? "")}`,
        "3 no, and stop",
        "3 and a reason: no, and go on",
        `4 yes, always in your rules for this project: ${exact(question.offer?.always ?? "")}`,
      ]
    : question.review === undefined
      ? ["1 yes, once", "3 no, and stop", "3 and a reason: no, and go on"]
      : ["1 yes, all of it", "3 no, all of it stays pending", "3 and a reason: no, and the agent is told"];
  const title: Line = [{ text: "permission needed: " }, ...questionTitle(question, 1000)];
  return [
    ...wrap(title, { width }),
    ...body,
    ...options.flatMap((text) => wrap(line(text), { width, rest: line("  ") })),
  ];
}

/** What a typed line answers; undefined when it is none of the numbers. An empty line answers nothing. */
export function readAnswer(question: Question, typed: string): Answer | undefined {
  const text = typed.trim();
  const extra = question.regenerable === undefined ? {} : { withRegenerable: question.regenerable.preset };
  if (text === "1" || text === "y" || text === "yes") return { kind: "yes", ...extra };
  if (text === "3" || text === "n" || text === "no") return { kind: "no" };
  const note = /^(?:3|n|no)[\s,:]+(.+)$/.exec(text)?.[1];
  if (note !== undefined) return { kind: "no", note };
  if (!mayRemember(question) || question.offer === undefined) return undefined;
  if (text === "2") return { kind: "yes", remember: { scope: "session", rule: question.offer.session }, ...extra };
  if (text === "4") return { kind: "yes", remember: { scope: "always", rule: question.offer.always }, ...extra };
  return undefined;
}

/** A question of the model's as lines to read. */
export function personRows(question: PersonQuestion, width: number): Line[] {
  const options = question.options.map((option, at) => {
    const more = option.description === undefined ? "" : ` (${cleanRow(option.description)})`;
    return `${at + 1} ${cleanRow(option.label)}${more}`;
  });
  return [
    ...wrap(line("question:"), { width }),
    ...personHead(question, width),
    ...[
      ...options,
      question.multiple === true ? "several, such as 1,3, or your own words" : "or your own words",
    ].flatMap((text) => wrap(line(text), { width, rest: line("  ") })),
  ];
}
