import { isDeepStrictEqual } from "node:util";
import { z } from "zod";
import { fits } from "./pattern.ts";

const TYPES = ["object", "array", "string", "number", "integer", "boolean", "null"] as const;
type TypeName = (typeof TYPES)[number];
const Count = z.number().int().nonnegative();
const TypeName = z.enum(TYPES);

/**
 * The part of JSON Schema that graders know. A keyword that is not here is an error of the suite's: one that was passed over would let
 * wrong files pass.
 */
export interface JsonSchema {
  type?: TypeName | TypeName[] | undefined;
  enum?: unknown[] | undefined;
  const?: unknown;
  properties?: Record<string, JsonSchema> | undefined;
  required?: string[] | undefined;
  additionalProperties?: JsonSchema | boolean | undefined;
  minProperties?: number | undefined;
  maxProperties?: number | undefined;
  items?: JsonSchema | undefined;
  minItems?: number | undefined;
  maxItems?: number | undefined;
  uniqueItems?: boolean | undefined;
  minLength?: number | undefined;
  maxLength?: number | undefined;
  pattern?: string | undefined;
  minimum?: number | undefined;
  maximum?: number | undefined;
  anyOf?: JsonSchema[] | undefined;
}

export const JsonSchema: z.ZodType<JsonSchema> = z.lazy(() =>
  z.strictObject({
    type: z.union([TypeName, z.array(TypeName)]).optional(),
    enum: z.array(z.unknown()).optional(),
    const: z.unknown().optional(),
    properties: z.record(z.string(), JsonSchema).optional(),
    required: z.array(z.string()).optional(),
    additionalProperties: z.union([z.boolean(), JsonSchema]).optional(),
    minProperties: Count.optional(),
    maxProperties: Count.optional(),
    items: JsonSchema.optional(),
    minItems: Count.optional(),
    maxItems: Count.optional(),
    uniqueItems: z.boolean().optional(),
    minLength: Count.optional(),
    maxLength: Count.optional(),
    pattern: z.string().optional(),
    minimum: z.number().optional(),
    maximum: z.number().optional(),
    anyOf: z.array(JsonSchema).optional(),
  }),
);

/** Where a value does not fit, and why: the first place. A keyword says nothing on values of other types, as in JSON Schema. */
export function schemaProblem(value: unknown, schema: JsonSchema, at = "$"): string | undefined {
  const types = schema.type === undefined ? undefined : [schema.type].flat();
  if (types?.some((type) => isOf(value, type)) === false) return `${at} is no ${types.join(" or ")}`;
  if (schema.enum?.some((one) => isDeepStrictEqual(one, value)) === false) return `${at} is none of the values allowed`;
  if (Object.hasOwn(schema, "const") && !isDeepStrictEqual(schema.const, value))
    return `${at} is not ${JSON.stringify(schema.const)}`;
  if (schema.anyOf?.some((one) => schemaProblem(value, one, at) === undefined) === false)
    return `${at} fits none of the schemas`;
  if (typeof value === "string") return textProblem(value, schema, at);
  if (typeof value === "number") return range(value, schema.minimum, schema.maximum, `${at}:`);
  if (Array.isArray(value)) return listProblem(value, schema, at);
  if (typeof value === "object" && value !== null) return objectProblem(value as Record<string, unknown>, schema, at);
  return undefined;
}

function isOf(value: unknown, type: TypeName): boolean {
  if (type === "null") return value === null;
  if (type === "array") return Array.isArray(value);
  if (type === "integer") return Number.isInteger(value);
  if (type === "object") return typeof value === "object" && value !== null && !Array.isArray(value);
  return typeof value === type;
}

function textProblem(value: string, schema: JsonSchema, at: string): string | undefined {
  if (schema.pattern !== undefined && !fits(schema.pattern, [value], { flags: "u" }))
    return `${at} does not match ${schema.pattern}`;
  return range(Array.from(value).length, schema.minLength, schema.maxLength, `${at}: length`);
}

function listProblem(value: unknown[], schema: JsonSchema, at: string): string | undefined {
  const size = range(value.length, schema.minItems, schema.maxItems, `${at}: items`);
  if (size !== undefined) return size;
  if (schema.uniqueItems === true && value.some((a, i) => value.slice(i + 1).some((b) => isDeepStrictEqual(a, b))))
    return `${at} has an item twice`;
  const { items } = schema;
  if (items === undefined) return undefined;
  return value.map((item, i) => schemaProblem(item, items, `${at}[${i}]`)).find((problem) => problem !== undefined);
}

function objectProblem(value: Record<string, unknown>, schema: JsonSchema, at: string): string | undefined {
  const keys = Object.keys(value);
  const missing = schema.required?.find((key) => !Object.hasOwn(value, key));
  if (missing !== undefined) return `${at}.${missing} is missing`;
  const size = range(keys.length, schema.minProperties, schema.maxProperties, `${at}: keys`);
  if (size !== undefined) return size;
  const { properties = {}, additionalProperties = true } = schema;
  for (const key of keys) {
    const below = Object.hasOwn(properties, key) ? properties[key] : additionalProperties;
    if (below === false) return `${at}.${key} is not allowed`;
    const problem =
      below === true || below === undefined ? undefined : schemaProblem(value[key], below, `${at}.${key}`);
    if (problem !== undefined) return problem;
  }
  return undefined;
}

function range(n: number, min = -Infinity, max = Infinity, what = ""): string | undefined {
  if (n < min) return `${what} ${n} is less than ${min}`;
  return n > max ? `${what} ${n} is more than ${max}` : undefined;
}
