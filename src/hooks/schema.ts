import { z } from "zod";
import { matcherOf } from "./matcher.ts";
import { HOOK_EVENTS } from "./moment.ts";
import { PatternError } from "./pattern.ts";

const Matcher = z.string().superRefine((text, context) => {
  try {
    matcherOf(text);
  } catch (error) {
    if (!(error instanceof PatternError)) throw error;
    context.addIssue({ code: "custom", message: `no matcher: ${error.message}` });
  }
});

const Command = z.strictObject({
  type: z.literal("command"),
  command: z.string().min(1).describe("Run by a shell in the project's folder, with JSON on stdin"),
  timeout: z.number().positive().max(86_400).optional().describe("Seconds; default 60"),
  name: z.string().min(1).max(60).optional().describe("How it is named to you and the model"),
  inCopy: z.boolean().optional().describe("Runs in the copy, without network; what it changes is judged as any change"),
  statusMessage: z.string().optional(),
  async: z.boolean().optional().describe("Known and not used: it is waited for"),
});

const Group = z.strictObject({
  matcher: Matcher.optional().describe("Tool names (A|B), or a regular expression; without it all"),
  hooks: z.array(Command).max(50),
});

const groups = z.array(Group).max(100).optional();

/** The key `hooks` of a settings file: hooks by event, and how they are run. */
export const HooksSetting = z.strictObject({
  ...(Object.fromEntries(HOOK_EVENTS.map((event) => [event, groups])) as Record<
    (typeof HOOK_EVENTS)[number],
    typeof groups
  >),
  inCopy: z.boolean().optional().describe("All hooks run in the copy"),
  stopRounds: z
    .int()
    .min(1)
    .max(100)
    .optional()
    .describe("So often in one message Stop hooks send the model on; default 3"),
});
export type HooksSetting = z.infer<typeof HooksSetting>;

/** The same as other programs write it, of which only what is known here is used. */
export const ForeignGroup = z.object({
  matcher: z.string().optional(),
  hooks: z.array(
    z.object({
      type: z.string(),
      command: z.string().min(1).optional(),
      timeout: z.number().positive().optional(),
    }),
  ),
});
