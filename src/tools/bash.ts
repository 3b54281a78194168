import { existsSync } from "node:fs";
import { resolve } from "node:path";
import { z } from "zod";
import type { Need } from "../events/effect.ts";
import { sideEffectText } from "../events/side-effect.ts";
import { commandLimits } from "../sandbox/limits.ts";
import { SandboxError } from "../sandbox/sandbox-error.ts";
import type { ShellCommand, ShellExit } from "../sandbox/sandbox.ts";
import { quoted } from "../util/quoted.ts";
import { isInside } from "../workspace/roots.ts";
import { asData } from "./as-data.ts";
import { startBackground } from "./bash-background.ts";
import { leaving, leavingFields, leavingNeeds, LEAVING_TEXT, sideEffects } from "./leaving.ts";
import { done, failed } from "./outcome.ts";
import { folderOf as projectFolder, locate } from "./paths.ts";
import { defineTool, type Outcome, type Progress, type ToolContext } from "./tool.ts";

const Input = z.strictObject({
  command: z.string().min(1).describe("One or several lines"),
  description: z.string().optional().describe("In a few words, for the person"),
  timeout_ms: z.int().min(1).optional().describe("Default 120000"),
  ...leavingFields,
  cwd: z.string().optional().describe("Where the shell stands from now on"),
  run_in_background: z.boolean().optional().describe("For servers and watchers"),
  ports: z
    .array(z.int().min(1).max(65_535))
    .max(8)
    .optional()
    .describe("With run_in_background: those that the person's browser may reach. Asked each time"),
});
type Input = z.infer<typeof Input>;

/** Runs a command in a copy of the folder (W1, T7). */
export const bashTool = defineTool<Input>({
  name: "Bash",
  description: `Runs bash in a disposable copy of the folder: builds, tests, git, what the other tools don't do better. What it changes lands in the folder if allowed; the end of the result says what did. Nothing else of the machine can be changed: /tmp is private to each command, HOME to the session.
No terminal (TERM=dumb, NO_COLOR=1) and no input: use flags such as -y, --no-edit, -m. cwd and exported variables carry over to the next call. Processes in the background (&, nohup) end with the command: for a server or a watcher set run_in_background. That returns at once with a shell id and its first output; BashOutput reads on, KillShell ends it. Later commands reach its ports on 127.0.0.1. It sees at once what lands; what it changes waits in a copy of its own.
${LEAVING_TEXT}
A non-zero exit code is told at the end. Long output is cut in the middle, the whole is in a file to Read and Grep. Ask for little: one test file, a quiet reporter.
Example: {"command":"npm test -- --run src/a.test.ts","description":"Run one test","timeout_ms":300000}
Example: {"command":"npm run dev","run_in_background":true}`,
  input: Input,
  rules: "command",
  subject: (input) => input.command,
  needs: needsOf,
  parallel: () => false,
  run,
});

async function needsOf(input: Input, ctx: ToolContext): Promise<Need[]> {
  const words = input.command;
  // Without walls the network is open anyway: one question, the graver one.
  if (!ctx.sandbox.contained) return [{ kind: "uncontained", words }];
  const ports = input.run_in_background === true ? new Set(input.ports) : [];
  return [
    ...(ctx.settings.bash.before ? [{ kind: "before", words } as const] : []),
    ...(await leavingNeeds(words, input, ctx)),
    ...[...ports].map((port) => ({ kind: "port", port }) as const),
  ];
}

async function* run(input: Input, ctx: ToolContext): AsyncGenerator<Progress, Outcome> {
  const { shell } = ctx.state();
  const cwd = input.cwd === undefined ? shell.cwd : await commandFolder(input.cwd, ctx);
  if (input.ports !== undefined && input.run_in_background !== true)
    return failed("ports opens ports of a command that goes on: set run_in_background: true as well.");
  if (cwd === undefined) return failed(`cwd ${input.cwd} is no folder inside the project. Leave it out, or use cd.`);
  const leaves = await leaving(input.command, input, ctx);
  if (typeof leaves === "string") return failed(leaves);
  if (leaves.unsandboxed === true && input.run_in_background === true)
    return failed("unsandboxed: true can't go on in the background: ask the person to start it.");
  const gone = ctx.roots.find((root) => !existsSync(root.path));
  if (gone !== undefined) return failed(`Nothing ran: the folder ${gone.path} is gone. Tell the person.`);
  const { bash } = ctx.settings;
  const timeoutMs = Math.min(input.timeout_ms ?? bash.timeoutMs, bash.maxTimeoutMs);
  const command: ShellCommand = {
    operationId: ctx.operationId,
    command: input.command,
    fallback: projectFolder(ctx),
    ...(leaves.unsandboxed === true ? outsideShell(cwd, ctx) : { cwd, env: shell.env }),
    mode: ctx.mode(),
    ...leaves,
    layers: ctx.view.layers,
    limits: { ...commandLimits(timeoutMs), ...bash.copy },
    outputChars: bash.outputChars,
  };
  if (input.run_in_background === true) return startBackground(command, [...new Set(input.ports)], ctx);
  try {
    return outcomeOf(yield* ctx.sandbox.run(command, ctx.signal), command, shell);
  } catch (error) {
    if (!(error instanceof SandboxError)) throw error;
    return failed(`Nothing ran: ${error.message}. Trying again won't help; tell the person (agent doctor says more).`);
  }
}

