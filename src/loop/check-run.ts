import type { LogBodyOf, SessionEvent } from "../events/event.ts";
import { PathPattern } from "../permissions/glob.ts";
import { commandLimits } from "../sandbox/limits.ts";
import { SandboxError } from "../sandbox/sandbox-error.ts";
import type { ShellExit } from "../sandbox/sandbox.ts";
import { folderOf, showIn } from "../tools/paths.ts";
import type { ToolContext } from "../tools/tool.ts";
import { showPath } from "../util/bytes.ts";
import { hasEntry } from "../workspace/stamp.ts";
import { changedAgainst, type Check, commandText } from "./check.ts";
import { decideNow } from "./decide-now.ts";
import type { LoopDeps } from "./deps.ts";

/** Characters of a check's output that the log keeps and the model is told; the whole lies in a file. */
const OUTPUT_CHARS = 6000;
const MOST_NAMED = 20;

/** What a check came to. `cant`: it could not run, which no work of the model's mends. */
export interface Ran {
  check: Check;
  exit: number | null;
  output: string;
  ended?: string;
  cant?: true;
  changed?: string[];
  outputFile?: string;
}

/** Runs one check on the tree as it is and records what it came to (S9). Nothing that it changes stays, regenerable output neither. */
export async function* runCheck(
  check: Check,
  at: { tree: string; round: number },
  deps: LoopDeps,
  signal: AbortSignal,
): AsyncGenerator<SessionEvent, Ran> {
  const from = deps.clock.now();
  const operationId = deps.makeId("op");
  const command = commandText(check);
  yield { type: "check.started", checkId: operationId, name: check.name, command };
  const ran =
    check.kind === "command" ? yield* runCommand(check, operationId, deps, signal) : await lookAt(check, deps, signal);
  const body: Omit<LogBodyOf<"check.ran">, "type"> = {
    name: check.name,
    command,
    exit: ran.exit,
    output: ran.output,
    tree: at.tree,
    round: at.round,
    durationMs: Math.max(0, deps.clock.now() - from),
    ...(ran.ended === undefined ? {} : { ended: ran.ended }),
    ...(ran.changed === undefined ? {} : { changed: ran.changed }),
  };
  yield await deps.log.append({ type: "check.ran", ...body });
  return ran;
}

async function* runCommand(
  check: Check & { kind: "command" },
  operationId: string,
  deps: LoopDeps,
  signal: AbortSignal,
): AsyncGenerator<SessionEvent, Ran> {
  const cant = (ended: string): Ran => ({ check, exit: null, output: "", ended, cant: true });
  const ctx = await deps.context({ callId: operationId, operationId }, signal, deps.asker);
  if (!ctx.sandbox.contained) return cant("commands can't be contained on this machine, so it was not run");
  const denied = deniedWords(check.command, deps);
  if (denied !== undefined) return cant(`not run: ${denied}`);
  let exit: ShellExit | undefined;
  async function* run(): AsyncGenerator<{ text: string }, void> {
    exit = yield* ctx.sandbox.run(shellCommand(check, operationId, ctx), signal);
  }
  try {
    for await (const { text } of run()) yield { type: "tool.output", callId: operationId, text };
    if (exit === undefined) throw new Error("a command ended without an exit");
    return { check, ...(await told(check, exit, ctx, deps, signal)) };
  } catch (error) {
    if (error instanceof SandboxError) return cant(`could not run: ${error.message}`);
    throw error;
  } finally {
    await deps.workspace.drop(operationId);
  }
}

/** From the folder's top, without what the model's commands exported, and without network. */
function shellCommand(check: Check & { kind: "command" }, operationId: string, ctx: ToolContext) {
  return {
    operationId,
    command: check.command,
    cwd: folderOf(ctx),
    env: {},
    mode: "ask" as const,
    network: false,
    ...(check.landed === true ? { layers: [], ownHome: true as const } : { layers: ctx.view.layers }),
    limits: { ...commandLimits(check.timeoutMs), ...ctx.settings.bash.copy },
    outputChars: OUTPUT_CHARS,
  };
}

/** Why a command of a project's is not run: it is somebody else's, and what the person's rules refuse is refused to it too. */
export function deniedWords(command: string, deps: LoopDeps): string | undefined {
  const effect = { tool: "Bash", subject: command, needs: [], contained: true };
  const { action, reason } = decideNow(effect, deps);
  return action === "deny" ? reason : undefined;
}

async function told(
  check: Check & { kind: "command" },
  exit: ShellExit,
  ctx: ToolContext,
  deps: LoopDeps,
  signal: AbortSignal,
): Promise<Omit<Ran, "check">> {
  const changed = await changedFiles(exit, ctx, deps, signal);
  const ended = endOf(exit, check);
  return {
    // What was ended from outside has told nothing, whatever its code.
    exit: exit.reason === "exit" ? exit.code : null,
    output: exit.output,
    ...(ended === undefined ? {} : { ended }),
    ...(changed.length === 0 ? {} : { changed }),
    ...(exit.outputFile === undefined ? {} : { outputFile: exit.outputFile }),
  };
}

function endOf(exit: ShellExit, check: Check & { kind: "command" }): string | undefined {
  switch (exit.reason) {
    case "exit":
      return exit.code === null ? `ended by ${exit.signal ?? "a signal"}` : undefined;
    case "timeout":
      return `timed out after ${check.timeoutMs / 1000} s`;
    case "limit":
      return exit.limit ?? "ended at a limit";
    case "interrupted":
      return "interrupted";
  }
}

/** Files that the check changed in its copy: tracked ones, or new ones that are no regenerable output. */
async function changedFiles(
  { changes, reason }: ShellExit,
  ctx: ToolContext,
  deps: LoopDeps,
  signal: AbortSignal,
): Promise<string[]> {
  if (changes === undefined || reason === "interrupted" || changes.changes.length === 0) return [];
  const summary = await deps.workspace.summarize(changes, deps.facts(deps.log.state), ctx.view, signal);
  const names = summary.entries.map(({ root, path }) => showIn(ctx, `${ctx.roots[root]?.path ?? ""}/${path}`));
  const all = [...names, ...summary.git.map((g) => g.text)];
  return all.length <= MOST_NAMED ? all : [...all.slice(0, MOST_NAMED), `${all.length - MOST_NAMED} more`];
}

async function lookAt(
  check: Check & { kind: "exists" | "unchanged" },
  deps: LoopDeps,
  signal: AbortSignal,
): Promise<Ran> {
  const wrong = check.kind === "unchanged" ? changedWords(check.paths, deps) : await missing(check.paths, deps, signal);
  return { check, exit: wrong.length === 0 ? 0 : 1, output: wrong.join("\n") };
}

function changedWords(paths: readonly string[], { log }: LoopDeps): string[] {
  const { folder } = log.state;
  return changedAgainst(paths, log.state).map((path) => `changed: ${path.replace(`${folder}/`, "")}`);
}

async function missing(paths: readonly string[], deps: LoopDeps, signal: AbortSignal): Promise<string[]> {
  const operationId = deps.makeId("op");
  const { roots, view } = await deps.context({ callId: operationId, operationId }, signal, deps.asker);
  const out: string[] = [];
  for (const glob of paths) {
    const pattern = new PathPattern(glob);
    const found = await hasEntry(roots, view.layers, signal, (path) => pattern.touches(showPath(path)));
    if (!found) out.push(`not there: ${glob}`);
  }
  return out;
}
