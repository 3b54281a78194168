import { join, resolve } from "node:path";
import type { LogEvent, SessionEvent } from "../events/event.ts";
import { NO_USAGE, sumOf } from "../events/usage.ts";
import { loadKey } from "../events/key.ts";
import { loadLog } from "../events/load.ts";
import type { Model } from "../model/model.ts";
import { submitWords } from "../session/attach.ts";
import type { Env } from "../session/environment.ts";
import type { QueryResult, Session } from "../session/session.ts";
import { setUp, type Setup } from "../session/setup.ts";
import type { Claim } from "../session/verify-claim.ts";
import { verifyLog } from "../session/verify.ts";
import { builtinTools } from "../tools/builtin.ts";
import type { Clock } from "../util/deps.ts";
import { savedSteps } from "../workspace/open.ts";
import { scriptedAsker } from "./answers.ts";
import type { Task } from "./suite.ts";
import type { ModelChoice } from "./trial-model.ts";
import type { RunHeader, Trial } from "./trial.ts";

/** What all trials of a run have in common. */
export interface TrialDeps {
  /** The run's folder. */
  dir: string;
  /** Below it lies what an agent sees. */
  work: string;
  header: RunHeader;
  choice: ModelChoice;
  /** Model that judges rubrics; without it they are left out. */
  rubric?: string;
  env: Env;
  version: string;
  clock: Clock;
  /** Ends the work at once; its trial is then not finished. */
  signal: AbortSignal;
}

/** What is not the agent's to read: the suite with its oracles and hidden tests, and the repository in which the work is done already. */
function keptFrom({ fixture, hidden }: Task, suiteDir: string): string[] {
  const repository = fixture !== undefined && "git" in fixture ? [resolve(suiteDir, fixture.git)] : [];
  return [suiteDir, ...repository, ...(hidden === undefined ? [] : [hidden])];
}

/** What a trial's session is opened with. */
export function trialSetup(
  deps: TrialDeps,
  task: Task,
  at: { folder: string; config: string; state: string },
  model: Model | undefined,
): Setup {
  const { header, env, version, clock } = deps;
  const { turns, tokens, usd, minutes } = task.limits;
  return setUp({
    folder: at.folder,
    addDirs: [],
    env,
    dirs: { config: at.config, state: at.state },
    flags: {
      mode: header.mode ?? task.mode,
      deny: keptFrom(task, header.suiteDir).map((dir) => `Outside(${dir}/**)`),
      model: model?.id ?? header.model,
      ...(turns === undefined ? {} : { maxTurns: turns }),
      ...(tokens === undefined ? {} : { tokens }),
      ...(usd === undefined ? {} : { usd }),
      ...(minutes === undefined ? {} : { timeMs: minutes * 60_000 }),
    },
    rehearse: false,
    trustFolder: task.trust,
    tools: builtinTools,
    version,
    clock,
    ownModel: (id) => (id === model?.id ? model : undefined),
    demoWordMs: 0,
  });
}

/** What the work of one trial came to. */
export interface Done {
  id: string;
  result: QueryResult;
  events: readonly LogEvent[];
  facts: Pick<Trial, "steps" | "calls" | "tokens" | "usd" | "durationMs">;
}

/** All prompts of a task in one session, as long as the one before ended well. */
export async function runPrompts(setup: Setup, task: Task, signal: AbortSignal): Promise<Done> {
  const session = await setup.open(scriptedAsker(task.answers));
  try {
    let result: QueryResult | undefined;
    let facts: Done["facts"] = { steps: 0, calls: 0, tokens: NO_USAGE, durationMs: 0 };
    for (const words of task.prompts) {
      result = await drained(submitWords(session, { words }, signal, () => undefined));
      facts = {
        ...facts,
        steps: facts.steps + result.turns,
        tokens: sumOf(facts.tokens, result.usage),
        durationMs: facts.durationMs + result.durationMs,
      };
      if (result.reason !== "done") break;
    }
    if (result === undefined) throw new Error("the task has no prompt");
    return { id: session.id, result, events: [...session.looks.facts()], facts: withCost(facts, session) };
  } finally {
    await session.close();
  }
}

function withCost(facts: Done["facts"], session: Session): Done["facts"] {
  const calls = session.looks.facts().filter((e) => e.type === "call.finished").length;
  const { usd } = session.cost();
  return { ...facts, calls, ...(usd === undefined ? {} : { usd }) };
}

async function drained(run: AsyncGenerator<SessionEvent, QueryResult>): Promise<QueryResult> {
  for (;;) {
    const step = await run.next();
    if (step.done === true) return step.value;
  }
}

/** What the log on the disk proves, read as anybody would. */
export async function proofOf(
  { store }: Setup,
  sessionId: string,
  events: readonly LogEvent[],
  clock: Clock,
): Promise<Claim[]> {
  const key = loadKey(store.key);
  const loaded = await loadLog({ sessionsDir: store.sessions, contentDir: store.content, sessionId, key });
  const roots = events.findLast((e) => e.type === "session.opened")?.roots ?? [];
  return verifyLog(loaded, sessionId, savedSteps(store.folders, roots, clock) ?? "there is no journal");
}

/** Throws a ModelError, in words for the person, where the run's model can't be used. `state`: a folder for nothing else. */
export function checkModel({ dir, header, env, version, clock }: TrialDeps, state: string): void {
  const folder = dir;
  const dirs = { config: join(dir, "config"), state };
  const flags = { model: header.model };
  const bare = { folder, addDirs: [], env, dirs, flags, rehearse: false, tools: [], version, clock };
  setUp(bare).openModel(header.model);
}
