import { readFileSync } from "node:fs";
import { type AnswerSchema, readAnswerSchema, SchemaError } from "../session/answer-schema.ts";
import { UsageError } from "./usage-error.ts";

/** What `--json-schema` names: a file, or the schema itself. @throws UsageError where it can't be used. */
export async function typedSchema(given: string): Promise<AnswerSchema> {
  const itself = given.trim().startsWith("{");
  try {
    return await readAnswerSchema(itself ? given : readFileSync(given, "utf8"), itself ? "--json-schema" : given);
  } catch (error) {
    if (error instanceof SchemaError) throw new UsageError(error.message, { cause: error });
    const { code, message } = error as NodeJS.ErrnoException;
    const why = code === "ENOENT" ? "there is no such file" : message;
    throw new UsageError(`--json-schema ${given}: ${why}`, { cause: error });
  }
}
