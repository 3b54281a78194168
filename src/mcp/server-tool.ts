import { createHash } from "node:crypto";
import { z } from "zod";
import { sanitize } from "../util/visible.ts";
import type { ServerConfig } from "./config.ts";
import { lineOf } from "./config.ts";
import { acceptable } from "./input-schema.ts";
import { fullName, safeName } from "./names.ts";

/** Characters of a description that the model is shown. */
const MOST_WORDS = 2000;
/** Of all that a server says of one tool: what is larger is no tool. */
const MOST_SAID = 256 << 10;
/** Levels of a schema. */
const MOST_NESTED = 200;
/** Tools of one server. */
const MOST_TOOLS = 500;

/** A tool of a server's, made safe to name, to show and to ask about. */
export interface ServerTool {
  server: string;
  /** As it stands in `mcp__server__tool`. */
  name: string;
  full: string;
  /** As the server calls it. */
  given: string;
  /** Cleaned and bounded; still the server's words. */
  description: string;
  schema: Readonly<Record<string, unknown>>;
  /** SHA-256, hex, over all that the server says of the tool, and how the server is reached. */
  pin: string;
}

/** As loose as a list may be in which one wrong tool must not take the others along. */
const Given = z.looseObject({
  name: z.string(),
  description: z.string().nullish(),
  inputSchema: z.unknown().optional(),
});

/** The tools of a server's list, and what of it can't be used, a line each. */
export function toolsOf(
  list: readonly unknown[],
  config: ServerConfig,
  builtin: ReadonlySet<string>,
): { tools: ServerTool[]; problems: string[] } {
  const tools = new Map<string, ServerTool>();
  const problems = list.length > MOST_TOOLS ? [`it lists ${list.length} tools; the first ${MOST_TOOLS} are used`] : [];
  for (const given of list.slice(0, MOST_TOOLS)) {
    const made = toolOf(given, config, builtin);
    if (typeof made === "string") problems.push(made);
    else if (tools.has(made.name)) problems.push(`${shown(made.given)} is listed twice; the first one is used`);
    else tools.set(made.name, made);
  }
  return { tools: [...tools.values()], problems };
}

function toolOf(value: unknown, config: ServerConfig, builtin: ReadonlySet<string>): ServerTool | string {
  const read = Given.safeParse(value);
  if (!read.success) return unreadable(value);
  const { name: given, description, inputSchema } = read.data;
  const named = safeName(config.name, given, builtin);
  if (inputSchema === undefined || inputSchema === null) return `${shown(given)} is left out: it has no inputSchema`;
  if (isDeep(inputSchema))
    return `${shown(given)} is left out: its input is nested more than ${MOST_NESTED} levels deep`;
  if ("refused" in named) return `${shown(given)} is left out: ${named.refused}`;
  const said = JSON.stringify([description ?? "", inputSchema ?? null]);
  if (said.length > MOST_SAID)
    return `${shown(given)} is left out: what is said of it has ${said.length.toLocaleString("en")} characters, more than ${MOST_SAID.toLocaleString("en")}`;
  return {
    server: config.name,
    name: named.name,
    full: fullName(config.name, named.name),
    given,
    description: bounded(description ?? ""),
    schema: acceptable(inputSchema),
    pin: createHash("sha256")
      .update(sorted([lineOf(config), given, description ?? "", inputSchema]))
      .digest("hex"),
  };
}

function unreadable(value: unknown): string {
  const { name } = z.looseObject({ name: z.unknown().optional() }).safeParse(value).data ?? {};
  return typeof name === "string"
    ? `${shown(name)} is left out: its description is no text`
    : "a tool without a name is left out";
}

/** Level by level: what is nested a thousand times would end whoever looks at it by calling itself. */
function isDeep(value: unknown): boolean {
  let level: readonly unknown[] = [value];
  for (let n = 0; n <= MOST_NESTED && level.length > 0; n++)
    level = level.flatMap((one) => (typeof one === "object" && one !== null ? Object.values(one) : []));
  return level.length > 0;
}

/** Without what could steer a terminal, and not without end. */
export function bounded(words: string, most = MOST_WORDS): string {
  const clean = sanitize(words.slice(0, most * 4)).trim();
  return clean.length > most ? `${clean.slice(0, most).replace(/[\ud800-\udbff]$/, "")}…` : clean;
}

function shown(given: string): string {
  return JSON.stringify(bounded(given, 60));
}

/** JSON in which the order of keys does not count. */
function sorted(value: unknown): string {
  return JSON.stringify(value, (_key, inner: unknown) =>
    typeof inner === "object" && inner !== null && !Array.isArray(inner)
      ? Object.fromEntries(Object.entries(inner).toSorted(([a], [b]) => (a < b ? -1 : 1)))
      : inner,
  );
}
