import { z } from "zod";
import { Mode } from "../events/effect.ts";
import { RetrySettings } from "./retry-settings.ts";

const count = z.int().min(1).max(1_000_000_000);
const rules = z.array(z.string());
const perMillion = z.number().min(0);
const rates = {
  input: perMillion,
  output: perMillion,
  cacheRead: perMillion,
  cacheWrite: perMillion,
  cacheWrite1h: perMillion.optional(),
};

/** What a settings file may hold, user's, project's and the person's own for a project alike. Unknown keys are errors. */
export const SettingsFile = z.strictObject({
  $schema: z.string().optional(),
  folder: z.string().optional().describe("For people: the folder that this file's rules are for"),
  model: z.string().min(1).optional().describe("Model of a new session"),
  fallbackModel: z
    .string()
    .min(1)
    .optional()
    .describe("Stands in where the model can't be had, until your next message"),
  retry: RetrySettings.optional().describe("How long faults of the service that pass are put up with"),
  baseUrl: z
    .url({ protocol: /^https?$/ })
    .optional()
    .describe("A server that speaks the Messages API"),
  mode: Mode.optional().describe("Mode of a new session: plan, ask or auto"),
  effort: z.enum(["low", "medium", "high"]).optional().describe("How long the model thinks"),
  theme: z
    .enum(["auto", "dark", "light", "dark-ansi", "light-ansi", "mono"])
    .optional()
    .describe("Colours of the screen"),
  appendSystemPrompt: z.string().optional().describe("More instructions for the model"),
  permissions: z
    .strictObject({
      allow: rules.optional().describe("Rules that spare a question, such as Bash(npm test) or Edit(src/**)"),
      ask: rules.optional().describe("Rules that demand a question"),
      deny: rules.optional().describe("Rules that refuse, such as Read(secrets/**)"),
      commands: z
        .enum(["after", "before"])
        .optional()
        .describe("before: ask before each command too, not only before its changes land"),
    })
    .optional(),
  maxTurns: count.optional().describe("Turns for one message"),
  limits: z
    .strictObject({
      tokens: count.optional().describe("Tokens for one message"),
      usd: z.number().positive().optional().describe("Money for the session"),
      minutes: z.number().positive().max(100_000).optional().describe("Time for one message"),
      parallel: z.int().min(1).max(64).optional().describe("Calls that run side by side"),
      resultChars: z.int().min(1000).max(1_000_000).optional().describe("Characters of a result that reach the model"),
    })
    .optional(),
  bash: z
    .strictObject({
      timeoutSeconds: z.number().positive().max(86_400).optional().describe("Of a command that names none"),
      maxTimeoutSeconds: z.number().positive().max(86_400).optional().describe("The most that a command may name"),
      outputChars: z
        .int()
        .min(1000)
        .max(1_000_000)
        .optional()
        .describe("Characters of a command's output that reach the model"),
    })
    .optional(),
  prices: z
    .record(z.string(), z.strictObject({ ...rates, long: z.strictObject(rates).optional() }))
    .optional()
    .describe("USD per million tokens by the beginning of a model's name; long: of requests above 100,000 tokens"),
  models: z
    .record(
      z.string(),
      z.strictObject({
        contextWindow: count.optional(),
        maxOutput: count.optional(),
        thinking: z.enum(["adaptive", "budget", "none"]).optional(),
      }),
    )
    .optional()
    .describe("Limits in tokens by the beginning of a model's name, and how it takes effort"),
});
export type SettingsFile = z.infer<typeof SettingsFile>;

/** The published JSON Schema of a settings file (U7). */
export function settingsJsonSchema(): Record<string, unknown> {
  return z.toJSONSchema(SettingsFile, { io: "input" });
}

/** Keys that stand at a path of the schema, for "did you mean". */
export function knownKeys(path: readonly PropertyKey[]): string[] {
  let here: unknown = settingsJsonSchema();
  for (const step of path) here = propertiesOf(here)[String(step)];
  return Object.keys(propertiesOf(here));
}

function propertiesOf(schema: unknown): Record<string, unknown> {
  const found = z.object({ properties: z.record(z.string(), z.unknown()) }).safeParse(schema);
  return found.success ? found.data.properties : {};
}
