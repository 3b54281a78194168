import { Command, CommanderError, Option } from "commander";
import { Effort } from "../events/event.ts";
import type { WorkState } from "../events/state.ts";
import { MODES } from "../events/mode.ts";
import { addAcp, type AcpInvocation } from "./args-acp.ts";
import { addExport, addSessions, type SessionsInvocation } from "./args-sessions.ts";
import { addCompletion, type CompletionInvocation } from "./args-completion.ts";
import { addConfig, type ConfigInvocation } from "./args-config.ts";
import { addCost, type CostInvocation } from "./args-cost.ts";
import { addStats, type StatsInvocation } from "./args-stats.ts";
import { addEval, type EvalInvocation } from "./args-eval.ts";
import { addHeadless, type HeadlessFlags, headlessFlags } from "./args-headless.ts";
import { addImport, type ImportInvocation } from "./args-import.ts";
import { addKey, type KeyInvocation } from "./args-key.ts";
import { duration, positive } from "./args-numbers.ts";
import { addTrace, type TraceInvocation } from "./args-trace.ts";
import { addPending, type PendingInvocation } from "./args-land.ts";
import { addMcp, type McpFlags, mcpFlags, type McpInvocation } from "./args-mcp.ts";
import { addTrust, type TrustFlags, trustFlags, type TrustInvocation } from "./args-trust.ts";
import {
  addPermissionFlags,
  addPermissions,
  permissionFlags,
  promptBehindRules,
  type PermissionFlags,
  type PermissionsInvocation,
} from "./args-permissions.ts";
import { addWork, type JudgeFlags, judgeFlags, type WorkInvocation } from "./args-work.ts";
import { usageWords } from "./usage-words.ts";
import { nearCommand } from "./near-command.ts";

/** What the person asked for; each verb is a file of `cli/`. */
export type Invocation =
  | { verb: "run"; options: RunOptions }
  | SessionsInvocation
  | TraceInvocation
  | EvalInvocation
  | KeyInvocation
  | ImportInvocation
  | CostInvocation
  | ConfigInvocation
  | StatsInvocation
  | CompletionInvocation
  | PermissionsInvocation
  | TrustInvocation
  | McpInvocation
  | AcpInvocation
  | { verb: "undo"; options: UndoOptions }
  | { verb: "changes"; session?: string; step?: string; json: boolean }
  | PendingInvocation
  | WorkInvocation
  | { verb: "doctor" }
  | { verb: "demo" };

export interface UndoOptions {
  kind: "undo" | "redo";
  operation?: string;
  how: "alone" | "along" | "merge";
  dryRun: boolean;
  json: boolean;
}

export interface RunOptions extends PermissionFlags, TrustFlags, McpFlags, JudgeFlags, HeadlessFlags {
  prompt?: string;
  print: boolean;
  model?: string;
  effort?: Effort;
  fallbackModel?: string;
  maxTurns?: number;
  maxTokensTotal?: number;
  maxCost?: number;
  /** Milliseconds. */
  maxTime?: number;
  /** "" asks which. */
  resume?: string;
  continue: boolean;
  /** Goes on in a copy, whole or up to before the N-th message. */
  fork?: boolean;
  forkBefore?: number;
  /** One for each open question. */
  answers: readonly string[];
  addDirs: readonly string[];
  strict: boolean;
  plain: boolean;
  /** Changes wait in the copy for one review (W6). */
  rehearse: boolean;
  /** The part of long work that it is (C8). */
  work?: WorkState;
  /** Plays the tour where there is no terminal, prompt or input (`npm start`). */
  tour: boolean;
}

/** What argv asks for, or text to print with an exit code: help and version 0, a mistake 2. */
export type Parsed = { ok: true; invocation: Invocation } | { ok: false; code: number; out: string; err: string };

