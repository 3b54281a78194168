import { z } from "zod";
import type { Mode } from "../events/effect.ts";
import { done, failed, quiet, stopped } from "./outcome.ts";
import { defineTool, type Outcome, type PersonQuestion, type ToolContext } from "./tool.ts";

const Input = z.strictObject({ title: z.string().describe("The plan in one sentence") });
type Input = z.infer<typeof Input>;

const WAYS: readonly { label: string; description: string; mode?: Exclude<Mode, "plan"> }[] = [
  { label: "Go on, asking before changes", description: "mode ask", mode: "ask" },
  { label: "Go on in auto", description: "changes inside the rules land unasked, high risk asks", mode: "auto" },
  { label: "Keep planning", description: "or say in your own words what should be otherwise" },
];

/** Presents a plan, and goes on in the mode in which the person accepts it (P1). */
export const exitPlanTool = defineTool<Input>({
  name: "ExitPlan",
  description: `Asks the person whether to carry out your plan. Use it in plan mode alone, in a reply whose words hold the whole plan: files, steps, how you will check it. Not where nothing is to be changed.
Example: {"title":"Split parser.ts into lexer and parser, tests unchanged"}`,
  input: Input,
  subject: ({ title }) => questionFor(title).question,
  needs: () => Promise.resolve([]),
  parallel: () => false,
  last: true,
  run: (input, ctx) => quiet(() => ask(input, ctx)),
});

function questionFor(title: string): PersonQuestion {
  return {
    question: `Carry out this plan? ${title.replace(/\s+/g, " ").trim()}`,
    options: WAYS.map(({ label, description }) => ({ label, description })),
    consent: true,
  };
}

/** The question of a call, as it is asked; none of an input that the tool doesn't take. */
export function planQuestions(input: unknown): PersonQuestion[] {
  const parsed = Input.safeParse(input);
  return parsed.success ? [questionFor(parsed.data.title)] : [];
}

async function ask({ title }: Input, ctx: ToolContext): Promise<Outcome> {
  const mode = ctx.mode();
  if (mode !== "plan") return failed(`Mode is ${mode}, not plan: nobody has to be asked. Go on with the work.`);
  if (title.trim() === "") return failed("title is empty: say in one sentence what the plan comes to.");
  const question = questionFor(title);
  const answer = await ctx.askPerson(question);
  if (ctx.signal.aborted) return stopped();
  if (answer === undefined) return { ...done("Waiting for the person's answer."), status: "waiting" };
  const way = WAYS.find(({ label }) => label === answer.trim());
  const details = { question: question.question, answer };
  if (way?.mode !== undefined)
    return done(`The person accepts the plan. Mode is ${way.mode} from here on: carry it out.`, {
      details,
      mode: way.mode,
    });
  const words = way === undefined ? `\nThe person says: ${answer}` : "";
  return done(`The plan is not accepted, and the mode stays plan: change it, then ask again.${words}`, { details });
}
