type Schema = Readonly<Record<string, unknown>>;

const MOST_DEPTH = 12;

function isObject(value: unknown): value is Schema {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** A field and what is wrong with it. */
export interface Wrong {
  path: readonly string[];
  problem: string;
}

/**
 * What of an input a tool's schema (as `acceptable` made it) surely refuses. Only what is plain is looked at, never a pattern of the
 * server's: the server has the last word. Pure, and bounded by the input.
 */
export function wrongIn(input: unknown, schema: Schema): Wrong[] {
  const found: Wrong[] = [];
  look(input, schema, [], found);
  return found;
}

function look(value: unknown, schema: Schema, path: readonly string[], found: Wrong[]): void {
  if (path.length > MOST_DEPTH) return;
  const problem = kindProblem(value, schema) ?? choiceProblem(value, schema);
  if (problem !== undefined) {
    found.push({ path, problem });
    return;
  }
  if (isObject(value)) lookInside(value, schema, path, found);
  const { items } = schema;
  if (Array.isArray(value) && isObject(items))
    value.forEach((item: unknown, n) => look(item, items, [...path, String(n)], found));
}

function lookInside(value: Schema, schema: Schema, path: readonly string[], found: Wrong[]): void {
  const { properties, required, additionalProperties, patternProperties } = schema;
  const fields = isObject(properties) ? properties : {};
  for (const name of Array.isArray(required) ? required : [])
    if (typeof name === "string" && !Object.hasOwn(value, name))
      found.push({ path: [...path, name], problem: "missing" });
  for (const [name, inner] of Object.entries(value)) {
    const field = Object.hasOwn(fields, name) ? fields[name] : undefined;
    if (isObject(field)) look(inner, field, [...path, name], found);
    else if (field === undefined && additionalProperties === false && patternProperties === undefined)
      found.push({
        path: [...path, name],
        problem: `no such field; the fields are ${Object.keys(fields).join(", ") || "none"}`,
      });
  }
}

function kindProblem(value: unknown, { type }: Schema): string | undefined {
  const kinds = (Array.isArray(type) ? type : [type]).filter((kind): kind is string => typeof kind === "string");
  if (kinds.length === 0 || kinds.some((kind) => isKind(value, kind))) return undefined;
  return `expected ${kinds.join(" or ")}, received ${kindOf(value)}`;
}

function isKind(value: unknown, kind: string): boolean {
  if (kind === "integer") return typeof value === "number" && Number.isInteger(value);
  if (["object", "array", "string", "number", "boolean", "null"].includes(kind)) return kindOf(value) === kind;
  // A kind that nobody knows is the server's own affair.
  return true;
}

function kindOf(value: unknown): string {
  return value === null ? "null" : Array.isArray(value) ? "array" : typeof value;
}

function choiceProblem(value: unknown, schema: Schema): string | undefined {
  const { enum: choices } = schema;
  if (!Array.isArray(choices) || typeof value === "object") return undefined;
  if (choices.includes(value)) return undefined;
  return `one of ${choices
    .slice(0, 20)
    .map((c) => JSON.stringify(c))
    .join(", ")}`;
}
