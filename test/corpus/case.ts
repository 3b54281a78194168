import { readFileSync } from "node:fs";
import { z } from "zod";

/** What a case of `security.jsonl` can come to. */
export const Outcome = z.enum(["allow", "contained", "ask", "deny", "error", "sanitised"]);
export type Outcome = z.infer<typeof Outcome>;
const Answer = z.enum(["no", "yes", "always", "always-host"]);
export type CaseAnswer = z.infer<typeof Answer>;
const Input = z.unknown();
const Call = z.strictObject({ tool: z.string(), input: Input, answer: Answer.optional() });
const Before = z.union([Call, z.strictObject({ shell: z.string() }), z.strictObject({ trust: z.boolean() })]);
const words = z.array(z.string());
const Check = z.strictObject({
  host: words.optional(),
  result_lacks: words.optional(),
  model_lacks: words.optional(),
  screen_lacks: words.optional(),
  screen_has: words.optional(),
  trace_lacks: words.optional(),
  cmdline_lacks: words.optional(),
  file_lacks: words.optional(),
  file_mode: z.string().optional(),
  dir_mode: z.string().optional(),
  listener_hits: z.number().optional(),
  agent_alive: z.boolean().optional(),
  no_question: z.boolean().optional(),
  one_record: z.boolean().optional(),
  gone: z.boolean().optional(),
  earlier_records: z.unknown().optional(),
  max_seconds: z.number().optional(),
  max_result_chars: z.number().optional(),
  max_screen_chars: z.number().optional(),
  max_rss_growth_mb: z.number().optional(),
  max_marks: z.number().optional(),
});
export type Check = z.infer<typeof Check>;
const User = z.strictObject({
  typeahead: z.string().optional(),
  paste: z.string().optional(),
  tty: z.boolean().optional(),
  answers: z.array(Answer).optional(),
});

/** One line of `security.jsonl`. What the schema doesn't know is never run, so it is never right. */
export const SecurityCase = z.strictObject({
  id: z.string(),
  area: z.string(),
  mode: z.enum(["plan", "ask", "auto"]),
  tool: z.string(),
  input: Input,
  setup: words,
  expect: Outcome,
  why: z.string(),
  also_ok: z.array(Outcome).default([]),
  check: Check.default({}),
  answer: Answer.default("no"),
  before: z.array(Before).default([]),
  during: words.default([]),
  user: User.default({}),
  needs: words.default([]),
  platform: words.optional(),
  tier: z.enum(["core", "stretch"]).optional(),
  policy: z.string().optional(),
});
export type SecurityCase = z.infer<typeof SecurityCase>;

/** One line of `field-reports.jsonl`. */
export const FieldReport = z.looseObject({
  id: z.string(),
  area: z.string(),
  symptom: z.string(),
  setup: words,
  action: z.looseObject({ kind: z.string(), calls: z.array(z.unknown()).optional() }),
  expect: z.string(),
  check: words.optional(),
});
export type FieldReport = z.infer<typeof FieldReport>;

/** A line of a corpus file: a case of either kind, or why it is none. */
export type Line =
  | { kind: "security"; case: SecurityCase }
  | { kind: "field"; report: FieldReport }
  | { kind: "unknown"; id: string; area: string; why: string };

/** All lines of a file. Throws only where the file can't be read. */
export function readCorpus(file: string): Line[] {
  const lines = readFileSync(file, "utf8").split("\n");
  return lines.flatMap((text, at) => (text.trim() === "" ? [] : [lineOf(text, at + 1)]));
}

function lineOf(text: string, at: number): Line {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return { kind: "unknown", id: `line ${at}`, area: "unknown", why: "no JSON" };
  }
  const report = FieldReport.safeParse(value);
  if (report.success) return { kind: "field", report: report.data };
  const parsed = SecurityCase.safeParse(value);
  if (parsed.success) return { kind: "security", case: parsed.data };
  const named = z.looseObject({ id: z.string(), area: z.string() }).safeParse(value);
  const issue = parsed.error.issues[0];
  const why = `unknown shape: ${issue?.path.join(".") ?? ""} ${issue?.message ?? ""}`.replace("  ", " ");
  return named.success
    ? { kind: "unknown", id: named.data.id, area: named.data.area, why }
    : { kind: "unknown", id: `line ${at}`, area: "unknown", why };
}

export interface Choice {
  area?: string;
  id?: string;
}

export function chosen(lines: readonly Line[], { area, id }: Choice): Line[] {
  return lines.filter((line) => {
    const named = nameOf(line);
    return (area === undefined || named.area === area) && (id === undefined || named.id === id);
  });
}

export function nameOf(line: Line): { id: string; area: string } {
  if (line.kind === "security") return line.case;
  return line.kind === "field" ? line.report : line;
}

/** Whether a case may start the program itself, from `dist/`. */
export function startsProgram(line: Line): boolean {
  if (line.kind !== "security") return line.kind === "field";
  const { tool, user, input } = line.case;
  const keys = user.typeahead !== undefined || user.paste !== undefined;
  return tool === "Startup" || keys || (tool === "Store" && JSON.stringify(input).includes("crash_report"));
}

/** By time or memory. */
export function isMeasured(line: Line): boolean {
  if (line.kind === "field") return line.report.area === "bash";
  if (line.kind !== "security") return false;
  const { check } = line.case;
  return check.max_rss_growth_mb !== undefined || check.max_seconds !== undefined;
}

/** Replaces the placeholders in every string of a value; other braces are ordinary text. */
export function filled<T>(value: T, names: Readonly<Record<string, string>>): T {
  if (typeof value === "string") return fill(value, names) as T;
  if (Array.isArray(value)) return value.map((item: unknown) => filled(item, names)) as T;
  if (value === null || typeof value !== "object") return value;
  const entries = Object.entries(value).map(([key, item]) => [key, filled(item, names)] as const);
  return Object.fromEntries(entries) as T;
}

function fill(text: string, names: Readonly<Record<string, string>>): string {
  return text.replace(/\{([A-Z_]+)\}|\{REPEAT:(.+?):(\d+)\}/gs, (all, name?: string, sign?: string, n?: string) =>
    name === undefined ? (sign ?? "").repeat(Number(n)) : (names[name] ?? all),
  );
}
