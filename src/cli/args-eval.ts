import { type Command, InvalidArgumentError, Option } from "commander";
import type { RunWishes } from "../evals/new-run.ts";
import type { Mode } from "../events/effect.ts";
import { MODES } from "../events/mode.ts";

/** What measures an agent (V1–V3). */
export type EvalInvocation =
  | { verb: "eval-init"; folder: string }
  | { verb: "eval-run"; options: EvalRunOptions }
  | { verb: "eval-worker"; options: EvalWorkerOptions }
  | { verb: "eval-report"; options: EvalReportOptions }
  | { verb: "eval-compare"; options: EvalCompareOptions }
  | { verb: "eval-show"; trial: string; run: string };

export interface EvalRunOptions extends RunWishes {
  /** A suite's folder; none with `resume`. */
  suite?: string;
  resume?: string;
  /** `NAME=settings.json`; each is a run of its own. */
  variants: readonly string[];
  /** Trials at once, where they run here. */
  jobs?: number;
  /** Address of a Redis whose workers run them. */
  queue?: string;
  /** Model that judges rubrics. */
  rubric?: string;
  /** Share of trials that must pass. */
  atLeast?: number;
  json: boolean;
}

export interface EvalWorkerOptions {
  queue: string;
  jobs?: number;
}

export const REPORT_FORMATS = ["text", "json", "md", "html"] as const;
export type ReportFormat = (typeof REPORT_FORMATS)[number];

export interface EvalReportOptions {
  run: string;
  format: ReportFormat;
  /** Written new; without it stdout. */
  file?: string;
}

export interface EvalCompareOptions {
  a: string;
  b: string;
  delta?: number;
  format: ReportFormat;
  file?: string;
}

type Choose = (i: EvalInvocation) => void;

/** Adds `agent eval` with its verbs; `agent eval SUITE` is `agent eval run SUITE`. */
export function addEval(program: Command, choose: Choose): void {
  const evals = program.command("eval").description("measure the agent: run suites of tasks, report, compare");
  evals
    .command("init <folder>")
    .description("write a small suite that works into a new folder")
    .action((folder: string) => choose({ verb: "eval-init", folder }));
  addRun(evals, choose);
  evals
    .command("worker")
    .description("run trials that agent eval run --queue sends, on this machine, until Ctrl-C")
    .requiredOption("--queue <url>", "address of a Redis: redis://host:6379")
    .option("--jobs <n>", "trials at once", whole)
    .action((o: Record<string, unknown>) =>
      choose({
        verb: "eval-worker",
        options: { queue: o["queue"] as string, ...given<number>(o, "jobs", "jobs") },
      }),
    );
  evals
    .command("report [run]")
    .description('what a run came to: its id, the beginning of one, or "last"')
    .addOption(formatOption())
    .option("-o, --output <file>", "write it to a new file")
    .action((run: string | undefined, o: Record<string, unknown>) =>
      choose({ verb: "eval-report", options: { run: run ?? "last", ...outOf(o) } }),
    );
  evals
    .command("compare <run> <other>")
    .description("whether the other run is better, worse, or can't be told apart; paired by task")
    .option("--delta <share>", "margin of non-inferiority; counts as set beforehand only where the run has it", share)
    .addOption(formatOption())
    .option("-o, --output <file>", "write it to a new file")
    .action((a: string, b: string, o: Record<string, unknown>) =>
      choose({ verb: "eval-compare", options: { a, b, ...outOf(o), ...given<number>(o, "delta", "delta") } }),
    );
  evals
    .command("show <trial> [run]")
    .description("the trace of one trial, as TASK/N, of a run or of the last one")
    .action((trial: string, run: string | undefined) => choose({ verb: "eval-show", trial, run: run ?? "last" }));
}

function addRun(evals: Command, choose: Choose): void {
  const collect = (value: string, all: readonly string[] = []) => [...all, value];
  evals
    .command("run [suite]", { isDefault: true })
    .description("run a suite: each task several times, each time in a fresh copy")
    .option("--model <name>", "as for agent; or oracle, bungler, stochastic:p=0.7, which need no service")
    .addOption(new Option("--mode <mode>", "for all tasks, whatever they say").choices(MODES))
    .option("--trials <n>", "of each task", whole)
    .option("--only <task>", "a task or a tag (repeatable)", collect)
    .option("--variant <name=settings>", "settings to try out, a file or a folder (repeatable: a run each)", collect)
    .option("--seed <n>", "of the order, and of what a stochastic model draws", whole)
    .option("--delta <share>", "margin of non-inferiority for comparisons, such as 0.05", share)
    .option("--jobs <n>", "trials at once", whole)
    .option("--queue <url>", "let workers run them (agent eval worker), by way of this Redis: redis://host:6379")
    .option("--rubric <model>", "let this model judge rubrics")
    .option("--at-least <share>", "exit with 1 when fewer trials pass, such as 0.8", share)
    .option("--resume <run>", 'go on with a run that was stopped: its id, the beginning of one, or "last"')
    .option("--json", "a line of JSON for each trial, and the run at last", false)
    .addHelpText("after", EXITS)
    .action((suite: string | undefined, o: Record<string, unknown>) =>
      choose({
        verb: "eval-run",
        options: {
          only: (o["only"] ?? []) as string[],
          variants: (o["variant"] ?? []) as string[],
          json: o["json"] === true,
          ...(suite === undefined ? {} : { suite }),
          ...given<string>(o, "resume", "resume"),
          ...given<string>(o, "model", "model"),
          ...given<Mode>(o, "mode", "mode"),
          ...given<number>(o, "trials", "trials"),
          ...given<number>(o, "seed", "seed"),
          ...given<number>(o, "delta", "delta"),
          ...given<number>(o, "jobs", "jobs"),
          ...given<string>(o, "queue", "queue"),
          ...given<string>(o, "rubric", "rubric"),
          ...given<number>(o, "atLeast", "atLeast"),
        },
      }),
    );
}

const EXITS = `
Exit codes: 0 each trial has a verdict · 1 fewer passed than --at-least, or a log breaks its permission proof
  2 usage, settings or suite · 75 too much broke around the agent, or trials are left: --resume goes on · 128+n ended by a signal`;

function formatOption(): Option {
  return new Option("--format <format>", "how").choices(REPORT_FORMATS).default("text");
}

function outOf(o: Record<string, unknown>): { format: ReportFormat; file?: string } {
  return { format: o["format"] as ReportFormat, ...given<string>(o, "output", "file") };
}

function given<T>(o: Record<string, unknown>, from: string, to: string): { [k: string]: T } {
  return o[from] === undefined ? {} : { [to]: o[from] as T };
}

function whole(value: string): number {
  const n = Number(value);
  if (!Number.isSafeInteger(n) || n < 1) throw new InvalidArgumentError("it must be a whole number above 0.");
  return n;
}

function share(value: string): number {
  const n = Number(value);
  if (value.trim() === "" || !(n >= 0 && n <= 1))
    throw new InvalidArgumentError("it must be a share from 0 to 1, such as 0.05.");
  return n;
}
