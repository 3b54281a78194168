import { LogError } from "../events/log-error.ts";
import { type Asker, denyAll } from "../permissions/asker.ts";
import { converse } from "../print/converse.ts";
import { greet, printQuery } from "../print/print.ts";
import type { StreamInput } from "../print/stream-input.ts";
import { answering, type AnswerSchema, schemaDemand } from "../session/answer-schema.ts";
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
import { stdio, type Stdio } from "./stdio.ts";
import { streamInput } from "./stream-run.ts";
import { typedSchema } from "./json-schema.ts";
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
  if (options.inputFormat === "stream-json")
    return printRun(options, version, { words: options.prompt ?? "", behind: "" });
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
  const schema = options.jsonSchema === undefined ? undefined : await typedSchema(options.jsonSchema);
  const wired = wire(options, version);
  const choice = chooseSession(options, wired.store, wired.folder);
  if (choice.kind === "pick")
    throw new UsageError("--resume needs an id without a terminal; `agent sessions` lists them");
  if (choice.kind === "new") wired.checkModel(wired.model);
  const input = options.inputFormat === "stream-json" ? streamInput(process.stdin, options.format, out) : undefined;
  const session = await openChosen(wired, choice, options, input ?? denyAll(NOBODY));
  try {
    wired.checkModel(session.state().model);
    // Its one message may be all that there is: what comes a moment later would come too late.
    await session.servers.settled(SERVERS_MS, stop);
    const result = await worked(session, options, { prompt, schema, input, out, stop });
    return code() ?? (out.gone.aborted && result === exitCode("interrupted") ? GONE : result);
  } finally {
    await session.close();
  }
}

interface Work {
  prompt: Given;
  schema: AnswerSchema | undefined;
  input: StreamInput | undefined;
  out: Stdio;
  stop: AbortSignal;
}

async function worked(
  session: Session,
  options: RunOptions,
  { prompt, schema, input, out, stop }: Work,
): Promise<number> {
  greet(session, out);
  const first = input !== undefined && isEmpty(prompt) && options.answers.length === 0;
  let code = 0;
  if (!first) {
    const run = begin(session, options, withDemand(prompt, schema), stop);
    code = await printQuery(schema === undefined ? run : answering(run, session, schema, stop), session, options, out);
  }
  if (input === undefined || stop.aborted) return code;
  const more = await converse(session, input, { ...options, schema }, out, stop);
  return more === 0 ? code : more;
}

/** A message is told of the schema; an answer goes on with one that was. */
function withDemand(prompt: Given, schema: AnswerSchema | undefined): Given {
  if (schema === undefined || isEmpty(prompt)) return prompt;
  const parts = [prompt.behind, schemaDemand(schema)].filter((part) => part.trim() !== "");
  return { ...prompt, behind: parts.join("\n\n") };
}

/** Who can't be asked is told how a session that another process has can be gone on with all the same (E4). */
async function openChosen(wired: Wired, choice: Choice, options: RunOptions, asker: Asker): Promise<Session> {
  const id = choice.kind === "resume" ? choice.id : undefined;
  const fork = id === undefined ? undefined : await forkOf(options, wired.store, id);
  try {
    return await wired.open(asker, id, fork);
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
