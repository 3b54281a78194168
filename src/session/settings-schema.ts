import { z } from "zod";
import { Mode } from "../events/effect.ts";
import { RetrySettings } from "./retry-settings.ts";
import { HooksSetting } from "../hooks/schema.ts";
import { ServersSetting } from "../mcp/schema.ts";
import { PathPattern } from "../permissions/glob.ts";

const count = z.int().min(1).max(1_000_000_000);
const rules = z.array(z.string());
const globs = z
  .array(
    z.string().superRefine((text, context) => {
      try {
        new PathPattern(text);
      } catch (error) {
        context.addIssue({ code: "custom", message: error instanceof Error ? error.message : String(error) });
      }
    }),
  )
  .min(1)
  .max(200);
const minutes = z.number().positive().max(100_000);
const usd = z.number().positive();
const perMillion = z.number().min(0);
const rates = {
  input: perMillion,
  output: perMillion,
  cacheRead: perMillion,
  cacheWrite: perMillion,
  cacheWrite1h: perMillion.optional(),
};

/** What has to hold before a query is done (S9): a command, or files. */
const Check = z
  .strictObject({
    name: z.string().min(1).max(60).optional().describe("How it is named to you and the model"),
    command: z.string().min(1).optional().describe("Runs in the copy, without network; exit code 0 passes"),
    timeoutSeconds: z.number().positive().max(86_400).optional().describe("Ends the command; default 600"),
    when: globs.optional().describe("Runs only if a changed file fits one of these path patterns"),
    mustExist: globs.optional().describe("Each of these path patterns fits a file or folder"),
    mustNotChange: globs.optional().describe("No file that the session changed fits one of these path patterns"),
  })
  .superRefine(({ command, timeoutSeconds, when, mustExist, mustNotChange }, context) => {
    const kinds = [command, mustExist, mustNotChange].filter((kind) => kind !== undefined).length;
    if (kinds !== 1)
      context.addIssue({
        code: "custom",
        message: "a check has one of command, mustExist and mustNotChange; write one check for each",
      });
    else if (command === undefined && (timeoutSeconds !== undefined || when !== undefined))
      context.addIssue({ code: "custom", message: "timeoutSeconds and when are for a check with a command" });
  });

