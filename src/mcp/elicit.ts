import type { ElicitRequestFormParams, ElicitResult } from "@modelcontextprotocol/client";
import { z } from "zod";
import type { PersonQuestion } from "../tools/tool.ts";
import type { Elicit } from "./server.ts";
import { bounded } from "./server-tool.ts";

/** Fields of one form: more is no question between two steps. */
const MOST_FIELDS = 8;

const Field = z.looseObject({
  type: z.string().optional(),
  title: z.string().optional(),
  description: z.string().optional(),
  enum: z.array(z.string()).max(50).optional(),
  oneOf: z
    .array(z.looseObject({ const: z.string(), title: z.string().optional() }))
    .max(50)
    .optional(),
});
type Field = z.infer<typeof Field>;

/**
 * What a server wants to know in the middle of a call, asked of the person a field at a time and in the server's name. Declined where
 * nobody can answer; "no" and an empty answer to what is needed decline as well.
 */
export function elicitor(server: string, ask: (question: PersonQuestion) => Promise<string | undefined>): Elicit {
  return async (request: ElicitRequestFormParams): Promise<ElicitResult> => {
    const fields = Object.entries(request.requestedSchema.properties);
    const required = new Set(request.requestedSchema.required ?? []);
    if (fields.length > MOST_FIELDS) return { action: "decline" };
    const message = `The server ${server} asks: ${bounded(request.message, 1000)}`;
    if (fields.length === 0)
      return yesOrNo(await ask({ question: message, options: [{ label: "yes" }, { label: "no" }] }));
    const content: Record<string, string | number | boolean> = {};
    for (const [at, [name, given]] of fields.entries()) {
      const field = Field.safeParse(given).data ?? {};
      const answer = await ask(questionOf(message, name, field, { n: at + 1, of: fields.length }, required.has(name)));
      if (answer === undefined) return { action: "decline" };
      const value = valueOf(answer.trim(), field);
      if (value === undefined && required.has(name)) return { action: "decline" };
      if (value !== undefined) content[name] = value;
    }
    return { action: "accept", content };
  };
}

function yesOrNo(answer: string | undefined): ElicitResult {
  return /^(y|yes)$/i.test(answer?.trim() ?? "") ? { action: "accept", content: {} } : { action: "decline" };
}

function questionOf(
  message: string,
  name: string,
  field: Field,
  place: { n: number; of: number },
  required: boolean,
): PersonQuestion {
  const called = bounded(field.title ?? name, 100);
  const about = field.description === undefined ? "" : ` (${bounded(field.description, 300)})`;
  const choices = choicesOf(field);
  return {
    question: `${message}\n${called}${about}${required ? "" : ", empty for none"}`,
    options: choices.map(({ value, label }) => ({
      label: bounded(value, 100),
      ...(label === undefined ? {} : { description: bounded(label, 200) }),
    })),
    ...(place.of > 1 ? { place } : {}),
  };
}

function choicesOf({ type, enum: names, oneOf }: Field): { value: string; label?: string }[] {
  if (oneOf !== undefined)
    return oneOf.map((one) => ({ value: one.const, ...(one.title === undefined ? {} : { label: one.title }) }));
  if (names !== undefined) return names.map((value) => ({ value }));
  return type === "boolean" ? [{ value: "yes" }, { value: "no" }] : [];
}

/** The answer as the form wants it; undefined: none, or none that fits. */
function valueOf(answer: string, field: Field): string | number | boolean | undefined {
  if (answer === "") return undefined;
  const choices = choicesOf(field).map(({ value }) => value);
  if (field.type === "boolean")
    return /^(y|yes|true)$/i.test(answer) ? true : /^(n|no|false)$/i.test(answer) ? false : undefined;
  if (choices.length > 0) return choices.includes(answer) ? answer : undefined;
  if (field.type !== "number" && field.type !== "integer") return answer;
  const value = Number(answer);
  return Number.isFinite(value) && (field.type === "number" || Number.isInteger(value)) ? value : undefined;
}
