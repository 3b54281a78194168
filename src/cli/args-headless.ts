import { type Command, Option } from "commander";
import { FORMATS, type Format, INPUT_FORMATS, type InputFormat } from "../print/format.ts";

/** What programs give and take. */
export interface HeadlessFlags {
  format: Format;
  inputFormat: InputFormat;
  /** File of a JSON Schema, or the schema itself. */
  jsonSchema?: string;
  /** In the place of the built-in one. */
  systemPrompt?: string;
  appendSystemPrompt?: string;
  /** Of a new session. */
  sessionId?: string;
}

/** Adds the options with which programs talk to the program. */
export function addHeadless(program: Command): void {
  program
    .addOption(new Option("--output-format <format>", "for -p").choices(FORMATS).default("text"))
    .addOption(
      new Option("--input-format <format>", "stream-json: messages and answers on stdin, a line of JSON each")
        .choices(INPUT_FORMATS)
        .default("text"),
    )
    .option("--json-schema <file>", "the answer has to be JSON that fits this JSON Schema, and is checked")
    .option("--system-prompt <text>", "instead of the built-in instructions for the model")
    .option("--append-system-prompt <text>", "more instructions for the model")
    .option("--session-id <id>", "id of the new session: 8 to 64 letters, digits, - and _");
}

/** What was typed of it. */
export function headlessFlags(o: Record<string, unknown>): HeadlessFlags {
  const one = <K extends keyof HeadlessFlags>(key: K): Partial<Record<K, string>> =>
    typeof o[key] === "string" ? ({ [key]: o[key] } as Record<K, string>) : {};
  return {
    format: o["outputFormat"] as Format,
    inputFormat: o["inputFormat"] as InputFormat,
    ...one("jsonSchema"),
    ...one("systemPrompt"),
    ...one("appendSystemPrompt"),
    ...one("sessionId"),
  };
}
