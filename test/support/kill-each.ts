import { spawn } from "node:child_process";
import { once } from "node:events";
import { dirname, join, resolve } from "node:path";
import type { LogEvent } from "../../src/events/event.ts";
import type { Place } from "./open-at.ts";

const preload = resolve(import.meta.dirname, "kill-at.mjs");

/** Where a session is killed. */
export interface Moment {
  /** Which log: "" the session's, else the end of a sub-agent's id ("-a1"). */
  log: string;
  line: number;
  /** Ahead of a fact's line all that it tells of has happened; behind it nothing of what comes next has. */
  when: "before" | "after";
}

/** Runs a bundled program (`argv[2]`: the place) in a place, killed at a moment or to its end; how it ended. */
export async function runKilled(file: string, at: Place, moment?: Moment): Promise<string> {
  const kill =
    moment === undefined ? {} : { KILL_LOG: moment.log, KILL_LINE: String(moment.line), KILL_WHEN: moment.when };
  const child = spawn(process.execPath, ["--import", preload, file, JSON.stringify(at)], {
    // Half of a start is compiling what was compiled before.
    env: { PATH: process.env["PATH"] ?? "", HOME: at.home, NODE_COMPILE_CACHE: join(dirname(file), "cache"), ...kill },
    stdio: ["ignore", "ignore", "pipe"],
  });
  let err = "";
  child.stderr.setEncoding("utf8").on("data", (s: string) => (err += s));
  const [code, signal] = (await once(child, "close")) as [number | null, NodeJS.Signals | null];
  return `${signal ?? code} ${err}`.trim();
}

/** Every moment of these logs. Ahead of a session's first line there is none: the program starts anew, which tells nothing here. */
export function allMoments(logs: ReadonlyMap<string, readonly LogEvent[]>): Moment[] {
  return [...logs].flatMap(([log, events]) =>
    events.flatMap((_, i): Moment[] => [
      ...(log === "" && i === 0 ? [] : [{ log, line: i + 1, when: "before" as const }]),
      { log, line: i + 1, when: "after" },
    ]),
  );
}

/** All, or as many as asked for: the same each time, spread over the whole. */
export function spread<T>(all: readonly T[], count: number): readonly T[] {
  if (count >= all.length) return all;
  return Array.from({ length: count }, (_, i) => all[Math.floor(((i + 0.5) * all.length) / count)]).filter(
    (one) => one !== undefined,
  );
}

/** One part of several, as "2/6" says: a run of hours can be done in pieces. */
export function partOf<T>(all: readonly T[], part = "1/1"): readonly T[] {
  const [n = 1, many = 1] = part.split("/").map(Number);
  return all.filter((_, i) => i % many === n - 1);
}

/** Does the work for each, so many at a time; what came of it, in their order. */
export async function some<T, R>(list: readonly T[], atOnce: number, work: (one: T) => Promise<R>): Promise<R[]> {
  const out: R[] = [];
  const left = [...list.entries()];
  const worker = async (): Promise<void> => {
    for (let next = left.shift(); next !== undefined; next = left.shift()) out[next[0]] = await work(next[1]);
  };
  await Promise.all(Array.from({ length: atOnce }, worker));
  return out;
}

/** Where two values differ, with both. */
export function differences(seen: unknown, wanted: unknown, path = "", most = 3): string[] {
  if (JSON.stringify(seen) === JSON.stringify(wanted)) return [];
  if (typeof seen !== "object" || typeof wanted !== "object" || seen === null || wanted === null)
    return [`${path} is ${JSON.stringify(seen)}, not ${JSON.stringify(wanted)}`];
  const keys = [...new Set([...Object.keys(seen), ...Object.keys(wanted)])];
  return keys.flatMap((key) => differences(Object(seen)[key], Object(wanted)[key], `${path}/${key}`)).slice(0, most);
}
