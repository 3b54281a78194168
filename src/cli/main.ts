import { programVersion } from "../session/version.ts";
import { sanitize } from "../util/visible.ts";
import type { Invocation, RunOptions } from "./args.ts";
import { endOnCrash } from "./crash.ts";
import { failureOf } from "./failure.ts";
import { isNamed, isPlain, statusOf, type FirstPaint } from "./first-paint.ts";
import type { Shell } from "./shell.ts";
import { assertNever } from "../util/never.ts";

/**
 * Entry of the program: argv to exit code. Each verb's file is loaded only when it is wanted. `first`: painted already, from
 * the same argv.
 */
export async function main(first?: FirstPaint): Promise<void> {
  endOnCrash();
  const shell = first === undefined ? undefined : await echoing(first.status, first);
  const version = programVersion();
  const { parseArgs } = await import("./args.ts");
  const parsed = parseArgs(process.argv.slice(2), version);
  if (!parsed.ok) {
    shell?.give();
    process.stdout.write(parsed.out);
    process.stderr.write(sanitize(parsed.err));
    process.exitCode = parsed.code;
    return;
  }
  try {
    process.exitCode = await run(parsed.invocation, version, shell);
  } catch (error) {
    shell?.give();
    // A mistake of ours or a broken machine: one line, never a stack over the person's screen.
    const { text, code } = failureOf(error, process.env);
    process.stderr.write(`agent: ${sanitize(text)}\n`);
    process.exitCode = code;
  }
}

async function run(invocation: Invocation, version: string, shell: Shell | undefined): Promise<number> {
  if (invocation.verb !== "run") shell?.give();
  switch (invocation.verb) {
    case "run":
      return start(invocation.options, version, shell);
    case "sessions":
      return (await import("./sessions.ts")).printSessions(invocation.options);
    case "rename":
      return (await import("./session-verbs.ts")).renameVerb(invocation.id, invocation.name);
    case "delete":
      return (await import("./session-verbs.ts")).deleteVerb(invocation.id, invocation);
    case "export":
      return (await import("./session-verbs.ts")).exportVerb(invocation.options);
    case "key":
      return (await import("./key.ts")).keyVerb(invocation);
    case "trace":
      return (await import("./trace.ts")).printTrace(invocation.options, version);
    case "replay":
      return (await import("./replay.ts")).replay(invocation.options, version);
    case "config":
      return (await import("./config.ts")).configVerb(invocation.options);
    case "import":
      return (await import("./import.ts")).importVerb(invocation.options);
    case "stats":
      return (await import("./stats.ts")).printStats(invocation.options);
    case "cost":
      return (await import("./cost.ts")).printCost(invocation.options);
    case "permissions":
      return (await import("./permissions.ts")).permissions(invocation.options);
    case "why":
      return (await import("./why.ts")).printWhy(invocation.options);
    case "policy-test":
      return (await import("./policy-test.ts")).policyTest(invocation.options);
    case "undo":
      return (await import("./undo.ts")).undoLanded(invocation.options, version);
    case "changes":
      return (await import("./changes.ts")).printChanges(invocation);
    case "review":
      return (await import("./review.ts")).printReview(invocation.id, invocation.json);
    case "land":
      return (await import("./land.ts")).landSession(invocation.id, invocation, version);
    case "mcp":
      return (await import("./mcp.ts")).mcpVerb(invocation.options);
    case "mcp-serve":
      return (await import("./mcp-serve.ts")).mcpServe(invocation.options, version);
    case "acp":
      return (await import("./acp.ts")).acp(invocation.options, version);
    case "trust":
      return (await import("./trust.ts")).trustVerb(invocation.options);
    case "eval-init":
      return (await import("./eval.ts")).evalInit(invocation.folder);
    case "eval-run":
      return (await import("./eval-run.ts")).evalRun(invocation.options, version);
    case "eval-worker":
      return (await import("./eval-queue.ts")).evalWorker(invocation.options, version);
    case "eval-report":
    case "eval-compare":
      return (await import("./eval-report.ts")).evalReport(invocation);
    case "eval-show":
      return (await import("./eval.ts")).evalShow(invocation.trial, invocation.run);
    case "completion":
      process.stdout.write((await import("./completion.ts")).completionScript(invocation.shell, invocation.program));
      return 0;
    case "work":
      return (await import("./work.ts")).workVerb(invocation, version);
    case "doctor":
      return (await import("./doctor.ts")).doctor(version);
    case "demo":
      return (await import("./demo.ts")).demo(version);
    default:
      return assertNever(invocation);
  }
}

/** On a terminal the screen's shell is painted before the rest is loaded. */
async function start(options: RunOptions, version: string, echo: Shell | undefined): Promise<number> {
  if (options.print || !process.stdin.isTTY || !process.stdout.isTTY) {
    echo?.give();
    return (await import("./run.ts")).runHeadless(options, version);
  }
  const bare =
    isPlain(options, process.env) || options.resume === "" || options.bypass || !isNamed(options.model, process.env);
  if (bare) echo?.give();
  const shell = bare ? undefined : (echo ?? (await echoing(statusOf(options.mode))));
  try {
    for (const load of bare ? [] : HEAVY) {
      await load();
      await breath();
    }
    return await (await import("./run-screen.ts")).runScreen(options, version, { shell });
  } catch (error) {
    shell?.give();
    throw error;
  }
}

/** What takes longest to load, in pieces between which keys are echoed. */
const HEAVY: readonly (() => Promise<unknown>)[] = [() => import("./wire.ts"), () => import("../ui/main.tsx")];

/** A composer that echoes what was typed since the start; the rest is loaded behind it. */
async function echoing(status: string, first?: FirstPaint): Promise<Shell> {
  const shell = (await import("./shell.ts")).openShell(status, first);
  await breath();
  return shell;
}

/** What waits is read and painted before the next piece of work. */
function breath(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}
