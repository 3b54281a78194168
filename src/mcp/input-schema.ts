/** A JSON Schema as it comes from a server: anything. */
type Schema = Readonly<Record<string, unknown>>;

const MOST_DEPTH = 12;
/** Characters of a schema that the model is shown. */
const MOST_CHARS = 20_000;
/** Nodes that are looked at: a schema whose parts refer to each other can be any size once it is written out. */
const MOST_NODES = 4000;

function isSchema(value: unknown): value is Schema {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/**
 * A tool's input schema in a form that every service takes and every model reads: an object at its root, references written out, no deeper
 * than 12, 20,000 characters at most. What is left away makes it wider, never narrower: the server checks for itself.
 */
export function acceptable(given: unknown): Schema {
  const root = isSchema(given) ? given : {};
  const writer = new Writer(root);
  const flat = rooted(writer.write(root, 0, []));
  const object: Schema = {
    ...flat,
    type: "object",
    properties: isSchema(flat["properties"]) ? flat["properties"] : {},
  };
  for (const smaller of [(s: Schema) => s, withoutWords, shallow]) {
    const tried = smaller(object);
    if (JSON.stringify(tried).length <= MOST_CHARS) return tried;
  }
  return { type: "object", properties: {} };
}

/** Writes references out. Pure but for its count of nodes. */
class Writer {
  readonly #root: Schema;
  #nodes = 0;
  constructor(root: Schema) {
    this.#root = root;
  }

  write(node: unknown, depth: number, open: readonly string[]): Schema {
    if (!isSchema(node) || depth > MOST_DEPTH || ++this.#nodes > MOST_NODES) return {};
    const { $ref } = node;
    if (typeof $ref === "string") {
      const target = open.includes($ref) ? undefined : this.#find($ref);
      const { $ref: _, ...beside } = node;
      const inner = target === undefined ? {} : this.write(target, depth, [...open, $ref]);
      return { ...inner, ...this.#parts(beside, depth, open) };
    }
    return this.#parts(node, depth, open);
  }

  #parts(node: Schema, depth: number, open: readonly string[]): Schema {
    const out: Record<string, unknown> = {};
    for (const [key, value] of Object.entries(node)) {
      if (LEFT_OUT.has(key)) continue;
      if (MAPS.has(key)) {
        if (isSchema(value))
          out[key] = Object.fromEntries(
            Object.entries(value).map(([name, part]) => [name, this.write(part, depth + 1, open)]),
          );
      } else if (LISTS.has(key)) {
        if (Array.isArray(value)) out[key] = value.map((part: unknown) => this.write(part, depth + 1, open));
      } else if (PARTS.has(key)) {
        out[key] = isSchema(value) ? this.write(value, depth + 1, open) : value;
      } else out[key] = value;
    }
    return out;
  }

  /** References within the same schema alone: nothing is fetched. */
  #find(ref: string): unknown {
    if (ref === "#") return this.#root;
    if (!ref.startsWith("#/")) return undefined;
    let here: unknown = this.#root;
    for (const step of ref.slice(2).split("/")) {
      const key = decoded(step).replaceAll("~1", "/").replaceAll("~0", "~");
      here = isSchema(here) && Object.hasOwn(here, key) ? here[key] : undefined;
    }
    return here;
  }
}

function decoded(step: string): string {
  try {
    return decodeURIComponent(step);
  } catch {
    return step;
  }
}

const LEFT_OUT = new Set([
  "$schema",
  "$id",
  "$defs",
  "definitions",
  "$anchor",
  "$comment",
  "$dynamicRef",
  "$dynamicAnchor",
]);
const MAPS = new Set(["properties", "patternProperties", "dependentSchemas"]);
const LISTS = new Set(["anyOf", "oneOf", "allOf", "prefixItems"]);
const PARTS = new Set(["items", "additionalProperties", "not", "if", "then", "else", "contains", "propertyNames"]);

/** Choices at the root become one object with the fields of all; what every choice demands stays demanded. */
function rooted(schema: Schema): Schema {
  const { anyOf, oneOf, allOf, ...rest } = schema;
  const all = partsOf(allOf);
  const choices = [...partsOf(anyOf), ...partsOf(oneOf)];
  if (all.length + choices.length === 0) return rest;
  const properties: Record<string, unknown> = {};
  for (const part of [...choices, ...all, rest])
    for (const [name, field] of Object.entries(isSchema(part["properties"]) ? part["properties"] : {}))
      properties[name] ??= field;
  const demanded = [rest, ...all].flatMap(required);
  const common =
    choices.length === 0 ? [] : required(choices[0] ?? {}).filter((n) => choices.every((c) => required(c).includes(n)));
  const { additionalProperties: _, ...open } = rest;
  const names = [...new Set([...demanded, ...common])];
  return { ...open, properties, ...(names.length === 0 ? {} : { required: names }) };
}

function partsOf(value: unknown): Schema[] {
  return Array.isArray(value) ? value.map((part: unknown) => (isSchema(part) ? rooted(part) : {})) : [];
}

function required(schema: Schema): string[] {
  const { required: names } = schema;
  return Array.isArray(names) ? names.filter((n: unknown) => typeof n === "string") : [];
}

function withoutWords(schema: Schema): Schema {
  return JSON.parse(
    JSON.stringify(schema, (key, value: unknown) =>
      (key === "description" || key === "examples" || key === "title") && typeof value !== "object" ? undefined : value,
    ),
  ) as Schema;
}

/** Names and kinds of the fields alone. */
function shallow(schema: Schema): Schema {
  const fields = Object.entries(isSchema(schema["properties"]) ? schema["properties"] : {}).slice(0, 200);
  const properties = Object.fromEntries(
    fields.map(([name, field]) => [
      name,
      isSchema(field) && typeof field["type"] === "string" ? { type: field["type"] } : {},
    ]),
  );
  return { type: "object", properties, required: required(schema).filter((name) => Object.hasOwn(properties, name)) };
}
