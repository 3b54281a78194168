import { mkdirSync } from "node:fs";
import { LogError } from "../../src/events/log-error.ts";
import { StoreError } from "../../src/session/store.ts";
import type { CasePlace } from "./call-case.ts";
import type { SecurityCase } from "./case.ts";
import { drive, type Drive, type DriveOptions } from "./drive.ts";
import { groundAt, onHost, type Ground } from "./ground.ts";

/** The program's own folders of this case alone. */
export function ownGround({ folders }: CasePlace): Ground {
  const ground = groundAt(folders.base);
  for (const dir of [ground.config, ground.state]) mkdirSync(dir, { recursive: true, mode: 0o700 });
  return ground;
}

/** The session, or the message with which it is refused. */
export async function tryOpen(place: CasePlace, ground: Ground, options: DriveOptions): Promise<Drive | string> {
  try {
    return await drive(place.folders, ground, options);
  } catch (error) {
    if (error instanceof LogError || error instanceof StoreError) return error.message;
    throw error;
  }
}

/** Checks of a case that is no call: of its message, the machine, the memory. */
export async function failed(c: SecurityCase, { folders }: CasePlace, said: string, growth: number): Promise<string[]> {
  const wrong = (c.check.result_lacks ?? []).filter((part) => said.includes(part)).map((p) => `the message has ${p}`);
  for (const line of c.check.host ?? [])
    if ((await onHost(line, folders, "-uc")).code !== 0) wrong.push(`${line} does not hold`);
  const most = c.check.max_rss_growth_mb ?? Infinity;
  return growth > most ? [...wrong, `memory grew by ${Math.round(growth)} MB`] : wrong;
}