/** Reads argv (without node and script). Never exits, never prints. */
export function parseArgs(argv: readonly string[], version: string): Parsed {
  let invocation: Invocation | undefined;
  let out = "";
  let err = "";
  const program = build(version, (i) => (invocation = i));
  for (const command of [program, ...program.commands, ...program.commands.flatMap((c) => c.commands)]) {
    command.exitOverride().configureOutput({
      writeOut: (s) => (out += s),
      writeErr: (s) => (err += s),
      outputError: (words, write) => write(usageWords(words, command)),
    });
  }
  try {
    program.parse(argv, { from: "user" });
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error;
    return { ok: false, code: error.exitCode === 0 ? 0 : 2, out, err };
  }
  if (invocation === undefined) throw new Error("no command was chosen");
  return { ok: true, invocation };
}

function build(version: string, choose: (i: Invocation) => void): Command {
  const program = new Command("agent");
  const collect = (value: string, all: readonly string[] = []) => [...all, value];
  program
    // What stands behind a verb is the verb's.
    .enablePositionalOptions()
    .description("Works on the files of this folder with a model; you see and decide what changes.")
    .argument("[prompt...]", "what to do; without it the screen opens")
    .option("-p, --print", "no screen: print the answer and exit")
    .addOption(
      new Option("--mode <mode>", "what may change: plan nothing, ask after a question, auto by rules").choices(MODES),
    )
    .option("--rehearse", "nothing reaches the folder: changes wait for one review (agent review, agent land)")
    .option("--model <name>", "such as claude-sonnet-5-5, openai:NAME, bedrock:NAME, vertex:NAME, demo")
    .addOption(new Option("--effort <level>", "how long the model thinks").choices(Effort.options))
    .option("--fallback-model <name>", "stands in where that one can't be had, until your next message")
    .option("--max-turns <n>", "turns for one message", positive)
    .option("--max-tokens-total <n>", "tokens for one message", positive)
    .option("--max-cost <usd>", "money for the session", positive)
    .option("--max-time <time>", "time for one message, such as 90s, 10m, 1.5h", duration)
    .option("-r, --resume [id]", "go on with a session; without an id, pick one")
    .option("-c, --continue", "go on with the newest session of this folder")
    .option("--fork", "with --resume or --continue: go on in a copy of it, under an id of its own")
    .option("--fork-before <n>", "the same, up to before its N-th message", positive)
    .option("--answer <text>", "answer to what the session asked, or the number of an option; with --resume", collect)
    .option("--add-dir <folder>", "work on this folder too (repeatable)", collect)
    .option("--allow <rule>", "such as 'Bash(npm test)' or 'Network(example.com:443)' (repeatable)", collect)
    .option("--deny <rule>", "such as 'Edit(secrets/**)' (repeatable)", collect)
    .option("--strict", "exit with 6 when something was denied")
    .option("--screen-reader", "plain lines instead of a screen")
    .addOption(new Option("--tour-without-terminal").hideHelp().default(false))
    .version(version, "-V, --version", "print the version")
    .addHelpText("after", EXITS)
    .action((words: string[], o: Record<string, unknown>) => {
      const options = runOptions(words, o);
      if (words.length === 1 && !options.print) refuseNear(program, words[0] ?? "");
      choose({ verb: "run", options });
    });
  for (const add of [
    addSessions,
    addExport,
    addTrace,
    addKey,
    addImport,
    addConfig,
    addCost,
    addStats,
    addPermissions,
    addEval,
    addCompletion,
  ])
    add(program, choose);
  addHeadless(program);
  addPermissionFlags(program);
  addTrust(program, choose);
  addMcp(program, choose, () => runOptions([], program.opts()));
  addAcp(program, choose, () => runOptions([], program.opts()));
  program
    .command("changes [session] [step]")
    .description("show the steps that landed in this folder, those of a session, or one step's diff")
    .option("--json", "a line of JSON for each step", false)
    .action((session: string | undefined, step: string | undefined, o: { json: boolean }) =>
      choose({
        verb: "changes",
        json: o.json,
        ...(session === undefined ? {} : { session }),
        ...(step === undefined ? {} : { step }),
      }),
    );
  for (const kind of ["undo", "redo"] as const) addTurn(program, kind, choose);
  addPending(program, choose);
  program
    .command("doctor")
    .description("show what this machine offers: sandbox, model, search, terminal")
    .action(() => choose({ verb: "doctor" }));
  program
    .command("demo")
    .description("a guided tour on a temporary copy of some notes, without a key or network")
    .action(() => choose({ verb: "demo" }));
  addWork(program, choose, runOptions);
  return program;
}