/**
 * Where a command begins that runs as the person: in a folder of the roots, with nothing that earlier commands exported. What ran in the
 * copy unasked must not decide which program a word starts outside of it, nor in which folder.
 */
export function outsideShell(cwd: string, ctx: ToolContext): { cwd: string; env: Record<string, string> } {
  const folder = resolve(cwd);
  return { cwd: isInside(ctx.roots, folder) ? folder : projectFolder(ctx), env: {} };
}

/** A folder of the roots that the model named: from the project's folder as every path, or else from where the shell stands. */
export async function commandFolder(given: string, ctx: ToolContext): Promise<string | undefined> {
  const { cwd } = ctx.state().shell;
  for (const path of given.startsWith("/") ? [given] : [given, `${cwd}/${given}`]) {
    const place = await locate(path, ctx);
    if (typeof place !== "string" && place.inside && place.type === "folder") return place.target;
  }
  return undefined;
}

function outcomeOf(
  exit: ShellExit,
  command: ShellCommand,
  shell: { cwd: string; env: Record<string, string> },
): Outcome {
  const details = {
    command: command.command,
    exit: exit.code,
    reason: exit.reason,
    durationMs: exit.durationMs,
    outputBytes: exit.outputBytes,
    ...(exit.outputFile === undefined ? {} : { outputFile: exit.outputFile }),
    ...(exit.retriedOn === undefined ? {} : { retriedOn: exit.retriedOn }),
  };
  const words = textFor(exit, command, shell.cwd);
  const effects = sideEffects(command, exit);
  const beyond = effects.length === 0 ? {} : { sideEffects: effects };
  // What it said until then stays worth knowing.
  if (exit.reason === "interrupted") return { ...failed(words, details), ...beyond, status: "interrupted" };
  // A failing test is a result, not a failing tool: only what could not come to its end counts as an error (S4).
  if (exit.reason !== "exit") return { ...failed(words, details), ...beyond };
  return done(words, {
    details,
    ...beyond,
    ...(exit.changes === undefined ? {} : { changes: exit.changes }),
    ...(command.unsandboxed !== true && moved(exit, shell) ? { shell: { cwd: exit.cwd, env: { ...exit.env } } } : {}),
  });
}

/** The output, then what the program has to add, each in a line in brackets. */
function textFor(exit: ShellExit, command: ShellCommand, before: string): string {
  const stands = exit.reason === "exit" && exit.cwd !== before ? `The shell stands in ${quoted(exit.cwd)} now` : "";
  const beyond = sideEffectText(sideEffects(command, exit));
  const left = beyond === undefined ? "" : `It ${beyond}; no undo takes that back`;
  const notes = [endOf(exit, command), stands, left, ...exit.hints.map((hint) => `Note: ${hint}.`)].filter(
    (note) => note !== "",
  );
  const output = exit.output === "" && notes.length === 0 ? "(no output)" : asData(exit.output.replace(/\n$/, ""));
  return [output, ...notes.map((note) => `[${note}]`)].filter((part) => part !== "").join("\n");
}

function endOf(exit: ShellExit, command: ShellCommand): string {
  switch (exit.reason) {
    case "exit":
      return exit.code === 0 ? "" : exit.code === null ? `Ended by ${exit.signal}` : `Exit code ${exit.code}`;
    case "timeout":
      return `Timed out after ${command.limits.timeoutMs / 1000} s and was ended with all its processes. Give a larger timeout_ms, do less at once, or, where it never ends by itself, set run_in_background: true`;
    case "limit":
      return `Ended: ${exit.limit ?? "a limit was reached"}`;
    case "interrupted":
      return "Interrupted before its end";
  }
}

function moved(exit: ShellExit, shell: { cwd: string; env: Readonly<Record<string, string>> }): boolean {
  const names = new Set([...Object.keys(exit.env), ...Object.keys(shell.env)]);
  return exit.cwd !== shell.cwd || [...names].some((name) => exit.env[name] !== shell.env[name]);
}
