import { textOf } from "../events/block.ts";
import type { SessionEvent } from "../events/event.ts";
import { readAnswer } from "../hooks/answer.ts";
import type { Hook } from "../hooks/hook.ts";
import type { HookInput } from "../hooks/moment.ts";
import type { Ran } from "../hooks/run-hook.ts";
import { commandLimits } from "../sandbox/limits.ts";
import { SandboxError } from "../sandbox/sandbox-error.ts";
import type { ShellExit } from "../sandbox/sandbox.ts";
import { folderOf } from "../tools/paths.ts";
import type { ToolContext } from "../tools/tool.ts";
import { shellWord } from "../util/shell-word.ts";
import type { ChangeSet } from "../workspace/change.ts";
import { bringBack } from "./bring-back.ts";
import type { HookAt, LoopDeps } from "./deps.ts";

/** Characters of what such a hook prints, coded: more is cut, and then no answer. */
const OUTPUT_CHARS = 800_000;

/**
 * Runs a hook in the copy (H6): without network, on the folder as it is with what waits. What it changes behind a call is judged and lands as
 * any change, as a step of its own; at any other moment it is dropped.
 */
export async function* runInCopy(
  hook: Hook,
  command: string,
  input: HookInput,
  deps: LoopDeps,
  signal: AbortSignal,
  at: HookAt,
): AsyncGenerator<SessionEvent, Ran> {
  const from = deps.clock.now();
  const took = () => ({ durationMs: Math.max(0, deps.clock.now() - from) });
  const operationId = deps.makeId("op");
  const ctx = await deps.context({ callId: `hook_${operationId}`, operationId }, signal, deps.asker);
  if (!ctx.sandbox.contained)
    return { exit: null, failed: "commands can't be contained on this machine, so it did not run", ...took() };
  let exit: ShellExit;
  try {
    // Folders of results are shown in the copy, read-only.
    const file = await deps.spill(ctx.callId, JSON.stringify(input));
    exit = await toEnd(ctx.sandbox.run(copyCommand(hook, script(command, file), ctx), signal));
  } catch (error) {
    if (!(error instanceof SandboxError)) throw error;
    return { exit: null, failed: `could not run: ${error.message}`, ...took() };
  }
  const answer = answerOf(hook, exit);
  const lands = at.callId !== undefined && hook.event.startsWith("PostToolUse");
  const note = yield* changesOf(lands, exit.changes, { hook, command, ctx }, deps, signal);
  const code = exit.reason === "exit" ? exit.code : null;
  return { ...answer, exit: code, ...(note === undefined ? {} : { note }), ...took() };
}

/** Its output is the hook's answer, not the call's. */
async function toEnd<R>(run: AsyncGenerator<unknown, R>): Promise<R> {
  for (;;) {
    const step = await run.next();
    if (step.done === true) return step.value;
  }
}

function copyCommand(hook: Hook, command: string, ctx: ToolContext) {
  const folder = folderOf(ctx);
  return {
    operationId: ctx.operationId,
    command,
    cwd: folder,
    env: { AGENT_PROJECT_DIR: folder, CLAUDE_PROJECT_DIR: folder },
    mode: ctx.mode(),
    network: false,
    layers: ctx.view.layers,
    limits: { ...commandLimits(hook.timeoutMs), ...ctx.settings.bash.copy },
    outputChars: OUTPUT_CHARS,
  };
}

/** Both streams come back apart and whole, whatever is in them. */
function script(command: string, input: string): string {
  return [
    "d=$(mktemp -d) || exit 125",
    `bash -c ${shellWord(command)} <${shellWord(input)} >"$d/o" 2>"$d/e"; c=$?`,
    'printf "out:"; head -c 400000 "$d/o" | base64 -w0; printf "\\nerr:"; head -c 100000 "$d/e" | base64 -w0; echo',
    'rm -rf "$d"; exit $c',
  ].join("\n");
}

function answerOf({ event, timeoutMs }: Hook, exit: ShellExit): Pick<Ran, "failed"> | ReturnType<typeof readAnswer> {
  if (exit.reason === "timeout") return { failed: `did not end within ${timeoutMs / 1000} s, and was ended` };
  if (exit.reason === "interrupted") return { failed: "was stopped" };
  if (exit.reason === "limit" || exit.code === null)
    return { failed: `was ended: ${exit.limit ?? exit.signal ?? "by a signal"}` };
  const part = (name: string): Buffer =>
    Buffer.from(new RegExp(`^${name}:([A-Za-z0-9+/=]*)$`, "m").exec(exit.output)?.[1] ?? "", "base64");
  if (exit.code === 126 || exit.code === 127)
    return { failed: `could not be started: ${part("err").toString("utf8").trim().slice(0, 300)}` };
  return readAnswer(event, exit.code, part("out"), part("err"));
}

/** What became of its changes, in words for the person; the model is told of what landed. */
async function* changesOf(
  lands: boolean,
  set: ChangeSet | undefined,
  { hook, command, ctx }: { hook: Hook; command: string; ctx: ToolContext },
  deps: LoopDeps,
  signal: AbortSignal,
): AsyncGenerator<SessionEvent, string | undefined> {
  if (set === undefined || set.changes.length === 0 || !lands || signal.aborted) {
    await deps.workspace.drop(ctx.operationId);
    return set === undefined || set.changes.length === 0 ? undefined : "what it changed in the copy was dropped";
  }
  const tool = deps.tools.find((t) => t.name === "Bash");
  if (tool === undefined) return undefined;
  const call = {
    ok: true as const,
    parallel: false,
    tool,
    input: { command },
    block: { type: "tool_use" as const, id: ctx.callId, name: tool.name, input: { command } },
  };
  const effect = { tool: "Hook", subject: hook.name, needs: [], contained: true };
  const outcome = { status: "ok" as const, content: [], touched: [] };
  const brought = yield* bringBack(set, outcome, { call, effect, ctx }, deps, signal);
  const words = textOf(brought.outcome.content);
  if (words !== "")
    yield await deps.log.append({ type: "note.added", text: `The hook "${hook.name}" ran in the copy. ${words}` });
  return words === "" ? undefined : "its changes were judged as a step of their own";
}
