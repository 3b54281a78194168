import type { SessionEvent } from "../events/event.ts";
import { sumOf } from "../events/usage.ts";
import type { QueryResult, Session } from "./session.ts";

/** What the last answer of a message has to be: one JSON value that fits a JSON Schema. */
export interface AnswerSchema {
  /** The schema as one line of JSON. */
  readonly text: string;
  /** What is wrong with a value, in one line; undefined: it fits. */
  problem(value: unknown): string | undefined;
}

/** A file of a JSON Schema that can't be used: the person's to mend. */
export class SchemaError extends Error {
  override name = "SchemaError";
}

/** `answer`: the value. `unfit`: why the last try is none. Neither: the message did not come to its end. */
export type AnsweredResult = QueryResult & { answer?: { value: unknown }; unfit?: { tries: number; problem: string } };

/** Further tries after the first answer that does not fit. */
const TRIES = 3;
const MOST_CHARS = 100_000;

/** Reads a JSON Schema. @throws SchemaError with the file's name and what is wrong. */
export async function readAnswerSchema(json: string, file: string): Promise<AnswerSchema> {
  const schema = parsed(json, file);
  if (json.length > MOST_CHARS)
    throw new SchemaError(`${file}: more than ${MOST_CHARS} characters; the model has to read all of it`);
  // Large, and wanted by few.
  const { AjvJsonSchemaValidator } = await import("@modelcontextprotocol/client/validators/ajv");
  try {
    const check = new AjvJsonSchemaValidator().getValidator(schema);
    return {
      text: JSON.stringify(schema),
      problem: (value) => {
        const found = check(value);
        return found.valid ? undefined : (found.errorMessage ?? "it does not fit the schema").replace(/\s+/g, " ");
      },
    };
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    throw new SchemaError(`${file}: no JSON Schema that can be used: ${why}`, { cause: error });
  }
}

function parsed(json: string, file: string): Record<string, unknown> {
  let schema: unknown;
  try {
    schema = JSON.parse(json);
  } catch (error) {
    throw new SchemaError(`${file}: no JSON: ${error instanceof Error ? error.message : String(error)}`, {
      cause: error,
    });
  }
  if (typeof schema !== "object" || schema === null || Array.isArray(schema))
    throw new SchemaError(`${file}: a JSON Schema is an object in { }`);
  return schema as Record<string, unknown>;
}

/** What is said behind a message: with it, so that it is in the log and goes on with the session. */
export function schemaDemand({ text: schema }: AnswerSchema): string {
  return `When you are done, your last answer has to be one JSON value that fits this JSON Schema, with nothing before or behind it: a program reads it.\n${schema}`;
}

/**
 * Hands on a message's run; where its answer does not fit, the model is told why and asked again, a few times. What came of all tries is
 * summed up in the result.
 */
export async function* answering(
  run: AsyncGenerator<SessionEvent, QueryResult>,
  session: Pick<Session, "submit">,
  schema: AnswerSchema,
  signal: AbortSignal,
): AsyncGenerator<SessionEvent, AnsweredResult> {
  let result = yield* run;
  for (let tries = 1; ; tries++) {
    if (result.reason !== "done") return result;
    const read = jsonIn(result.text);
    const problem = "problem" in read ? read.problem : schema.problem(read.value);
    if (problem === undefined && "value" in read) return { ...result, answer: read };
    const why = problem ?? "";
    if (tries > TRIES || signal.aborted) return { ...result, unfit: { tries, problem: why } };
    const again = `That answer can't be used: ${why}. Answer once more, with one JSON value that fits the schema and nothing else.`;
    result = summed(result, yield* session.submit(again, signal));
  }
}

/** Of an answer that is JSON, as it is or in one fence. */
function jsonIn(words: string): { value: unknown } | { problem: string } {
  const bare = /^```(?:json)?\s*\n([^]*?)\n\s*```$/.exec(words.trim())?.[1] ?? words.trim();
  if (bare === "") return { problem: "it is empty" };
  try {
    return { value: JSON.parse(bare) as unknown };
  } catch (error) {
    return { problem: `it is no JSON (${error instanceof Error ? error.message.replace(/\s+/g, " ") : ""})` };
  }
}

function summed(before: QueryResult, now: QueryResult): QueryResult {
  return {
    ...now,
    turns: before.turns + now.turns,
    usage: sumOf(before.usage, now.usage),
    durationMs: before.durationMs + now.durationMs,
    denials: [...before.denials, ...now.denials],
  };
}
