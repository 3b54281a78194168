import { cpSync, mkdirSync, mkdtempSync, realpathSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { LogEvent } from "../events/event.ts";
import { copyStart } from "../session/recording.ts";
import { type CheckReport, checkReplay } from "../session/replay-check.ts";
import { openStore } from "../session/store.ts";
import { builtinTools } from "../tools/builtin.ts";
import { randomId, systemClock } from "../util/system.ts";
import { sanitize } from "../util/visible.ts";
import { stopOnSignals } from "./signals.ts";
import { UsageError } from "./usage-error.ts";

export interface CheckWanted {
  events: readonly LogEvent[];
  /** Where a recording keeps the folder that it began with. */
  start?: string | undefined;
  /** What was typed: a folder as it was when the session began. */
  folder?: string | undefined;
}

/** `agent replay ID --check`: plays the session again in a temporary copy of its folder. 1 where something comes that was not recorded. */
export async function printChecked({ events, start, folder }: CheckWanted, version: string): Promise<number> {
  const from = folder ?? start;
  if (from === undefined)
    throw new UsageError(
      "the folder as it was when the session began is not in its log: name it with --folder DIR (a backup, or `git worktree add DIR COMMIT`)",
    );
  if (statSync(from, { throwIfNoEntry: false })?.isDirectory() !== true)
    throw new UsageError(`--folder ${from}: there is no such folder`);
  const base = realpathSync(mkdtempSync(join(tmpdir(), "understudy-replay-")));
  const { signal, code } = stopOnSignals();
  try {
    const project = join(base, "project");
    copyInto(project, from, folder === undefined);
    const report = await checkReplay({ ...placeIn(base), folder: project, events, program: version, signal });
    if (code() === undefined) print(report);
    return code() ?? (report.divergence === undefined ? 0 : 1);
  } finally {
    rmSync(base, { recursive: true, force: true });
  }
}

/** A folder that is named by a link is copied, not its link: else the tools would run in the folder itself. */
function copyInto(project: string, from: string, recorded: boolean): void {
  try {
    if (recorded) copyStart(from, project);
    else cpSync(realpathSync(from), project, { recursive: true, verbatimSymlinks: true, preserveTimestamps: true });
  } catch (error) {
    throw new UsageError(`${from} can't be copied: ${error instanceof Error ? error.message : String(error)}`, {
      cause: error,
    });
  }
}

/** All that the play touches lies in `base`: the copy, its own state, an empty home. */
function placeIn(base: string) {
  const home = join(base, "home");
  mkdirSync(home);
  const { PATH, LANG = "C.UTF-8" } = process.env;
  return {
    store: openStore({ config: join(base, "config"), state: join(base, "state") }),
    machine: {
      env: { PATH, LANG },
      home,
      uid: process.getuid?.() ?? 0,
      gid: process.getgid?.() ?? 0,
      platform: process.platform,
      arch: process.arch,
    },
    tools: builtinTools,
    clock: systemClock,
    makeId: randomId,
  };
}

function print({ facts, calls, divergence, cut }: CheckReport): void {
  const lines =
    divergence === undefined
      ? [`holds: ${facts} facts as recorded, ${calls} calls run again`]
      : [`diverges at event ${divergence.seq}`, `  expected ${divergence.expected}`, `  came     ${divergence.came}`];
  if (cut !== undefined && divergence === undefined) lines.push(`  up to event ${cut.seq}: ${cut.why}`);
  process.stdout.write(lines.map((line) => `${sanitize(line).replaceAll("\n", " ")}\n`).join(""));
}
