import { z } from "zod";
import { Mode } from "../events/effect.ts";
import { EndReason } from "../events/event.ts";
import { Usage } from "../events/usage.ts";

/** pass and fail are verdicts on the agent. infra is none: service, disk or grader broke, so it counts in no rate. */
export const Outcome = z.enum(["pass", "fail", "infra"]);
export type Outcome = z.infer<typeof Outcome>;

/** What one grader said. */
export const GraderResult = z.strictObject({
  /** As the suite names it, such as "file equals README.md". */
  name: z.string(),
  ok: z.boolean(),
  /** Why not; one line. Empty where it is ok. */
  text: z.string(),
  /** A rubric that a model judged: reported apart, with an interval of its own, and not in `outcome`. */
  rubric: z.boolean().optional(),
});
export type GraderResult = z.infer<typeof GraderResult>;

/** What changed in the folder while one mode held: files, in landed steps. */
export const Landed = z.strictObject({
  /** Files created, changed, renamed, and the like. */
  writes: z.number().int().nonnegative(),
  /** Of those, files in steps that nobody was asked about. */
  writesUnasked: z.number().int().nonnegative(),
  deletes: z.number().int().nonnegative(),
  /** Of those, deletes in steps that a question was asked about, and answered yes, before they landed. */
  deletesAsked: z.number().int().nonnegative(),
});
export type Landed = z.infer<typeof Landed>;

/** What the trial's log proves about permissions (V5). A mode is in `byMode` once something landed in it. */
export const PermissionFacts = z.strictObject({
  /** Questions, each once. */
  asked: z.number().int().nonnegative(),
  /** Verdicts that said no, whoever gave them. */
  denied: z.number().int().nonnegative(),
  byMode: z.partialRecord(Mode, Landed),
  /** Claims of `agent trace --verify` that don't hold: "high risk: event 12: …". Empty is the proof. */
  breaches: z.array(z.string()),
});
export type PermissionFacts = z.infer<typeof PermissionFacts>;

/** One line of `trials.jsonl`: one attempt at one trial of one task, finished. */
export const Trial = z.strictObject({
  v: z.literal(1),
  taskId: z.string(),
  /** 1 to k. */
  trial: z.number().int().positive(),
  /** As the run's header. */
  variant: z.string(),
  /** The mode that the session began in. */
  mode: Mode,
  outcome: Outcome,
  /** One line: what failed or broke. Empty for a pass. */
  reason: z.string(),
  graders: z.array(GraderResult),
  /** How its last query ended; "none" where it never began. */
  end: z.union([EndReason, z.literal("none")]),
  /** Turns: replies of the model. */
  steps: z.number().int().nonnegative(),
  calls: z.number().int().nonnegative(),
  tokens: Usage,
  /** Undefined where a price is not known. */
  usd: z.number().nonnegative().optional(),
  /** Of the work alone, without copying the fixture and grading. */
  durationMs: z.number().nonnegative(),
  /** ISO time. */
  startedAt: z.string(),
  /** 1 for the first; more after infrastructure faults. */
  attempt: z.number().int().positive(),
  permissions: PermissionFacts,
  /** The session's log, relative to the run's folder. Empty where there is none. */
  log: z.string(),
});
export type Trial = z.infer<typeof Trial>;

/** `run.json`: what was run. One run is one variant on one suite. */
export const RunHeader = z.strictObject({
  v: z.literal(1),
  /** Name of the run's folder. */
  id: z.string(),
  suite: z.string(),
  /** Absolute path of the suite's folder, so that the run can be gone on with. */
  suiteDir: z.string(),
  /** SHA-256, hex, over all files of the suite. Runs of different hashes are not the same suite. */
  suiteHash: z.string(),
  /** As `--model` takes it, or as the suite names it ("oracle", "bungler", "stochastic:p=0.7"). */
  model: z.string(),
  variant: z.string(),
  /** SHA-256, hex, over the variant's files; empty for the default one. */
  variantHash: z.string(),
  /** Where `--mode` stands above the tasks' own. */
  mode: Mode.optional(),
  seed: z.number().int().nonnegative(),
  /** Trials of each task. */
  k: z.number().int().positive(),
  /** Ids of the tasks that are run, in the suite's order. */
  tasks: z.array(z.strictObject({ id: z.string(), title: z.string(), tags: z.array(z.string()) })),
  /** The margin of non-inferiority, a share of 1, where one was set before the run. */
  delta: z.number().nonnegative().optional(),
  /** Above this share of attempts that broke, the run itself is a failure. */
  maxInfraShare: z.number().min(0).max(1),
  /** Understudy's version. */
  version: z.string(),
  /** ISO time at which it began. */
  date: z.string(),
});
export type RunHeader = z.infer<typeof RunHeader>;

/** A run as it is read back: each trial once, its last attempt (a pass or fail is never followed by another). */
export interface Run {
  /** Absolute. */
  dir: string;
  header: RunHeader;
  /** In order of task and trial. */
  trials: readonly Trial[];
  /** Attempts that broke, those that were tried again included. */
  infra: readonly Trial[];
  /** Trials that the header promises and that have no verdict yet. */
  missing: number;
}
