import { z } from "zod";
import { Mode } from "../events/effect.ts";
import { EndReason } from "../events/event.ts";
import { Grader, Pattern } from "./grader-schema.ts";

const Id = z.string().regex(/^[A-Za-z0-9][A-Za-z0-9_-]{0,60}$/, "letters, digits, - and _, at most 61");

/** Limits of one trial. */
export const TrialLimits = z.strictObject({
  turns: z.number().int().positive().optional(),
  tokens: z.number().positive().optional(),
  usd: z.number().positive().optional(),
  minutes: z.number().positive().optional(),
});
export type TrialLimits = z.infer<typeof TrialLimits>;

const PermissionAnswer = z.strictObject({
  tool: z.string().optional(),
  /** A regular expression on what the call is about: a command, a path, a host; or on a path that it changes. */
  matching: Pattern.optional(),
  /** What it would do. */
  deletes: z.boolean().optional(),
  answer: z.enum(["allow", "deny"]),
  note: z.string().optional(),
});
type PermissionAnswer = z.infer<typeof PermissionAnswer>;
const every = (answer: "allow" | "deny"): PermissionAnswer[] => [{ answer }];
const Every = z.enum(["allow", "deny"]);

/** Who is asked in a trial. The first that fits answers; what none fits is denied. */
export const Answers = z.union([
  Every.transform((answer) => ({ permissions: every(answer), questions: [] })),
  z.strictObject({
    permissions: z.union([Every.transform(every), z.array(PermissionAnswer)]).default([]),
    /** Of the model's own questions (AskUser). One that none fits is not answered: the trial ends waiting. */
    questions: z.array(z.strictObject({ matching: Pattern.optional(), reply: z.string() })).default([]),
  }),
]);
export type Answers = z.infer<typeof Answers>;

/** Below the folder that it is said of, and not that folder itself. */
const Below = z
  .string()
  .refine((path) => !path.startsWith("/") && path.split("/").every((part) => !["", ".", ".."].includes(part)), {
    error: "a path below the repository's folder, such as node_modules",
  });

/** What the agent finds: a folder, a tarball, or a commit of a git repository; paths from the suite's folder on. */
export const Fixture = z.union([
  z.string().transform((folder) => ({ folder })),
  z.strictObject({ folder: z.string() }),
  z.strictObject({ tar: z.string() }),
  z.strictObject({
    git: z.string(),
    ref: z.string().default("HEAD"),
    path: z.string().optional(),
    /** What lies beside the repository's files and is in no commit: installed packages, say. */
    with: z.array(Below).optional(),
  }),
]);
export type Fixture = z.infer<typeof Fixture>;

/** What suite and task may both say; the task's word counts. */
const COMMON = {
  fixture: Fixture.optional(),
  /** Shell commands that finish the fixture, such as `git init`; run in a copy without network. */
  setup: z.string().optional(),
  mode: Mode.optional(),
  answers: Answers.optional(),
  limits: TrialLimits.optional(),
  /** What the project brings (skills, hooks, rules) is used as if the person trusted it. */
  trust: z.boolean().optional(),
};

export const TaskFile = z.strictObject({
  title: z.string().optional(),
  prompt: z.union([
    z
      .string()
      .min(1)
      .transform((text) => [text]),
    z.array(z.string().min(1)).min(1),
  ]),
  ...COMMON,
  /** How the work may end. Any other end, a limit above all, is a failure by itself. */
  ends: z.array(EndReason).min(1).default(["done", "denied"]),
  tags: z.array(z.string()).default([]),
  /** A commit of the fixture's repository in which the work is done: what `--model oracle` does where there is no `oracle.yaml`. */
  solution: z.string().min(1).optional(),
  /** A folder of files that are put over the agent's only when it is graded. */
  hidden: z.string().optional(),
  /** How often the stochastic model solves it, 0 to 1. */
  p: z.number().min(0).max(1).optional(),
  graders: z.array(Grader).min(1),
});
export type TaskFile = z.infer<typeof TaskFile>;

export const SuiteFile = z.strictObject({
  name: Id,
  description: z.string().optional(),
  /** Of each task. */
  trials: z.number().int().positive().default(5),
  seed: z.number().int().nonnegative().optional(),
  /** The margin of non-inferiority for comparisons, a share of 1, set before the run. */
  delta: z.number().min(0).max(1).optional(),
  maxInfraShare: z.number().min(0).max(1).default(0.1),
  ...COMMON,
  /** Tasks here, by id; more in `tasks/<id>/task.yaml`. */
  tasks: z.record(Id, TaskFile).default({}),
});
export type SuiteFile = z.infer<typeof SuiteFile>;
