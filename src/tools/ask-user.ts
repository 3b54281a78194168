import { z } from "zod";
import { done, failed, quiet } from "./outcome.ts";
import { defineTool, type Outcome, type ToolContext } from "./tool.ts";

const Input = z.strictObject({
  question: z.string(),
  options: z
    .array(z.strictObject({ label: z.string(), description: z.string().optional() }))
    .max(9)
    .optional()
    .describe("Choices; the person may always answer in own words"),
});
type Input = z.infer<typeof Input>;

/** Asks the person. With nobody there the query waits, without a process, for the answer (S6). */
export const askUserTool = defineTool<Input>({
  name: "AskUser",
  description: `Asks the person one question and waits for the answer. Use it when a decision is theirs and nothing in the folder answers it; not for permission (the program asks for that).
Example: {"question":"Keep the old config format readable?","options":[{"label":"Yes"},{"label":"No","description":"simpler code"}]}`,
  input: Input,
  subject: (input) => input.question,
  needs: () => Promise.resolve([]),
  parallel: () => false,
  last: true,
  run: (input, ctx) => quiet(() => ask(input, ctx)),
});

async function ask(input: Input, ctx: ToolContext): Promise<Outcome> {
  if (input.question.trim() === "") return failed("question is empty.");
  const answer = await ctx.askPerson({ question: input.question, options: input.options ?? [] });
  if (answer === undefined) return { ...done("Waiting for the person's answer."), status: "waiting" };
  return done(answer, { details: { question: input.question, answer } });
}
