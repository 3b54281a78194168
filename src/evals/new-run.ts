import { join } from "node:path";
import type { Mode } from "../events/effect.ts";
import type { Clock, MakeId } from "../util/deps.ts";
import { createRun } from "./run-folder.ts";
import type { Suite } from "./suite.ts";
import type { RunHeader } from "./trial.ts";
import { variantSettings, writeConfig, type Person, type Variant } from "./variant.ts";
import { SuiteError } from "./yaml-file.ts";

/** What was asked for on the command line, over what the suite says. */
export interface RunWishes {
  model?: string;
  mode?: Mode;
  trials?: number;
  seed?: number;
  delta?: number;
  /** Ids of tasks, or tags. Empty: all. */
  only: readonly string[];
}

/** Begins a run: its folder, header and settings. Nothing has run yet. @throws SuiteError, SettingsError */
export function beginRun(
  suite: Suite,
  variant: Variant,
  wishes: RunWishes,
  deps: {
    state: string;
    person: Person;
    version: string;
    model: string;
    clock: Clock;
    makeId: MakeId;
  },
): { dir: string; header: RunHeader } {
  const { only } = wishes;
  const tasks = suite.tasks.filter(
    ({ id, tags }) => only.length === 0 || only.includes(id) || tags.some((t) => only.includes(t)),
  );
  const unknown = only.find((word) => !suite.tasks.some(({ id, tags }) => id === word || tags.includes(word)));
  if (unknown !== undefined)
    throw new SuiteError([
      `--only ${unknown}: no task and no tag of ${suite.name} has this name; there are ${suite.tasks.map((t) => t.id).join(", ")}`,
    ]);
  const settings = variantSettings(variant, deps.person);
  const date = new Date(deps.clock.now()).toISOString();
  const delta = wishes.delta ?? suite.delta;
  const header: RunHeader = {
    v: 1,
    id: `${date.slice(0, 19).replaceAll(/[-:]/g, "").replace("T", "-")}-${suite.name}-${variant.name}${deps.makeId("").slice(0, 6)}`,
    suite: suite.name,
    suiteDir: suite.dir,
    suiteHash: suite.hash,
    model: wishes.model ?? settings.model ?? deps.model,
    variant: variant.name,
    variantHash: variant.hash,
    ...(wishes.mode === undefined ? {} : { mode: wishes.mode }),
    seed: wishes.seed ?? suite.seed,
    k: wishes.trials ?? suite.trials,
    tasks: tasks.map(({ id, title, tags }) => ({ id, title, tags: [...tags] })),
    ...(delta === undefined ? {} : { delta }),
    maxInfraShare: suite.maxInfraShare,
    version: deps.version,
    date,
  };
  const dir = createRun(deps.state, header, (at) => writeConfig(join(at, "config"), variant, settings));
  return { dir, header };
}
