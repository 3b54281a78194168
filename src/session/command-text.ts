import { text, textOf, type ContentBlock } from "../events/block.ts";
import type { LogBodyOf, SessionEvent, Touch } from "../events/event.ts";
import { capped } from "../loop/capped.ts";
import { deniedWords } from "../loop/check-run.ts";
import type { LoopDeps, Prompt, Stop } from "../loop/deps.ts";
import { query } from "../loop/query.ts";
import { commandLimits } from "../sandbox/limits.ts";
import { SandboxError } from "../sandbox/sandbox-error.ts";
import { filled, filledLine, SHELL_LINE } from "../skills/fill.ts";
import { commandText } from "../skills/load.ts";
import type { Skill } from "../skills/skill.ts";
import { asData } from "../tools/as-data.ts";
import type { LoadedSkill } from "../tools/own-texts.ts";
import { attach } from "./attach.ts";
import type { LiveTexts } from "./live-texts.ts";

/** Of one command; what is more stands there as it is written. */
const MOST_LINES = 20;
const LINE_MS = 60_000;

/** A command as it is said: the fact, what it names by `@path`, and what went wrong with it, for the person. */
export interface ReadyCommand {
  loaded: LoadedSkill;
  content: readonly ContentBlock[];
  touched: readonly Touch[];
  problems: readonly string[];
}

type Ran = NonNullable<LogBodyOf<"skill.loaded">["ran"]>[number];

/** Runs a message behind the texts that belong to it: instructions, notes, the skill or the command that it names. */
export async function* withTexts(
  { content, touched = [] }: Prompt,
  { deps, texts, home }: { deps: LoopDeps; texts: LiveTexts | undefined; home: string },
  signal: AbortSignal,
): AsyncGenerator<SessionEvent, Stop> {
  const along: ReadyCommand[] = [];
  const ready = async (command: Skill, args: string): Promise<ReadyCommand> => {
    const one = await readyCommand(command, args, { deps, home }, signal);
    along.push(one);
    return one;
  };
  yield* (await texts?.before({ words: textOf(content), typed: textOf(content.slice(0, 1)) }, ready)) ?? [];
  const more = along.flatMap((one) => one.touched);
  const all = [...content, ...along.flatMap((one) => one.content)];
  return yield* query(all, deps, signal, touched.length + more.length === 0 ? undefined : [...touched, ...more]);
}

/**
 * Fills a command in (U6): its arguments, what its lines say that run in the copy, the files that it names. Of those lines nothing stays: no
 * change of theirs lands, none has a network, and what the person's rules deny is not run.
 */
async function readyCommand(
  command: Skill,
  args: string,
  { deps, home }: { deps: LoopDeps; home: string },
  signal: AbortSignal,
): Promise<ReadyCommand> {
  // What was piped in stands behind an empty line: it is no parameter of a command line.
  const [typed = ""] = args.split("\n\n");
  const parts: string[] = [];
  const ran: Ran[] = [];
  let at = 0;
  for (const found of [...command.body.matchAll(SHELL_LINE)].slice(0, MOST_LINES)) {
    parts.push(filled(command.body.slice(at, found.index), args));
    at = found.index + found[0].length;
    const line = filledLine(found[1] ?? "", typed);
    const { exit, output } = await lineRun(line, deps, signal);
    ran.push({ command: line, exit });
    parts.push(output);
  }
  parts.push(filled(command.body.slice(at), args));
  const named = command.body.replaceAll(SHELL_LINE, " ");
  const attached = await attach(named, deps, signal, home);
  const problems = attached.notes.map((note) => `${command.shown}: ${note}`);
  const loaded = { ...commandText(command, parts.join(""), args), ...(ran.length === 0 ? {} : { ran }) };
  return { loaded, content: attached.content.slice(1), touched: attached.touched ?? [], problems };
}

async function lineRun(
  line: string,
  deps: LoopDeps,
  signal: AbortSignal,
): Promise<{ exit: number | null; output: string }> {
  const not = (why: string) => ({ exit: null, output: `(not run: ${why})` });
  if (signal.aborted) return not("it was stopped");
  const operationId = deps.makeId("op");
  const ctx = await deps.context({ callId: operationId, operationId }, signal, deps.asker);
  if (!ctx.sandbox.contained) return not("commands can't be contained on this machine");
  const denied = deniedWords(line, deps);
  if (denied !== undefined) return not(denied);
  const { mode, shell } = deps.log.state;
  const limits = { ...commandLimits(LINE_MS), ...ctx.settings.bash.copy };
  const how = { operationId, command: line, cwd: shell.cwd, env: shell.env, mode, network: false, limits };
  try {
    const run = ctx.sandbox.run({ ...how, layers: ctx.view.layers }, signal);
    let step = await run.next();
    while (step.done !== true) step = await run.next();
    const { code, reason, output } = step.value;
    const [block] = await capped(operationId, [text(deps.log.secrets.mask(output.trimEnd()))], deps);
    const said = block?.type === "text" ? asData(block.text) : "";
    if (reason === "exit" && code === 0) return { exit: 0, output: said };
    const end = reason === "exit" ? `exit code ${code ?? "none"}` : reason;
    return { exit: reason === "exit" ? code : null, output: `${said}\n(${end})` };
  } catch (error) {
    if (error instanceof SandboxError) return not(error.message);
    throw error;
  } finally {
    await deps.workspace.drop(operationId);
  }
}
