import { describe, expect, it } from "vitest";
import { z } from "zod";
import { byZod, inputSchema } from "../../../src/context/input-schema.ts";
import { builtinTools } from "../../../src/tools/builtin.ts";

const inner = z.strictObject({ a: z.string().min(1).max(9).describe("first"), b: z.int().min(5).max(9).optional() });
const SCHEMAS = {
  "nested, with words about them": z.strictObject({
    list: z.array(inner).min(1).max(3).describe("all"),
    one: inner.optional().describe("or one"),
  }),
  "a word inside and outside of an optional": z.strictObject({
    a: z.string().describe("in").optional().describe("out"),
    b: z.boolean().describe("in").optional(),
  }),
  "a word before a bound": z.strictObject({
    a: z.string().describe("said").max(3),
    b: z.array(z.string()).describe("said").max(2),
  }),
  "unions and enums": z.strictObject({
    a: z.union([z.boolean(), z.array(z.string()).max(2)]),
    b: z.enum(["x", "y"]).optional(),
  }),
  "no key at all": z.strictObject({}),
  "open objects": z.looseObject({ a: z.string() }),
  "plain objects": z.object({ a: z.string() }),
  "a checked object": z.strictObject({ a: z.string() }).refine(() => true),
  "kinds that the walk doesn't know": z.strictObject({
    a: z.record(z.string(), z.number()),
    b: z.literal(1),
    c: z.unknown(),
    d: z.string().nullable(),
  }),
  "formats and patterns": z.strictObject({
    a: z.url(),
    b: z.string().regex(/x/),
    c: z.number().gt(2),
    d: z.int().lt(7),
    e: z.string().length(2),
  }),
  "defaults and more than a description": z.strictObject({
    a: z.string().default("x"),
    b: z.string().meta({ title: "t" }),
  }),
  "one schema in two places": z.strictObject({ a: inner, b: inner }),
  "itself inside": z.strictObject({
    get again() {
      return z.array(z.string());
    },
  }),
};

describe("the schema of an input", () => {
  it.each(builtinTools.map((tool) => [tool.name, tool.input] as const))(
    "%s: byte for byte as Zod tells it",
    (_, input) => {
      expect(JSON.stringify(inputSchema(input))).toBe(JSON.stringify(byZod(input)));
    },
  );
  it.each(Object.entries(SCHEMAS))("%s: byte for byte as Zod tells it", (_, input) => {
    expect(JSON.stringify(inputSchema(input))).toBe(JSON.stringify(byZod(input)));
  });
});
