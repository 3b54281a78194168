import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { ChangeSummary } from "../../src/events/effect.ts";
import type { LogBody, LogBodyOf, LogEvent } from "../../src/events/event.ts";
import { loadLog, type LoadedLog } from "../../src/events/load.ts";
import type { EventLog } from "../../src/events/log.ts";
import type { LogFs } from "../../src/events/log-fs.ts";
import { openLog } from "../../src/events/open-log.ts";
import { fold, initialState } from "../../src/events/reduce.ts";
import type { SessionState } from "../../src/events/state.ts";
import type { Clock } from "../../src/util/deps.ts";
import { systemClock } from "../../src/util/system.ts";
import { scratch } from "./scratch.ts";

export const KEY = new Uint8Array(32).fill(7);
export const NO_USAGE = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 };
export const NO_CHANGES: ChangeSummary = {
  entries: [],
  files: 0,
  git: [],
  regenerable: [],
  manifestHash: "m",
  undoable: true,
};

export const OPENED: LogBodyOf<"session.opened"> = {
  type: "session.opened",
  sessionId: "ses_a",
  folder: "/p",
  roots: [{ path: "/p", kind: "folder" }],
  program: "0",
  mode: "auto",
  model: "m",
};

export interface Place {
  sessionsDir: string;
  contentDir: string;
  sessionId: string;
  key: Uint8Array;
  clock: Clock;
}

/** A fresh state folder with nothing in it. */
export function place(dir = scratch("log")): Place {
  return {
    sessionsDir: join(dir, "sessions"),
    contentDir: join(dir, "content"),
    sessionId: "ses_a",
    key: KEY,
    clock: systemClock,
  };
}
export function logFile(at: Place): string {
  return join(at.sessionsDir, `${at.sessionId}.jsonl`);
}
export function headFile(at: Place): string {
  return join(at.sessionsDir, `${at.sessionId}.head`);
}

/** A new log with its opening and these facts. */
export async function newLog(at: Place, bodies: readonly LogBody[] = [], fs?: LogFs): Promise<EventLog> {
  const log = await openLog({ ...at, create: true, ...(fs === undefined ? {} : { fs }) });
  await log.append({ ...OPENED, sessionId: at.sessionId });
  for (const body of bodies) await log.append(body);
  return log;
}
/** Writes a log and closes it. */
export async function written(at: Place, bodies: readonly LogBody[]): Promise<readonly LogEvent[]> {
  const log = await newLog(at, bodies);
  await log.close();
  return log.events;
}
export function reopened(at: Place): Promise<EventLog> {
  return openLog({ ...at, create: false });
}
export function load(at: Place): Promise<LoadedLog> {
  return loadLog(at);
}
export function lines(file: string): string[] {
  return readFileSync(file, "utf8").split("\n").slice(0, -1);
}
/** All files below a folder. */
export function filesBelow(dir: string): string[] {
  return readdirSync(dir, { recursive: true, encoding: "utf8" }).toSorted();
}

/** Numbers bodies as a log would. */
export function events(bodies: readonly LogBody[], from = 1): LogEvent[] {
  return bodies.map((body, i) => ({
    v: 1,
    seq: from + i,
    at: new Date(1e12 + (from + i) * 1000).toISOString(),
    mac: `m${from + i}`,
    ...body,
  }));
}
/** The fold of an opening and these bodies. */
export function stateOf(...bodies: LogBody[]): SessionState {
  return fold(initialState("ses_a"), events([OPENED, ...bodies]));
}

export function prompt(words: string, when: "start" | "steer" = "start"): LogBody {
  return { type: "prompt.submitted", when, content: [{ type: "text", text: words }] };
}
export function reply(
  blocks: LogBodyOf<"reply.completed">["blocks"],
  more: Partial<LogBodyOf<"reply.completed">> = {},
): LogBody {
  return {
    type: "reply.completed",
    turn: 1,
    model: "m",
    blocks,
    usage: NO_USAGE,
    stopReason: "end_turn",
    durationMs: 1,
    attempts: 1,
    ...more,
  };
}
export function toolUse(id: string, name = "Read", input: Record<string, unknown> = {}) {
  return { type: "tool_use" as const, id, name, input };
}
export function started(callId: string, operationId = `op_${callId}`, tool = "Read"): LogBody {
  return { type: "call.started", callId, operationId, attempt: 1, tool, input: {} };
}
export function finished(callId: string, words = "fine", status: LogBodyOf<"call.finished">["status"] = "ok"): LogBody {
  return {
    type: "call.finished",
    callId,
    status,
    content: [{ type: "text", text: words }],
    touched: [],
    durationMs: 1,
  };
}
export function proposedBody(callId: string, operationId = `op_${callId}`, summary = NO_CHANGES): LogBody {
  return {
    type: "changes.proposed",
    callId,
    operationId,
    outcome: { status: "ok", content: [], touched: [] },
    summary,
  };
}
