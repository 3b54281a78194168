import type { ElicitRequestFormParams, ElicitResult } from "@modelcontextprotocol/client";
import { z } from "zod";
import type { PersonQuestion } from "../tools/tool.ts";
import type { Elicit } from "./server.ts";
import { bounded } from "./server-tool.ts";

/** Questions of one call: more would wear the person down. */
const MOST_ASKED = 3;
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
 * nobody can answer, and from the fourth in a call on; "no" and an empty answer to what is needed decline as well.
 */
export function elicitor(server: string, ask: (question: PersonQuestion) => Promise<string | undefined>): Elicit {
  let asked = 0;
  return async (request: ElicitRequestFormParams): Promise<ElicitResult> => {
    if (++asked > MOST_ASKED) return { action: "decline" };
    const fields = Object.entries(request.requestedSchema.properties);
    const required = new Set(request.requestedSchema.required ?? []);
    if (fields.length > MOST_FIELDS) return { action: "decline" };
    const message = `The server ${server} asks: ${oneLine(request.message, 1000)}`;
    if (fields.length === 0)
      return yesOrNo(await ask({ question: message, options: [{ label: "yes" }, { label: "no" }] }));
    const content = new Map<string, string | number | boolean>();
    for (const [at, [name, given]] of fields.entries()) {
      const field = Field.safeParse(given).data ?? {};
      const answer = await ask(questionOf(message, name, field, { n: at + 1, of: fields.length }, required.has(name)));
      if (answer === undefined) return { action: "decline" };
      const value = valueOf(answer.trim(), field);
      if (required.has(name) && (value === undefined || isRefusal(answer, field))) return { action: "decline" };
      if (value !== undefined) content.set(name, value);
    }
    return { action: "accept", content: Object.fromEntries(content) };
  };
}

function yesOrNo(answer: string | undefined): ElicitResult {
  return /^(y|yes)$/i.test(answer?.trim() ?? "") ? { action: "accept", content: {} } : { action: "decline" };
}

/** A "no" that is none of the answers that the field has. */
function isRefusal(answer: string, field: Field): boolean {
  return /^no$/i.test(answer.trim()) && choicesOf(field).length === 0;
}

/** A server's words, which must not look like rows of the program's own. */
function oneLine(words: string, most: number): string {
  return bounded(words.slice(0, most * 4).replaceAll(/\s+/g, " "), most);
}

function questionOf(
  message: string,
  name: string,
  field: Field,
  place: { n: number; of: number },
  required: boolean,
): PersonQuestion {
  const called = oneLine(field.title ?? name, 100);
  const about = field.description === undefined ? "" : ` (${oneLine(field.description, 300)})`;
  const choices = choicesOf(field);
  return {
    question: `${message}\n${called}${about}${required ? "" : ", empty for none"}`,
    options: choices.map(({ value, label }) => ({
      label: labelOf(value),
      ...(label === undefined ? {} : { description: oneLine(label, 200) }),
    })),
    ...(place.of > 1 ? { place } : {}),
  };
}

/** What a choice is shown and answered as. */
function labelOf(value: string): string {
  return oneLine(value, 100);
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
  if (choices.length > 0) return choices.find((choice) => choice === answer || labelOf(choice) === answer);
  if (field.type !== "number" && field.type !== "integer") return answer;
  const value = Number(answer);
  return Number.isFinite(value) && (field.type === "number" || Number.isInteger(value)) ? value : undefined;
}
