import { withoutHalves } from "../util/halves.ts";
import { LogBody } from "./event.ts";
import { LogError } from "./log-error.ts";

/** How deep a value of an event may be nested; JSON.stringify would overflow the stack some thousand levels further. */
export const MAX_DEPTH = 500;

/**
 * A copy of an event's body as it will read when it comes back from its line: plain JSON values, nothing undefined, only fields of the
 * schema, no half of a surrogate pair, which other readers of the log would choke on. So the fold of a running session equals the fold of its loaded log. Strings are shared, not copied. Throws for what is no
 * event.
 */
export function canonicalBody(body: LogBody): LogBody {
  const parsed = LogBody.safeParse(plain(body, 0));
  if (parsed.success) return parsed.data;
  const issue = parsed.error.issues[0];
  const where = `${String(body.type)}.${issue?.path.join(".") ?? ""}`;
  throw new LogError("invalid", "", `An event can't be recorded: ${where}: ${issue?.message ?? "not valid"}.`);
}

/** True when a value is nested deeper than `room`; without it, when an input of the model's is too deep for an event to hold. */
export function tooDeep(value: unknown, room = MAX_DEPTH - 10): boolean {
  if (typeof value !== "object" || value === null) return false;
  return room === 0 || Object.values(value).some((v) => tooDeep(v, room - 1));
}

function plain(value: unknown, depth: number): unknown {
  if (depth > MAX_DEPTH) {
    throw new LogError(
      "invalid",
      "",
      `An event can't be recorded: a value is nested more than ${MAX_DEPTH} levels deep.`,
    );
  }
  switch (typeof value) {
    case "object":
      return value === null ? null : plainObject(value, depth);
    case "number":
      return Number.isFinite(value) ? value + 0 : null;
    case "string":
      return withoutHalves(value);
    case "boolean":
      return value;
    case "bigint":
      throw new LogError("invalid", "", "An event can't be recorded: it holds a bigint.");
    case "undefined":
    case "function":
    case "symbol":
      return undefined;
  }
}

function plainObject(value: object, depth: number): unknown {
  if ("toJSON" in value && typeof value.toJSON === "function") return plain(value.toJSON(), depth + 1);
  if (Array.isArray(value)) return value.map((v) => plain(v, depth + 1) ?? null);
  // fromEntries defines properties, so a key named __proto__ is a key like any other.
  return Object.fromEntries(
    Object.entries(value).flatMap(([key, v]) => {
      const kept = plain(v, depth + 1);
      return kept === undefined ? [] : [[withoutHalves(key), kept]];
    }),
  );
}
