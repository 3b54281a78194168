import { z } from "zod";

type Json = z.core.JSONSchema.BaseSchema;

/**
 * JSON Schema of a tool's input, byte for byte what `z.toJSONSchema` gives, less bounds that nobody would cross and that no
 * other key is taken: the call itself tells who does, and each would be paid for with every request.
 *
 * Zod's own conversion took a quarter of a one-shot's processor time for our sixteen tools: it has to see what refers to
 * what before it can write anything. Ours are plain trees, so one walk is enough; what it doesn't know goes Zod's way.
 */
export function inputSchema(input: z.ZodType): Json {
  return walked(input) ?? byZod(input);
}

/** As Zod tells it. */
export function byZod(input: z.ZodType): Json {
  const { $schema: _, ...schema } = z.toJSONSchema(input, { io: "input", override: withoutBounds });
  return schema;
}

function withoutBounds({ jsonSchema: schema }: { jsonSchema: Json }): void {
  if (schema.maximum === Number.MAX_SAFE_INTEGER) delete schema.maximum;
  if (typeof schema.minimum === "number" && schema.minimum <= 1) delete schema.minimum;
  if (schema.additionalProperties === false) delete schema.additionalProperties;
  delete schema.minLength;
  delete schema.minItems;
}

/** One walk, keys in Zod's order; undefined where there is a kind, a check or a word about it that isn't written here. */
function walked(schema: z.core.$ZodType): Json | undefined {
  const { description, ...more } = z.globalRegistry.get(schema) ?? {};
  const { def } = (schema as z.core.$ZodTypes)._zod;
  const bounds = boundsOf(def.checks ?? []);
  if (Object.keys(more).length > 0 || bounds === undefined) return undefined;
  const said = description === undefined ? {} : { description };
  if (def.type === "optional") {
    const inner = walked(def.innerType);
    return inner && { ...said, ...inner, ...said };
  }
  const own = plain(def, bounds);
  return own && { ...own, ...said };
}

interface Bounds {
  most?: number;
  least?: number;
}

/** undefined: checks that say more than a bound. What an object's own check wants is no part of its schema. */
function boundsOf(checks: readonly z.core.$ZodCheck<never>[]): Bounds | undefined {
  const bounds: Bounds = {};
  for (const check of checks) {
    const { def } = (check as unknown as z.core.$ZodChecks)._zod;
    // The tightest of several counts.
    if (def.check === "max_length") bounds.most = Math.min(def.maximum, bounds.most ?? Infinity);
    else if (def.check === "less_than" && def.inclusive)
      bounds.most = Math.min(Number(def.value), bounds.most ?? Infinity);
    else if (def.check === "greater_than" && def.inclusive)
      bounds.least = Math.max(Number(def.value), bounds.least ?? -Infinity);
    else if (def.check !== "min_length" && String(def.check) !== "custom") return undefined;
  }
  return bounds;
}

function plain(def: z.core.$ZodTypes["_zod"]["def"], { most, least }: Bounds): Json | undefined {
  switch (def.type) {
    case "string":
      return "format" in def ? undefined : { type: "string", ...(most === undefined ? {} : { maxLength: most }) };
    case "number":
      if (!("format" in def) || def.format !== "safeint") return undefined;
      return {
        type: "integer",
        ...(least === undefined || least <= 1 ? {} : { minimum: least }),
        ...(most === undefined ? {} : { maximum: most }),
      };
    case "boolean":
      return { type: "boolean" };
    case "enum":
      return Object.values(def.entries).every((one) => typeof one === "string")
        ? { type: "string", enum: Object.values(def.entries) }
        : undefined;
    case "array": {
      const items = walked(def.element);
      return items && { ...(most === undefined ? {} : { maxItems: most }), type: "array", items };
    }
    case "union": {
      const anyOf = def.options.map(walked);
      return def.options.length === 0 || def.inclusive === false || !whole(anyOf) ? undefined : { anyOf };
    }
    case "object":
      return object(def);
    default:
      return undefined;
  }
}

function object({ shape, catchall }: z.core.$ZodObjectDef): Json | undefined {
  if (catchall !== undefined && (catchall as z.core.$ZodTypes)._zod.def.type !== "never") return undefined;
  const values = Object.values(shape).map(walked);
  if (!whole(values)) return undefined;
  const names = Object.keys(shape);
  const required = names.filter((name) => shape[name]?._zod.optin === undefined);
  const properties = Object.fromEntries(names.map((name, i) => [name, values[i] ?? {}]));
  return { type: "object", properties, ...(required.length === 0 ? {} : { required }) };
}

function whole(all: readonly (Json | undefined)[]): all is Json[] {
  return !all.includes(undefined);
}
