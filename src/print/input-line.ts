import { z } from "zod";
import { DocumentBlock, ImageBlock, text, TextBlock, type ContentBlock } from "../events/block.ts";

const words = z.string().refine((value) => value.trim() !== "", "is empty");
const Block = z.discriminatedUnion("type", [
  z.strictObject(TextBlock.shape),
  ImageBlock.omit({ attached: true }).strict(),
  DocumentBlock.omit({ attached: true }).strict(),
]);
const Content = z.union([words, z.array(Block).min(1)]);

const Message = z.strictObject({
  type: z.literal("message"),
  content: Content.describe("What you say: a text, or blocks of the Messages API (text, image, document)"),
  when: z
    .enum(["next", "steer"])
    .optional()
    .describe("next (default): a message of its own, after those before it; steer: read behind the next results"),
});
/** As programs for other agents write a message. */
const User = z.looseObject({ type: z.literal("user"), message: z.looseObject({ content: Content }) });
const Answer = z.strictObject({
  type: z.literal("answer"),
  question_id: z.string().optional().describe("The question's; without it the model's oldest open question is meant"),
  text: words.optional().describe("To a question of the model's: words, an option's number, or several (1,3)"),
  allow: z.boolean().optional().describe("To a permission question, which question_id names"),
  note: z.string().optional().describe("Told to the model beside allow; a no with a note goes on, without one it ends"),
  remember: z
    .enum(["session", "always"])
    .optional()
    .describe("Saves the rule that the question offers; only with allow: true"),
});
const Interrupt = z.strictObject({ type: z.literal("interrupt").describe("Stops the message that runs") });

/** A line of standard input with `--input-format stream-json`. */
export const InputLine = z.discriminatedUnion("type", [Message, User, Answer, Interrupt]);

export type Said = { kind: "message"; content: readonly ContentBlock[]; steer: boolean };
export type Answered = { kind: "answer" } & Omit<z.infer<typeof Answer>, "type">;
export type Given = Said | Answered | { kind: "interrupt" };

/** Reads a line; `problem` says what is wrong with it. Pure. */
export function readLine(line: string): Given | { problem: string } {
  let value: unknown;
  try {
    value = JSON.parse(line);
  } catch (error) {
    return { problem: `no JSON: ${error instanceof Error ? error.message : String(error)}` };
  }
  const read = InputLine.safeParse(value);
  if (!read.success) {
    const [issue] = read.error.issues;
    const at = issue === undefined || issue.path.length === 0 ? "" : `${issue.path.map(String).join(".")}: `;
    return { problem: `${at}${issue?.message ?? "not understood"}` };
  }
  const { data } = read;
  switch (data.type) {
    case "message":
      return { kind: "message", content: blocks(data.content), steer: data.when === "steer" };
    case "user":
      return { kind: "message", content: blocks(data.message.content), steer: false };
    case "answer": {
      const { type: _, ...answer } = data;
      const problem = answerProblem(answer);
      return problem === undefined ? { kind: "answer", ...answer } : { problem };
    }
    case "interrupt":
      return { kind: "interrupt" };
  }
}

function blocks(content: z.infer<typeof Content>): readonly ContentBlock[] {
  return typeof content === "string" ? [text(content)] : content;
}

function answerProblem({ text: said, allow, note, remember, question_id: id }: Omit<Answered, "kind">) {
  if ((said === undefined) === (allow === undefined))
    return "an answer has either text (to the model) or allow: true or false (to a permission question)";
  if (allow === undefined && (note !== undefined || remember !== undefined)) return "note and remember go with allow";
  if (allow !== undefined && id === undefined) return "question_id is missing: a yes or no is to one question";
  return remember !== undefined && allow === false ? "remember goes with allow: true" : undefined;
}
