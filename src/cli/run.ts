import { text } from "../events/block.ts";
import { denyAll } from "../permissions/asker.ts";
import { print } from "../print/print.ts";
import type { Session } from "../session/session.ts";
import type { RunOptions } from "./args.ts";
import { chooseSession } from "./choose.ts";
import { stopOnSignals } from "./signals.ts";
import { readInput, stdio } from "./stdio.ts";
import { UsageError } from "./usage-error.ts";
import { wire } from "./wire.ts";

/** How long the first byte of stdin is waited for: little where a prompt was given as well. */
const INPUT_WAIT_MS = { withPrompt: 3000, alone: 30_000 };
const NOBODY = "nobody is here to answer";

/** `agent [prompt]` without a screen: one printed query (U2). */
export async function runHeadless(options: RunOptions, version: string): Promise<number> {
  const alone = options.prompt === undefined && options.resume === undefined && !options.continue && !options.tour;
  const input = await readInput(process.stdin, alone ? INPUT_WAIT_MS.alone : INPUT_WAIT_MS.withPrompt);
  const prompt = [options.prompt, input].filter((t) => t !== undefined).join("\n\n");
  if (prompt === "" && options.resume === undefined && !options.continue) {
    if (options.tour) return (await import("./demo.ts")).demo(version);
    throw new UsageError("nothing to do: give a prompt, input on stdin, or a terminal (see agent --help)");
  }
  return printRun(options, version, prompt);
}

async function printRun(options: RunOptions, version: string, prompt: string): Promise<number> {
  const { signal, code } = stopOnSignals();
  const out = stdio(process.stdout, process.stderr);
  const wired = wire(options, version);
  const choice = chooseSession(options, wired.store, wired.folder);
  if (choice.kind === "pick")
    throw new UsageError("--resume needs an id without a terminal; `agent sessions` lists them");
  if (choice.kind === "new") wired.checkModel(wired.model);
  const session = await wired.open(denyAll(NOBODY), choice.kind === "resume" ? choice.id : undefined);
  try {
    wired.checkModel(session.state().model);
    const result = await print(begin(session, options, prompt, signal), session, options.format, out, options.strict);
    return code() ?? result;
  } finally {
    await session.close();
  }
}

function begin(
  session: Session,
  { answer }: RunOptions,
  prompt: string,
  signal: AbortSignal,
): ReturnType<Session["submit"]> {
  const open = session.unfinished();
  if (answer !== undefined) {
    if (open === undefined) throw new UsageError(`session ${session.id} waits for no answer`);
    return session.goOn(signal, answer);
  }
  if (prompt !== "") return session.submit([text(prompt)], signal);
  if (open === undefined) throw new UsageError(`session ${session.id} is at its end: give a prompt to go on`);
  return session.goOn(signal);
}
