import type { Command } from "commander";
import type { WorkState } from "../events/state.ts";
import type { RunOptions } from "./args.ts";
import { positive } from "./args-numbers.ts";

/** Long work over sessions (C8). */
export interface WorkInvocation {
  verb: "work";
  stage: WorkState["stage"];
  /** Of the first session: what is wanted. */
  wanted: string;
  /** At most so many, one feature each. */
  sessions: number;
  options: RunOptions;
}

export interface JudgeFlags {
  /** The agent that judges (C9). */
  judge?: string;
}

/** Flags of `agent` that both verbs take as well. */
const SHARED = new Set([
  "--output-format",
  "--mode",
  "--model",
  "--effort",
  "--fallback-model",
  "--max-turns",
  "--max-tokens-total",
  "--max-cost",
  "--max-time",
  "--allow",
  "--deny",
  "--trust-folder",
  "--judge",
]);

/** Adds `--judge`, `agent init-work` and `agent work`. Last of all, since both take flags that are the program's. */
export function addWork(
  program: Command,
  choose: (i: WorkInvocation) => void,
  runOptions: (words: readonly string[], o: Record<string, unknown>) => RunOptions,
): void {
  program.option(
    "--judge <agent>",
    "a second agent agrees on a contract, then judges the work by it: evaluator, or one of yours",
  );
  const shared = program.options.filter(({ long }) => SHARED.has(long ?? ""));
  const add = (name: string, about: string): Command => {
    const command = program.command(name).description(about);
    for (const option of shared) command.addOption(option);
    return command;
  };
  const options = (o: Record<string, unknown>): RunOptions => runOptions([], { mode: "auto", ...o, print: true });
  add("init-work <wanted...>", "begin work of several sessions: a list of features, each with its check").action(
    (words: string[], o: Record<string, unknown>) =>
      choose({ verb: "work", stage: "init", wanted: words.join(" "), sessions: 1, options: options(o) }),
  );
  add("work", "build the next feature of that list, in a session of its own")
    .option("--sessions <n>", "up to so many sessions, one after another", positive, 1)
    .action(({ sessions, ...o }: Record<string, unknown> & { sessions: number }) =>
      choose({ verb: "work", stage: "feature", wanted: "", sessions, options: options(o) }),
    );
}

export function judgeFlags(o: Record<string, unknown>): JudgeFlags {
  return typeof o["judge"] === "string" ? { judge: o["judge"] } : {};
}
