import type { Clock, MakeId } from "../util/deps.ts";
import { type Answer, checkAnswer, readAnswer } from "./answer.ts";
import { hookEnv } from "./env.ts";
import type { Hook } from "./hook.ts";
import type { HookInput } from "./moment.ts";
import { runCommand } from "./run-command.ts";

/** What a run of one hook came to. */
export interface Ran extends Answer {
  /** null: it did not end by itself, or is no program. */
  exit: number | null;
  durationMs: number;
  /** For the person, beside all else. */
  note?: string;
}

export interface RunDeps {
  /** Real path. */
  folder: string;
  env: Readonly<Record<string, string | undefined>>;
  clock: Clock;
  makeId: MakeId;
}

/** Runs a hook outside of the copy, to its end or that of its time. Never throws. */
export async function runHook(hook: Hook, input: HookInput, deps: RunDeps, signal: AbortSignal): Promise<Ran> {
  const from = deps.clock.now();
  const ran =
    hook.run.kind === "command" ? await ranCommand(hook, input, deps, signal) : await called(hook, input, deps, signal);
  return { ...ran, durationMs: Math.max(0, deps.clock.now() - from) };
}

async function ranCommand(
  { event, run, timeoutMs }: Hook,
  input: HookInput,
  { folder, env, clock, makeId }: RunDeps,
  signal: AbortSignal,
): Promise<Omit<Ran, "durationMs">> {
  const mark = makeId("run");
  const command = run.kind === "command" ? run.command : "";
  const { exit, stdout, stderr, failed, left } = await runCommand(command, {
    cwd: folder,
    env: hookEnv(env, folder, mark),
    mark,
    input: JSON.stringify(input),
    timeoutMs,
    clock,
    signal,
  });
  const answer =
    failed !== undefined || exit === null ? { failed: failed ?? "" } : readAnswer(event, exit, stdout, stderr);
  const note = `left ${left === 1 ? "a process" : `${left} processes`} behind, which ${left === 1 ? "was" : "were"} ended`;
  return { ...answer, exit, ...(left === 0 ? {} : { note }) };
}

/** A function of the program's: what it throws, or that it takes too long, is its failure alone. */
async function called(
  { event, run, timeoutMs }: Hook,
  input: HookInput,
  { clock }: RunDeps,
  signal: AbortSignal,
): Promise<Omit<Ran, "durationMs">> {
  const done = new AbortController();
  const within = AbortSignal.any([signal, done.signal]);
  const late = clock.sleep(timeoutMs, within).then(() => {
    throw new Error(signal.aborted ? "was stopped" : `did not end within ${timeoutMs / 1000} s`);
  });
  late.catch(() => undefined);
  try {
    const answer = run.kind === "function" ? run.call(structuredClone(input), within) : undefined;
    return { ...checkAnswer(event, await Promise.race([answer, late])), exit: null };
  } catch (error) {
    const words = error instanceof Error ? error.message : String(error);
    return { failed: words.split("\n")[0] ?? "", exit: null };
  } finally {
    done.abort();
  }
}
