import { mkdirSync, realpathSync } from "node:fs";
import { join, resolve } from "node:path";
import type { LogEvent } from "../../src/events/event.ts";
import { type LoadedLog, loadLog } from "../../src/events/load.ts";
import { copyStart, openRecording } from "../../src/session/recording.ts";
import { type CheckReport, checkReplay } from "../../src/session/replay-check.ts";
import { openStore } from "../../src/session/store.ts";
import { builtinTools } from "../../src/tools/builtin.ts";
import { randomId, systemClock } from "../../src/util/system.ts";
import { scratch } from "./scratch.ts";

/** The recorded sessions. */
export const RECORDINGS = resolve(import.meta.dirname, "../../fixtures/sessions");

/** A recorded session's log, and the folder that it began with. */
export async function recorded(name: string): Promise<LoadedLog & { start: string }> {
  const { log, start } = openRecording(join(RECORDINGS, name), join(scratch("record"), "log"));
  if (start === undefined) throw new Error(`${name} has no folder to start with`);
  return { ...(await loadLog(log)), start };
}

/** Plays events again in a copy of a folder. */
export function checked(events: readonly LogEvent[], start: string): Promise<CheckReport> {
  const base = realpathSync(scratch("check"));
  const folder = join(base, "project");
  copyStart(start, folder);
  mkdirSync(join(base, "home"));
  return checkReplay({
    events,
    folder,
    store: openStore({ config: join(base, "config"), state: join(base, "state", "understudy") }),
    machine: {
      env: { PATH: "/usr/local/bin:/usr/bin:/bin", LANG: "C.UTF-8" },
      home: join(base, "home"),
      uid: process.getuid?.() ?? 0,
      gid: process.getgid?.() ?? 0,
      platform: process.platform,
      arch: process.arch,
    },
    tools: builtinTools,
    clock: systemClock,
    makeId: randomId,
    program: "check",
    signal: new AbortController().signal,
  });
}
