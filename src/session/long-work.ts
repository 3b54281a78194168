import type { SessionEvent } from "../events/event.ts";
import type { SessionState, WorkState } from "../events/state.ts";
import { type Checks, isDue } from "../loop/check.ts";
import { runCheck } from "../loop/check-run.ts";
import type { LoopDeps } from "../loop/deps.ts";
import { featureCheck, featureName } from "../loop/feature-gate.ts";
import { type FeatureList, listText, readFeatures, ticked, WORK_FILES } from "../loop/feature-list.ts";
import { asData } from "../tools/as-data.ts";
import { maskedLive } from "./live-keys.ts";
import { commitLanded } from "./long-commit.ts";
import { changeFiles, readWork } from "./long-files.ts";
import { featurePrompt, initPrompt, mendPrompt } from "./long-words.ts";
import type { QueryResult, Session } from "./session.ts";

/** Long work over sessions (C8): what this session was opened to do, from its message to the commit. */
export interface LongWork {
  /** `wanted`: for the first session alone. `tell`: words for the person on the way. */
  run(wanted: string, signal: AbortSignal, tell: (words: string) => void): AsyncGenerator<SessionEvent, QueryResult>;
}

/** So often the first session is asked to mend what it left. */
const MENDS = 2;
const CHECK_ROUNDS = 3;

/** The checks of a session that builds a feature: its own is one of them. */
export function withFeature(checks: Checks | undefined, { work }: SessionState): Checks | undefined {
  if (work?.feature === undefined) return checks;
  return { list: [...(checks?.list ?? []), featureCheck(work.feature)], rounds: checks?.rounds ?? CHECK_ROUNDS };
}

/** Undefined: the session is none of long work. */
export function longWork(session: Pick<Session, "submit">, deps: LoopDeps): LongWork | undefined {
  const { work } = deps.log.state;
  if (work === undefined) return undefined;
  return {
    run: (wanted, signal, tell) => {
      const run =
        work.stage === "init" ? begin(wanted, session, deps, signal, tell) : build(work, session, deps, signal, tell);
      return maskedLive(run, deps.log.secrets);
    },
  };
}

type Tell = (words: string) => void;

async function* begin(
  wanted: string,
  session: Pick<Session, "submit">,
  deps: LoopDeps,
  signal: AbortSignal,
  tell: Tell,
): AsyncGenerator<SessionEvent, QueryResult> {
  let result = yield* session.submit(initPrompt(wanted), signal);
  for (let tries = 0; result.reason === "done"; tries++) {
    const wrong = await notReady(deps);
    if (wrong.length === 0) {
      yield* commitLanded("Begin long work: what is wanted, as a list of features", deps, signal, tell);
      return result;
    }
    if (tries === MENDS) return { ...result, reason: "checks-failed", detail: `Not begun: ${wrong.join("; ")}.` };
    result = yield* session.submit(mendPrompt(wrong), signal);
  }
  return result;
}

async function notReady(deps: LoopDeps): Promise<string[]> {
  const wrong: string[] = [];
  for (const path of Object.values(WORK_FILES)) {
    const text = await readWork(path, deps);
    if (text === undefined) wrong.push(`${path} is not there`);
    else if (path === WORK_FILES.list) {
      const read = readFeatures(text);
      if (typeof read === "string") wrong.push(`${path}: ${read}`);
    }
  }
  return wrong;
}

async function* build(
  work: WorkState,
  session: Pick<Session, "submit">,
  deps: LoopDeps,
  signal: AbortSignal,
  tell: Tell,
): AsyncGenerator<SessionEvent, QueryResult> {
  const list = await listNow(work, deps);
  const feature = list.features.find(({ id }) => id === work.feature?.id);
  if (feature === undefined) throw new Error(`${work.list} has no feature "${work.feature?.id ?? ""}" any more`);
  yield* start(deps, signal);
  const done = list.features.filter(({ passes }) => passes).length;
  const result = yield* session.submit(featurePrompt(feature, done, list.features.length), signal);
  return signal.aborted ? result : yield* judge({ id: feature.id, before: list }, result, work, deps, signal, tell);
}

