import { z } from "zod";
import { CallStatus } from "../events/event.ts";
import { JsonSchema } from "./json-schema.ts";

/** A regular expression of a suite's, in Unicode and line mode. */
export const Pattern = z.string().superRefine((text, ctx) => {
  try {
    new RegExp(text, "mu");
  } catch (error) {
    ctx.addIssue({ code: "custom", message: error instanceof Error ? error.message : "no regular expression" });
  }
});
const Texts = z.union([z.string().transform((text) => [text]), z.array(z.string()).min(1)]);
const Count = z.number().int().nonnegative();
/** What a text is to be. */
const TextIs = {
  equals: z.string().optional(),
  contains: Texts.optional(),
  lacks: Texts.optional(),
  matches: Pattern.optional(),
};

/** Exits 0 in a copy of the folder, hidden files added. */
const CommandGrader = z.strictObject({ command: z.string().min(1), timeout: z.number().positive().default(120) });
/** A file as the agent left it. `same`: as this file of the suite. `json`: it is JSON that fits this schema. */
const FileGrader = z.strictObject({
  file: z.string().min(1),
  ...TextIs,
  same: z.string().optional(),
  json: JsonSchema.optional(),
});
const AbsentGrader = z.strictObject({ absent: Texts });
/** The whole folder is as this one of the suite, `.git` aside. */
const FolderGrader = z.strictObject({ folder: z.string().min(1) });
/** No path beside these patterns differs from the fixture. */
const OnlyChangedGrader = z.strictObject({ onlyChanged: z.array(z.string()) });
/** Nothing that these patterns fit differs from the fixture. */
const UntouchedGrader = z.strictObject({ untouched: Texts });
/** none: nobody was asked anything. before: whatever landed had been asked about. A span: how many questions. */
const AskedGrader = z.strictObject({
  asked: z.union([z.enum(["none", "before"]), z.strictObject({ atLeast: Count.optional(), atMost: Count.optional() })]),
});
/** Counts calls that fit: of a tool, with a subject or input that matches, with an end. Without a span: at least one. */
const TraceGrader = z.strictObject({
  calls: z.strictObject({
    tool: z.string().optional(),
    matching: Pattern.optional(),
    status: CallStatus.optional(),
    atLeast: Count.optional(),
    atMost: Count.optional(),
  }),
});
/** At most so many turns. */
const TurnsGrader = z.strictObject({ turns: z.strictObject({ atMost: Count }) });
/** The last words of the model. */
const ReplyGrader = z.strictObject({ reply: z.strictObject(TextIs) });
/** Judged by a model, where the run asks for it. */
const RubricGrader = z.strictObject({ rubric: z.string().min(1) });

/** Each kind of grader by the key that names it. */
const KINDS = {
  command: CommandGrader,
  file: FileGrader,
  absent: AbsentGrader,
  folder: FolderGrader,
  onlyChanged: OnlyChangedGrader,
  untouched: UntouchedGrader,
  asked: AskedGrader,
  calls: TraceGrader,
  turns: TurnsGrader,
  reply: ReplyGrader,
  rubric: RubricGrader,
} as const;

export type CommandGrader = z.infer<typeof CommandGrader>;
export type FileGrader = z.infer<typeof FileGrader>;
export type TextIs = z.infer<typeof ReplyGrader>["reply"];
export type AskedGrader = z.infer<typeof AskedGrader>;
export type TraceGrader = z.infer<typeof TraceGrader>;
export type Grader = { [K in keyof typeof KINDS]: z.infer<(typeof KINDS)[K]> }[keyof typeof KINDS];

/** One grader; the message of a wrong one is about its own kind, not about all kinds. */
export const Grader = z.record(z.string(), z.unknown()).transform((value, ctx): Grader => {
  const kind = Object.keys(KINDS).find((key): key is keyof typeof KINDS => Object.hasOwn(value, key));
  if (kind === undefined) {
    ctx.addIssue({ code: "custom", message: `a grader is one of: ${Object.keys(KINDS).join(", ")}` });
    return z.NEVER;
  }
  const parsed = KINDS[kind].safeParse(value);
  if (parsed.success) return parsed.data;
  for (const issue of parsed.error.issues) {
    const keys = issue.code === "unrecognized_keys" ? issue.keys.slice(0, 1) : [];
    ctx.addIssue({ code: "custom", message: issue.message, path: [...issue.path, ...keys] });
  }
  return z.NEVER;
});
