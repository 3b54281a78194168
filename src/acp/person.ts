import type {
  CreateElicitationRequest,
  CreateElicitationResponse,
  ElicitationPropertySchema,
} from "@agentclientprotocol/sdk";
import { joinLabels } from "../tools/answer.ts";
import type { PersonQuestion } from "../tools/tool.ts";
import { sanitize } from "../util/visible.ts";

/** A question of the model's as a form of the editor's: its options, and room for other words. Pure. */
export function formOf(question: PersonQuestion, sessionId: string): CreateElicitationRequest {
  const { options, multiple = false, place, agent } = question;
  const who = agent === undefined ? "The model asks" : `The sub-agent ${agent} asks`;
  const which = place === undefined ? "" : ` (${place.n} of ${place.of})`;
  const own: ElicitationPropertySchema = {
    type: "string",
    title: options.length === 0 ? "Answer" : "Or in your own words",
  };
  const given = options.map(({ label, description }) => ({
    const: label,
    title: sanitize(description === undefined ? label : `${label}: ${description}`),
  }));
  const choice: ElicitationPropertySchema = multiple
    ? { type: "array", title: "Answer", items: { anyOf: given } }
    : { type: "string", title: "Answer", oneOf: given };
  return {
    mode: "form",
    sessionId,
    message: sanitize(`${who}${which}: ${question.question}`),
    requestedSchema: {
      type: "object",
      properties: options.length === 0 ? { words: own } : { choice, words: own },
      ...(options.length === 0 ? { required: ["words"] } : {}),
    },
  };
}

/** The answer; undefined where there is none, and the question stays open. Own words stand above a choice. */
export function answerIn(question: PersonQuestion, response: CreateElicitationResponse): string | undefined {
  if (response.action !== "accept") return undefined;
  const content: unknown = Reflect.get(response, "content");
  if (typeof content !== "object" || content === null) return undefined;
  const words: unknown = Reflect.get(content, "words");
  if (typeof words === "string" && words.trim() !== "") return words.trim();
  const choice: unknown = Reflect.get(content, "choice");
  const labels = new Set(question.options.map(({ label }) => label));
  const chosen = (Array.isArray(choice) ? choice : [choice]).filter((one): one is string => labels.has(one));
  return chosen.length === 0 ? undefined : joinLabels(chosen);
}