/** A mistyped command is no message to a model. */
function refuseNear(program: Command, word: string): void {
  const names = program.commands.map((command) => command.name());
  const near = nearCommand(word, names);
  if (near === undefined) return;
  program.error(`"${word}" is no command; agent ${near} is one. As a message: agent -p ${word}`, {
    exitCode: 2,
  });
}

function addTurn(program: Command, kind: "undo" | "redo", choose: (i: Invocation) => void): void {
  const newest =
    kind === "undo" ? "undo the newest landed step of this folder" : "land again what was undone last in this folder";
  program
    .command(`${kind} [operation]`)
    .description(`${newest}, or the step named`)
    .option("--with-later", `${kind} the steps that came later on the same paths as well`)
    .addOption(new Option("--merge", "keep later lines, take only this step's back").conflicts("withLater"))
    .option("--dry-run", "show what it would do, and do nothing")
    .option("--json", "one JSON object")
    .action((operation: string | undefined, o: Record<string, true | undefined>) =>
      choose({
        verb: "undo",
        options: {
          kind,
          how: o["withLater"] === true ? "along" : o["merge"] === true ? "merge" : "alone",
          dryRun: o["dryRun"] === true,
          json: o["json"] === true,
          ...(operation === undefined ? {} : { operation }),
        },
      }),
    );
}

const EXITS = `
Exit codes: 0 done · 1 failed · 2 usage or settings · 3 waits for an answer · 4 limit reached · 5 handed over
  6 denied (with --strict) · 70 crash · 128+n ended by a signal
Examples:
  agent                              open the screen in this folder
  agent -p "what does this do?"      print the answer
  git diff | agent -p "review this"  with input
  agent --resume                     pick a session and go on`;

function runOptions(typed: readonly string[], o: Record<string, unknown>): RunOptions {
  const words = typed.length > 0 ? typed : promptBehindRules(o);
  const optional = <T>(from: string, to: string): { [k: string]: T } =>
    o[from] === undefined ? {} : { [to]: o[from] as T };
  return {
    ...(words.length === 0 ? {} : { prompt: words.join(" ") }),
    print: o["print"] === true || o["inputFormat"] === "stream-json",
    ...headlessFlags(o),
    ...permissionFlags(o),
    ...trustFlags(o),
    ...mcpFlags(o),
    ...judgeFlags(o),
    ...optional<string>("model", "model"),
    ...optional<Effort>("effort", "effort"),
    ...optional<string>("fallbackModel", "fallbackModel"),
    ...optional<number>("maxTurns", "maxTurns"),
    ...optional<number>("maxTokensTotal", "maxTokensTotal"),
    ...optional<number>("maxCost", "maxCost"),
    ...optional<number>("maxTime", "maxTime"),
    ...(o["resume"] === true ? { resume: "" } : optional<string>("resume", "resume")),
    continue: o["continue"] === true,
    fork: o["fork"] === true || o["forkBefore"] !== undefined,
    ...optional<number>("forkBefore", "forkBefore"),
    answers: (o["answer"] ?? []) as string[],
    addDirs: (o["addDir"] ?? []) as string[],
    strict: o["strict"] === true,
    plain: o["screenReader"] === true,
    rehearse: o["rehearse"] === true,
    tour: o["tourWithoutTerminal"] === true,
  };
}
