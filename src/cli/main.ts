import { existsSync, readFileSync } from "node:fs";
import { EXIT } from "../session/exit-code.ts";
import { sanitize } from "../util/visible.ts";
import { parseArgs, type Invocation, type RunOptions } from "./args.ts";
import { endOnCrash } from "./crash.ts";
import { assertNever } from "../util/never.ts";

/** Entry of the program: argv to exit code. Each verb's file is loaded only when it is wanted. */
export async function main(): Promise<void> {
  endOnCrash();
  const version = programVersion();
  const parsed = parseArgs(process.argv.slice(2), version);
  if (!parsed.ok) {
    process.stdout.write(parsed.out);
    process.stderr.write(parsed.err);
    process.exitCode = parsed.code;
    return;
  }
  try {
    process.exitCode = await run(parsed.invocation, version);
  } catch (error) {
    // A mistake of ours or a broken machine: one line, never a stack over the person's screen.
    process.stderr.write(`agent: ${sanitize(error instanceof Error ? error.message : String(error))}\n`);
    process.exitCode = codeOf(error);
  }
}

/** Names, not classes: what a verb throws comes from chunks that are loaded only with it. */
function codeOf(error: unknown): number {
  const name = error instanceof Error ? error.name : "";
  if (name === "UsageError" || name === "SettingsError" || name === "StoreError") return EXIT.usage;
  return name === "LogError" || name === "ModelError" ? 1 : EXIT.crash;
}

async function run(invocation: Invocation, version: string): Promise<number> {
  switch (invocation.verb) {
    case "run":
      return start(invocation.options, version);
    case "sessions":
      return (await import("./sessions.ts")).printSessions(invocation.all);
    case "trace":
      return (await import("./trace.ts")).printTrace(invocation.id, invocation.json);
    case "undo":
      return (await import("./undo.ts")).undoLanded(invocation.operation, version);
    case "doctor":
      return (await import("./doctor.ts")).doctor(version);
    case "demo":
      return (await import("./demo.ts")).demo(version);
    default:
      return assertNever(invocation);
  }
}

/** On a terminal the screen's shell is painted before the rest is loaded. */
async function start(options: RunOptions, version: string): Promise<number> {
  if (options.print || !process.stdin.isTTY || !process.stdout.isTTY) {
    return (await import("./run.ts")).runHeadless(options, version);
  }
  const shell = await (await import("./first-paint.ts")).firstPaint(options, process.env);
  try {
    return await (await import("./run-screen.ts")).runScreen(options, version, { shell });
  } catch (error) {
    shell?.give();
    throw error;
  }
}

/** `package.json` lies beside `dist/` and beside `src/`. */
function programVersion(): string {
  const beside = new URL("../package.json", import.meta.url);
  const file = existsSync(beside) ? beside : new URL("../../package.json", import.meta.url);
  const manifest: unknown = JSON.parse(readFileSync(file, "utf8"));
  return typeof manifest === "object" && manifest !== null && "version" in manifest ? String(manifest.version) : "0";
}
