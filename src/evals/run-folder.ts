import {
  appendFileSync,
  closeSync,
  constants,
  existsSync,
  fdatasyncSync,
  fstatSync,
  ftruncateSync,
  openSync,
  readdirSync,
  readFileSync,
  renameSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { privateFolder } from "../events/private.ts";
import { jsonLine } from "../util/json-line.ts";
import { RunHeader, Trial, type Run } from "./trial.ts";

/** A run that can't be read or gone on with; the message says where and what to do. */
export class RunError extends Error {
  override name = "RunError";
}

/** What the person typed names no run, or several. */
class NoRunError extends RunError {
  override name = "NoRunError";
}

/** Where runs lie, below the program's state. */
export function runsDir(state: string): string {
  return join(state, "evals");
}

const headerFile = (dir: string): string => join(dir, "run.json");
const trialsFile = (dir: string): string => join(dir, "trials.jsonl");

/**
 * Makes the folder of a new run (0700) and gives its path. `prepare` fills it before its header (0600) makes it a run: what a crash
 * leaves half done is none.
 */
export function createRun(state: string, header: RunHeader, prepare: (dir: string) => void = () => undefined): string {
  privateFolder(runsDir(state));
  const dir = join(runsDir(state), header.id);
  if (existsSync(dir)) throw new RunError(`${dir} is there already; a run is never begun twice.`);
  privateFolder(dir);
  prepare(dir);
  const temp = `${headerFile(dir)}.new`;
  writeFileSync(temp, `${JSON.stringify(header, undefined, 2)}\n`, { mode: 0o600, flag: "wx" });
  renameSync(temp, headerFile(dir));
  return dir;
}

/**
 * Opens the list of finished trials for appending. A last line that a crash cut short is taken away first: its trial never finished.
 * Close it.
 */
export function openTrials(dir: string): { append(trial: Trial): void; close(): void } {
  const { O_RDWR, O_CREAT, O_APPEND, O_NOFOLLOW } = constants;
  const fd = openSync(trialsFile(dir), O_RDWR | O_CREAT | O_APPEND | O_NOFOLLOW, 0o600);
  const text = readFileSync(trialsFile(dir));
  const whole = text.lastIndexOf(10) + 1;
  if (whole < fstatSync(fd).size) ftruncateSync(fd, whole);
  return {
    append(trial) {
      appendFileSync(fd, `${jsonLine(Trial.parse(trial))}\n`);
      fdatasyncSync(fd);
    },
    close: () => closeSync(fd),
  };
}

/**
 * Reads a run: each trial once, by its last attempt. A last line that was cut short is left out.
 * @throws RunError naming file and line.
 */
export function readRun(dir: string): Run {
  const header = readHeader(dir);
  const attempts = readTrials(dir);
  const last = new Map<string, Trial>();
  for (const trial of attempts) {
    const key = trialKey(trial.taskId, trial.trial);
    // A verdict stands, whatever comes behind it.
    if ((last.get(key)?.outcome ?? "infra") === "infra") last.set(key, trial);
  }
  const trials = header.tasks.flatMap(({ id }) =>
    Array.from({ length: header.k }, (_, i) => last.get(trialKey(id, i + 1))).filter((t) => t !== undefined),
  );
  const verdicts = trials.filter((t) => t.outcome !== "infra").length;
  return {
    dir,
    header,
    trials,
    infra: attempts.filter((t) => t.outcome === "infra"),
    missing: header.tasks.length * header.k - verdicts,
  };
}

/** One trial of one task, as a key. */
export function trialKey(taskId: string, trial: number): string {
  return `${taskId}/${trial}`;
}

function readHeader(dir: string): RunHeader {
  const file = headerFile(dir);
  try {
    return RunHeader.parse(JSON.parse(readFileSync(file, "utf8")));
  } catch (error) {
    if (isMissing(error)) throw new RunError(`There is no run in ${dir}: ${file} is missing.`);
    throw new RunError(`${file} can't be read as the header of a run: ${firstLine(error)}`);
  }
}

function readTrials(dir: string): Trial[] {
  const file = trialsFile(dir);
  if (!existsSync(file)) return [];
  const lines = readFileSync(file, "utf8").split("\n");
  // What stands behind the last line feed was cut short, or is nothing.
  return lines.slice(0, -1).map((line, i) => {
    try {
      return Trial.parse(JSON.parse(line));
    } catch (error) {
      throw new RunError(`${file}, line ${i + 1}: it is no trial: ${firstLine(error)}`);
    }
  });
}

/** Ids of the runs that there are, newest first: an id begins with its time. */
export function runIds(state: string): string[] {
  if (!existsSync(runsDir(state))) return [];
  return readdirSync(runsDir(state))
    .filter((id) => existsSync(headerFile(join(runsDir(state), id))))
    .toSorted()
    .toReversed();
}

/**
 * The folder of a run that the person names: by its id, the beginning of one, "last", or a path.
 * @throws RunError when it fits none or several.
 */
export function findRun(state: string, wanted: string): string {
  if (wanted.includes("/")) return wanted;
  const ids = runIds(state);
  const found = wanted === "last" ? ids.slice(0, 1) : ids.filter((id) => id.startsWith(wanted));
  const exact = found.includes(wanted) ? [wanted] : found;
  const [id] = exact;
  if (id === undefined)
    throw new NoRunError(`There is no run ${wanted} in ${runsDir(state)}; agent eval run makes one.`);
  if (exact.length > 1)
    throw new NoRunError(`${wanted} fits ${exact.length} runs: ${exact.slice(0, 5).join(", ")}. Write more of it.`);
  return join(runsDir(state), id);
}

function isMissing(error: unknown): boolean {
  return error instanceof Error && "code" in error && error.code === "ENOENT";
}

function firstLine(error: unknown): string {
  const text = error instanceof Error ? error.message : String(error);
  return text.split("\n").join(" ").slice(0, 200);
}
