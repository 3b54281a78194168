import { programDirs } from "../session/environment.ts";
import { openStore } from "../session/store.ts";
import { systemClock } from "../util/system.ts";
import { readLog } from "./read-log.ts";

export interface ReplayOptions {
  id: string;
  /** Times the pace of reading; Infinity: at once. */
  speed: number;
  /** A key for each step. */
  step: boolean;
  /** Event from which on it plays; what was before is shown at once. */
  from?: number;
  check: boolean;
  folder?: string;
}

/** `agent replay ID`: plays a session on the screen, or again in a copy. Reads only: the folder, the log and the network are left alone. */
export async function replay(options: ReplayOptions, version: string): Promise<number> {
  const { events, start } = await readLog(openStore(programDirs(process.env)), options.id);
  if (options.check)
    return (await import("./replay-check.ts")).printChecked({ events, start, folder: options.folder }, version);
  const { stdin, stdout, env } = process;
  if (!stdin.isTTY || !stdout.isTTY) {
    for (const row of (await import("../ui/replay/plain.ts")).plainReplay(events, 80)) stdout.write(`${row}\n`);
    return 0;
  }
  const { showReplay } = await import("../ui/replay/screen.ts");
  await showReplay(events, { ...options, stdin, stdout, env, clock: systemClock });
  return 0;
}
