import type { Answer, Asker, Question } from "../permissions/asker.ts";
import type { PersonQuestion } from "../tools/tool.ts";
import { fits } from "./pattern.ts";
import type { Answers } from "./suite-schema.ts";

/** Answers as the suite says, the first rule that fits; what none fits is denied, and a question of the model's not answered. */
export function scriptedAsker({ permissions, questions }: Answers): Asker {
  return {
    ask: (question) => Promise.resolve(answerTo(question, permissions)),
    askPerson: ({ question }: PersonQuestion) =>
      Promise.resolve(questions.find(({ matching }) => matches(matching, [question]))?.reply),
  };
}

function answerTo({ effect, diffs }: Question, rules: Answers["permissions"]): Answer {
  const { tool, subject, changes } = effect;
  const about = [subject, ...(effect.paths ?? []), ...diffs.map((diff) => diff.path)];
  const deletes = changes?.entries.some((entry) => entry.op === "delete") ?? false;
  const rule = rules.find(
    (r) =>
      (r.tool === undefined || r.tool === tool) &&
      (r.deletes === undefined || r.deletes === deletes) &&
      matches(r.matching, about),
  );
  const note = rule?.note === undefined ? {} : { note: rule.note };
  return rule?.answer === "allow" ? { kind: "yes", ...note } : { kind: "no", ...note };
}

function matches(pattern: string | undefined, texts: readonly string[]): boolean {
  return pattern === undefined || fits(pattern, texts);
}
