import { z } from "zod";
import { done, failed, quiet, stopped } from "./outcome.ts";
import { defineTool, type Outcome, type PersonQuestion, type ToolContext } from "./tool.ts";

const One = {
  question: z.string(),
  options: z
    .array(z.strictObject({ label: z.string(), description: z.string().optional() }))
    .max(9)
    .optional(),
  multiple: z.boolean().optional(),
};
// Told once, at the top: schemas of tools go out with every request.
const Input = z.strictObject({
  ...One,
  options: One.options.describe("They may always answer in own words"),
  multiple: One.multiple.describe("Several may be chosen"),
  also: z.array(z.strictObject(One)).max(3).optional().describe("Further questions that belong to it"),
});
type Input = z.infer<typeof Input>;

/** Asks the person. With nobody there the query waits, without a process, for the answer (S6). */
export const askUserTool = defineTool<Input>({
  name: "AskUser",
  description: `Asks the person, and waits for the answer. Use it when a decision is theirs and nothing in the folder answers it; not for permission (the program asks for that).
Example: {"question":"Which platforms?","options":[{"label":"Linux"},{"label":"macOS","description":"slower builds"}],"multiple":true}`,
  input: Input,
  subject: (input) => [input, ...(input.also ?? [])].map((one) => one.question).join(" "),
  needs: () => Promise.resolve([]),
  parallel: () => false,
  last: true,
  run: (input, ctx) => quiet(() => ask(input, ctx)),
});

/** The questions of a call, as they are asked; none of an input that the tool doesn't take. */
export function questionsOf(input: unknown): PersonQuestion[] {
  const parsed = Input.safeParse(input);
  if (!parsed.success) return [];
  const all = [parsed.data, ...(parsed.data.also ?? [])];
  return all.map(({ question, options = [], multiple }, at) => ({
    question,
    options,
    ...(multiple === true && options.length > 0 ? { multiple } : {}),
    ...(all.length > 1 ? { place: { n: at + 1, of: all.length } } : {}),
  }));
}

async function ask(input: Input, ctx: ToolContext): Promise<Outcome> {
  const questions = questionsOf(input);
  const wrong = questions.map(problem).find((p) => p !== undefined);
  if (wrong !== undefined) return failed(wrong);
  const answers: string[] = [];
  for (const question of questions) {
    const answer = await ctx.askPerson(question);
    if (ctx.signal.aborted) return stopped();
    if (answer === undefined) return { ...done("Waiting for the person's answer."), status: "waiting" };
    answers.push(answer);
  }
  const pairs = questions.map(({ question }, at) => ({ question, answer: answers[at] ?? "" }));
  const words = pairs.length === 1 ? (answers[0] ?? "") : pairs.map((p) => `${p.question}\n→ ${p.answer}`).join("\n\n");
  return done(words, { details: pairs.length === 1 ? pairs[0] : { answers: pairs } });
}

function problem({ question, options }: PersonQuestion): string | undefined {
  if (question.trim() === "") return "question is empty.";
  const labels = options.map((o) => o.label.trim());
  if (labels.includes("")) return "An option has no label.";
  return new Set(labels).size < labels.length ? "Two options have the same label." : undefined;
}
