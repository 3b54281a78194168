import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import { AjvJsonSchemaValidator } from "@modelcontextprotocol/client/validators/ajv";
import { describe, expect, it } from "vitest";
import { readLine } from "../../../src/print/input-line.ts";

const folder = resolve(import.meta.dirname, "../../../schemas");
const published = (file: string) => JSON.parse(readFileSync(`${folder}/${file}`, "utf8")) as Record<string, unknown>;
/** undefined: it fits. */
const against = (file: string) => {
  const check = new AjvJsonSchemaValidator().getValidator(published(file));
  return (value: unknown) => check(value).errorMessage;
};

describe("the published schemas", () => {
  it("U7: settings that are right fit, with $schema and without; a wrong key or value does not", () => {
    const wrong = against("settings.json");
    expect(
      wrong({ $schema: "./settings.schema.json", mode: "plan", permissions: { deny: ["Read(.env)"] } }),
    ).toBeUndefined();
    expect(wrong({ mode: "sideways" })).toContain("mode");
    expect(wrong({ permisions: {} })).toContain("additional properties");
  });

  it("U2: what the schema of input lines takes, the program takes", () => {
    const wrong = against("stream-input.v1.json");
    const right = [
      { type: "message", content: "hi", when: "steer" },
      { type: "message", content: [{ type: "text", text: "hi" }] },
      { type: "user", message: { role: "user", content: "hi" }, session_id: "x" },
      { type: "answer", question_id: "q", allow: true, remember: "session" },
      { type: "interrupt" },
    ];
    expect(right.map(wrong)).toEqual(right.map(() => undefined));
    expect(right.filter((line) => "problem" in readLine(JSON.stringify(line)))).toEqual([]);
    expect(wrong({ type: "message" })).toBeDefined();
  });
});
