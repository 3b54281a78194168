import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { beginRun, type RunWishes } from "../../src/evals/new-run.ts";
import { runSuite, type RunEvent, type RunOptions } from "../../src/evals/run-suite.ts";
import type { Suite } from "../../src/evals/suite.ts";
import { modelChoice } from "../../src/evals/trial-model.ts";
import type { TrialDeps } from "../../src/evals/trial-session.ts";
import type { Run } from "../../src/evals/trial.ts";
import { PLAIN, type Variant } from "../../src/evals/variant.ts";
import { randomId, systemClock } from "../../src/util/system.ts";
import type { Place } from "./session.ts";

/** Files by their paths, below a folder. */
export function filesIn(dir: string, files: Readonly<Record<string, string>>): string {
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(dirname(join(dir, name)), { recursive: true });
    writeFileSync(join(dir, name), text);
  }
  return dir;
}

export interface EvalInput extends Partial<RunWishes> {
  variant?: Variant;
  signal?: AbortSignal;
  bound?: number;
}

/** Begins a run of a suite with the program's folders of a place. */
export function beginAt(at: Place, suite: Suite, { variant = PLAIN, signal, ...wishes }: EvalInput = {}): TrialDeps {
  const person = { configDir: at.config, home: at.home };
  const deps = { state: at.state, person, version: "test", model: "none", clock: systemClock, makeId: randomId };
  const { dir, header } = beginRun(suite, variant, { only: [], ...wishes }, deps);
  return {
    dir,
    work: join(at.state, "work"),
    header,
    choice: modelChoice(wishes.model),
    env: { PATH: process.env["PATH"], HOME: at.home, LANG: "C.UTF-8" },
    version: "test",
    clock: systemClock,
    signal: signal ?? new AbortController().signal,
  };
}

/** Runs a run to its end. */
export async function ranAt(
  suite: Suite,
  deps: TrialDeps,
  bound = 2,
  options: Partial<RunOptions> = {},
): Promise<{ run: Run; events: RunEvent[] }> {
  const events: RunEvent[] = [];
  const running = runSuite(suite, deps, { bound, waitMs: 1, ...options });
  for (;;) {
    const step = await running.next();
    if (step.done === true) return { run: step.value, events };
    events.push(step.value);
  }
}

/** One line a trial: what came of it, and why. */
export function outcomes({ trials }: Run): string[] {
  return trials.map((t) => `${t.taskId} ${t.trial} ${t.outcome}${t.reason === "" ? "" : `: ${t.reason}`}`);
}
