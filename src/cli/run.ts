import { LogError } from "../events/log-error.ts";
import { denyAll } from "../permissions/asker.ts";
import { print } from "../print/print.ts";
import { submitWords } from "../session/attach.ts";
import { exitCode } from "../session/exit-code.ts";
import type { Session } from "../session/session.ts";
import { sanitize } from "../util/visible.ts";
import { readAnswers } from "./answers.ts";
import type { RunOptions } from "./args.ts";
import { chooseSession, type Choice } from "./choose.ts";
import { forkOf } from "./going-on.ts";
import { stopOnSignals } from "./signals.ts";
import { INPUT_WAIT, readInput } from "./read-input.ts";
import { stdio } from "./stdio.ts";
import { UsageError } from "./usage-error.ts";
import { wire, type Wired } from "./wire.ts";

/** How long the first byte of stdin is waited for where no prompt was given. */
const ALONE_MS = 30_000;
/** How long tool servers that are on their way are waited for. */
const SERVERS_MS = 5000;
/** As of a program that SIGPIPE ended. */
const GONE = 141;
const NOBODY = "nobody is here to answer";

/** `agent [prompt]` without a screen: one printed query (U2). */
export async function runHeadless(options: RunOptions, version: string): Promise<number> {
  const alone = options.prompt === undefined && options.resume === undefined && !options.continue && !options.tour;
  const wait = alone ? { ...INPUT_WAIT, firstMs: ALONE_MS } : INPUT_WAIT;
  const input = await readInput(process.stdin, wait, (note) => void process.stderr.write(`agent: ${note}\n`));
  const prompt = { words: options.prompt ?? "", behind: input ?? "" };
  if (isEmpty(prompt) && options.resume === undefined && !options.continue) {
    if (options.tour) return (await import("./demo.ts")).demo(version);
    throw new UsageError("nothing to do: give a prompt, input on stdin, or a terminal (see agent --help)");
  }
  return printRun(options, version, prompt);
}

/** What was typed, and what came on stdin: only what was typed names files (`@path`). */
interface Given {
  words: string;
  behind: string;
}

function isEmpty({ words, behind }: Given): boolean {
  return words.trim() === "" && behind.trim() === "";
}

async function printRun(options: RunOptions, version: string, prompt: Given): Promise<number> {
  const { signal, code } = stopOnSignals();
  const out = stdio(process.stdout, process.stderr);
  // Only there is something written, and read, before the end.
  if (options.format === "stream-json") out.watch();
  const stop = AbortSignal.any([signal, out.gone]);
  const wired = wire(options, version);
  const choice = chooseSession(options, wired.store, wired.folder);
  if (choice.kind === "pick")
    throw new UsageError("--resume needs an id without a terminal; `agent sessions` lists them");
  if (choice.kind === "new") wired.checkModel(wired.model);
  const session = await openChosen(wired, choice, options);
  try {
    wired.checkModel(session.state().model);
    // Its one message may be all that there is: what comes a moment later would come too late.
    await session.servers.settled(SERVERS_MS, stop);
    const result = await print(begin(session, options, prompt, stop), session, options.format, out, options.strict);
    return code() ?? (out.gone.aborted && result === exitCode("interrupted") ? GONE : result);
  } finally {
    await session.close();
  }
}

/** Who can't be asked is told how a session that another process has can be gone on with all the same (E4). */
async function openChosen(wired: Wired, choice: Choice, options: RunOptions): Promise<Session> {
  const id = choice.kind === "resume" ? choice.id : undefined;
  const fork = id === undefined ? undefined : await forkOf(options, wired.store, id);
  try {
    return await wired.open(denyAll(NOBODY), id, fork);
  } catch (error) {
    if (!(error instanceof LogError) || error.code !== "locked") throw error;
    throw new UsageError(`${error.message} --fork goes on in a copy of it.`, { cause: error });
  }
}

function begin(
  session: Session,
  { answers }: RunOptions,
  prompt: Given,
  signal: AbortSignal,
): ReturnType<Session["submit"]> {
  const open = session.unfinished();
  if (answers.length > 0) {
    const read = readAnswers(session, answers);
    // Words beside the answer are read right behind it.
    if (!isEmpty(prompt)) session.steer([prompt.words, prompt.behind].filter((t) => t.trim() !== "").join("\n\n"));
    return session.goOn(signal, read);
  }
  const note = (words: string) => void process.stderr.write(`agent: ${sanitize(words)}\n`);
  if (!isEmpty(prompt)) return submitWords(session, prompt, signal, note);
  if (open === undefined) throw new UsageError(`session ${session.id} is at its end: give a prompt to go on`);
  return session.goOn(signal);
}