/** Keys that the machine's settings may lock; limits and rules that refuse count together with those of others. */
export const LOCKABLE = [
  "model",
  "fallbackModel",
  "retry",
  "baseUrl",
  "mode",
  "effort",
  "theme",
  "appendSystemPrompt",
  "checks",
  "prices",
  "models",
  "permissions.allow",
] as const;

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
    .string()
    .regex(/^[\w-]{1,40}$/, "the name of a theme: letters, digits, - and _")
    .optional()
    .describe("Colours of the screen: auto, a theme's name, or that of a file in themes/"),
  editor: z
    .strictObject({
      vim: z.boolean().optional().describe("true: the composer has the Vim keys (docs/screen.md); /vim switches them"),
      lastAnswer: z.boolean().optional().describe("true: Ctrl-G shows the last answer below the draft, as a comment"),
    })
    .optional()
    .describe("Where you write"),
  screen: z
    .strictObject({
      reducedMotion: z.boolean().optional().describe("true: a still sign and one step a second while it works"),
      afterStop: z
        .enum(["draft", "send"])
        .optional()
        .describe("What becomes of texts that wait when you stop it: back to where you write, or sent; default draft"),
      statusLine: z
        .strictObject({ command: z.string().min(1).max(4000) })
        .optional()
        .describe("Your own script for a second status row: facts as JSON on stdin, its first line is shown"),
    })
    .optional()
    .describe("What you see while it works"),
  terminal: z
    .strictObject({
      title: z.boolean().optional().describe("false: the window's title stays as it is"),
      progress: z.boolean().optional().describe("false: no progress in the window's tab or task bar"),
      notify: z
        .enum(["unfocused", "always", "never"])
        .optional()
        .describe("When a question, or the end of what took longer than 10 s, calls you; default unfocused"),
      notifyBy: z
        .enum(["auto", "bell", "osc9", "osc99", "osc777"])
        .optional()
        .describe("How; auto goes by the terminal"),
    })
    .optional()
    .describe("What the screen tells the terminal's window"),
  appendSystemPrompt: z.string().optional().describe("More instructions for the model"),
  memory: z
    .strictObject({
      notes: z.boolean().optional().describe("false: the model keeps no notes for later sessions (docs/memory.md)"),
    })
    .optional()
    .describe("What is known beside the conversation"),
  secrets: z
    .strictObject({
      mask: z.boolean().optional().describe("false: keys in files and outputs reach the model and the log as they are"),
    })
    .optional(),
  permissions: z
    .strictObject({
      allow: rules.optional().describe("Rules that spare a question, such as Bash(npm test) or Edit(src/**)"),
      ask: rules.optional().describe("Rules that demand a question"),
      deny: rules.optional().describe("Rules that refuse, such as Read(secrets/**)"),
      commands: z
        .enum(["after", "before"])
        .optional()
        .describe("before: ask before each command too, not only before its changes land"),
      disableBypass: z.boolean().optional().describe("true: --bypass is refused"),
    })
    .optional(),
  locked: z
    .array(z.enum(LOCKABLE))
    .optional()
    .describe("In the machine's settings alone: keys that no other file and no flag sets"),
  maxTurns: count.optional().describe("Turns for one message"),
  limits: z
    .strictObject({
      tokens: count.optional().describe("Tokens for one message"),
      usd: usd.optional().describe("Money for one message; needs prices"),
      minutes: minutes.optional().describe("Time for one message, without what you take to answer"),
      session: z
        .strictObject({
          turns: count.optional(),
          tokens: count.optional(),
          usd: usd.optional(),
          minutes: minutes.optional(),
        })
        .optional()
        .describe("The same for the whole session"),
      parallel: z.int().min(1).max(64).optional().describe("Calls that run side by side"),
      agentDepth: z
        .int()
        .min(0)
        .max(8)
        .optional()
        .describe("How deep sub-agents may start sub-agents; 0: none are started"),
      resultChars: z.int().min(1000).max(1_000_000).optional().describe("Characters of a result that reach the model"),
    })
    .optional(),
  compact: z
    .strictObject({
      at: z.number().min(10).max(95).optional().describe("Percent of the window at which it begins; default 50"),
      window: z
        .int()
        .min(10_000)
        .max(1_000_000_000)
        .optional()
        .describe("Tokens, where less than the model's are to be used"),
      auto: z.boolean().optional().describe("false: only /compact sums up"),
      policy: z
        .enum(["summary", "handoff"])
        .optional()
        .describe("A summary ahead of the last turns, or a fresh start from a handoff file; default summary"),
    })
    .optional()
    .describe("How a long conversation is made shorter (docs/context.md)"),
  checks: z.array(Check).max(50).optional().describe("What has to hold before a message is done"),
  checkRounds: z
    .int()
    .min(0)
    .max(20)
    .optional()
    .describe("So often failed checks go back to the model before they come to you; default 3"),
  mcpServers: ServersSetting.optional().describe("Tool servers of yours (docs/mcp.md)"),
  hooks: HooksSetting.optional().describe("Your own programs, run at certain moments (docs/hooks.md)"),
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
      show: z
        .array(z.string().regex(/^(\/|~\/)/, "an absolute path, or one that begins with ~/"))
        .max(50)
        .optional()
        .describe("Files and folders beside the project that commands may read, at their own paths (docs/copy.md)"),
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
  for (const step of path) here = typeof step === "number" ? itemsOf(here) : propertiesOf(here)[String(step)];
  return Object.keys(propertiesOf(here));
}

function itemsOf(schema: unknown): unknown {
  return z.object({ items: z.unknown() }).safeParse(schema).data?.items;
}

function propertiesOf(schema: unknown): Record<string, unknown> {
  const found = z.object({ properties: z.record(z.string(), z.unknown()) }).safeParse(schema);
  return found.success ? found.data.properties : {};
}
