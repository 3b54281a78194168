import { realpathSync } from "node:fs";
import { denyAll } from "../permissions/asker.ts";
import { print } from "../print/print.ts";
import type { WorkState } from "../events/state.ts";
import { nextWork } from "../session/work-next.ts";
import { sanitize } from "../util/visible.ts";
import type { WorkInvocation } from "./args-work.ts";
import { stopOnSignals } from "./signals.ts";
import { stdio } from "./stdio.ts";
import { UsageError } from "./usage-error.ts";
import { wire } from "./wire.ts";

/** How long tool servers that are on their way are waited for. */
const SERVERS_MS = 5000;

/** `agent init-work` and `agent work`: sessions without a screen, one feature each, until one of them does not come to its end. */
export async function workVerb(asked: WorkInvocation, version: string): Promise<number> {
  const { signal, code } = stopOnSignals();
  const folder = realpathSync(process.cwd());
  for (let n = 1; ; n++) {
    const work = next(asked.stage, folder);
    if (work === "done") {
      say("every feature passes");
      return 0;
    }
    if (n > asked.sessions) return 0;
    const result = await oneSession(asked, work, version, signal);
    if (result !== 0 || asked.stage === "init") return code() ?? result;
  }
}

function next(stage: WorkState["stage"], folder: string): WorkState | "done" {
  try {
    return nextWork(stage, folder);
  } catch (error) {
    throw new UsageError(error instanceof Error ? error.message : String(error), { cause: error });
  }
}

async function oneSession(
  { wanted, options }: WorkInvocation,
  work: WorkState,
  version: string,
  signal: AbortSignal,
): Promise<number> {
  const out = stdio(process.stdout, process.stderr);
  const wired = wire({ ...options, work }, version);
  wired.checkModel(wired.model);
  const session = await wired.open(denyAll("nobody is here to answer"));
  try {
    await session.servers.settled(SERVERS_MS, signal);
    say(`session ${session.id}${work.feature === undefined ? "" : `: feature ${work.feature.id}`}`);
    const run = session.longWork?.run(wanted, signal, say);
    if (run === undefined) throw new Error("the session was opened for no work");
    return await print(run, session, options.format, out, options.strict);
  } finally {
    await session.close();
  }
}

function say(words: string): void {
  process.stderr.write(`agent: ${sanitize(words)}\n`);
}