/** What the script said is told with the message; nothing that it did stays. */
async function* start(deps: LoopDeps, signal: AbortSignal): AsyncGenerator<SessionEvent, void> {
  const { start: file } = WORK_FILES;
  if ((await readWork(file, deps)) === undefined) return;
  const check = { kind: "command", name: "start", command: `bash ${file}`, timeoutMs: 120_000 } as const;
  const ran = yield* runCheck(check, { tree: "", round: 0 }, deps, signal);
  const how = ran.ended ?? `exit code ${ran.exit}`;
  const words = `${file} ran in the copy, and nothing that it changed stays (${how}):\n${asData(ran.output.trimEnd())}`;
  yield await deps.log.append({ type: "note.added", text: words });
}

/** At the end the program itself says which features pass: of this one, and of those that passed before. */
async function* judge(
  { id, before }: { id: string; before: FeatureList },
  result: QueryResult,
  work: WorkState,
  deps: LoopDeps,
  signal: AbortSignal,
  tell: Tell,
): AsyncGenerator<SessionEvent, QueryResult> {
  const list = await listNow(work, deps);
  // Not through the door: the person, another program, or a command that was let out of the copy.
  const other = ticked(before, list);
  if (typeof other === "string") tell(`${work.list} was changed by another hand meanwhile: ${other}`);
  const passing = new Map<string, boolean>();
  for (const feature of list.features.filter((f) => f.passes || f.id === id)) {
    const check = featureCheck(feature);
    const known = deps.log.state.checks.get(featureName(feature.id));
    const seen = feature.id === id && known?.exit === 0 && !isDue(check, deps.log.state);
    const ran = seen ? { exit: 0 } : yield* runCheck(check, { tree: "", round: 0 }, deps, signal);
    if (signal.aborted) return result;
    // What could not run says nothing.
    passing.set(feature.id, "cant" in ran ? feature.passes : ran.exit === 0);
  }
  const passes = passing.get(id) === true;
  const lost = list.features.filter((f) => f.id !== id && f.passes && passing.get(f.id) === false).map((f) => f.id);
  const next = { ...list, features: list.features.map((f) => ({ ...f, passes: passing.get(f.id) ?? f.passes })) };
  yield* record(id, passes, lost, next, work, deps, signal);
  yield* commitLanded(`${id}: ${passes ? "built" : "not done yet"}`, deps, signal, tell);
  const count = next.features.filter((f) => f.passes).length;
  tell(`feature ${id}: ${passes ? "passes" : "does not pass yet"} (${count} of ${next.features.length} pass)`);
  if (lost.length > 0) tell(`no longer passing: ${lost.join(", ")}`);
  if (passes || result.reason !== "done") return result;
  return { ...result, reason: "checks-failed", detail: `Not done: the check of "${id}" does not pass.` };
}

async function* record(
  id: string,
  passes: boolean,
  lost: readonly string[],
  list: FeatureList,
  work: WorkState,
  deps: LoopDeps,
  signal: AbortSignal,
): AsyncGenerator<SessionEvent, void> {
  const day = new Date(deps.clock.now()).toISOString().slice(0, 10);
  const broke = lost.length === 0 ? "" : `; no longer passing: ${lost.join(", ")}`;
  const line = `- ${day} ${id}: ${passes ? "passes" : "does not pass yet"}${broke} (session ${deps.log.state.id})\n`;
  const before = (await readWork(WORK_FILES.progress, deps)) ?? "";
  const old = await readWork(work.list, deps);
  const other = old === undefined || JSON.stringify(JSON.parse(old)) !== JSON.stringify(list);
  yield* changeFiles(
    {
      [WORK_FILES.progress]: `${before}${before === "" || before.endsWith("\n") ? "" : "\n"}${line}`,
      ...(other ? { [work.list]: listText(list) } : {}),
    },
    deps,
    signal,
  );
}

async function listNow(work: WorkState, deps: LoopDeps): Promise<FeatureList> {
  const text = await readWork(work.list, deps);
  const list = text === undefined ? "it is not there" : readFeatures(text);
  if (typeof list === "string") throw new Error(`${work.list} can't be used: ${list}`);
  return list;
}
