import type { LogBody, LogEvent } from "../events/event.ts";

/** Names that differ between a record and its check, as one side has them, with what both are compared as. Longest first. */
export type Names = readonly (readonly [own: string, shared: string])[];

/** What a run decides by itself: times, places in the log, hashes over times, what nobody compares. */
const LEFT_OUT = new Set([
  "v",
  "seq",
  "at",
  "mac",
  "durationMs",
  "manifestHash",
  "shown",
  "details",
  "model",
  "program",
  "messageId",
  "sessionId",
  "up",
  "down",
  "retriedOn",
]);

/** Facts about the machine, the day and who is there, which the model is told. */
const AROUND = /^(Folder|Holds|Person|Also|Repository|Platform|Today|Commands can't be contained)\b.*$\n?/gm;

/** Facts that say where and by which program a session was open, not what happened in it. */
const IGNORED: ReadonlySet<LogBody["type"]> = new Set([
  "session.opened",
  "session.resumed",
  "session.repaired",
  "session.foreign",
  "rehearsal.changed",
  "hooks.set",
  "trust.given",
  "trust.ended",
  "bypass.changed",
  "aside.asked",
  // What lies in files that are not in the log.
  "memory.read",
  "memory.recalled",
  "skills.listed",
  "skill.loaded",
]);

/** An event as it is compared: without what a run decides by itself, in the names of both. undefined: it is not compared. */
export function comparable(event: LogEvent, names: Names): unknown {
  if (IGNORED.has(event.type)) return undefined;
  if (event.type === "note.added") {
    const text = plain(event.text, names).replaceAll(AROUND, "").trim();
    return text === "" ? undefined : { type: event.type, text };
  }
  if (event.type === "call.finished" && event.status === "interrupted") {
    // How far it came is a matter of the moment.
    return { type: event.type, callId: event.callId, status: event.status };
  }
  return shape(event, names);
}

function shape(value: unknown, names: Names): unknown {
  if (typeof value === "string") return plain(value, names);
  if (Array.isArray(value)) return value.map((v) => shape(v, names));
  if (typeof value !== "object" || value === null) return value;
  const kept = Object.entries(value).filter(([key, v]) => !LEFT_OUT.has(key) && v !== undefined);
  return Object.fromEntries(kept.map(([key, v]) => [key, shape(v, names)]));
}

/** Times, durations, process ids, temporary names and hashes over them become marks. */
function plain(text: string, names: Names): string {
  const named = names.reduce((t, [own, shared]) => t.replaceAll(own, shared), text);
  return (
    named
      .replaceAll(/\b\d{4}-\d{2}-\d{2}[T ]\d{2}:\d{2}(:\d{2}(\.\d+)?)?(Z|[+-]\d{2}:?\d{2})?/g, "{time}")
      .replaceAll(/\b\d{2}:\d{2}:\d{2}(\.\d+)?\b/g, "{time}")
      .replaceAll(/\b\d+(\.\d+)? ?(ms|s|seconds|min)\b/g, "{duration}")
      .replaceAll(/\b(pid|PID|process) \d+/g, "$1 {pid}")
      // A round is named by a hash over results as they were, with times and places in them.
      .replaceAll(/\bround:f?[0-9a-f]{16,}/g, "round:{hash}")
      .replaceAll(/\{results\}\/[\w-]+\//g, "{results}/")
      .replaceAll(/\/tmp\/(tmp\.|[\w-]+[.-])[A-Za-z0-9]{6,}/g, "/tmp/{name}")
  );
}

/** Where two compared values differ first: the way to it and both sides, short; undefined where they don't. */
export function difference(expected: unknown, came: unknown, way = ""): string | undefined {
  if (typeof expected === "string" && typeof came === "string") {
    return expected === came ? undefined : `${way}: ${textDifference(expected, came)}`;
  }
  if (isObject(expected) && isObject(came)) {
    const keys = [...new Set([...Object.keys(expected), ...Object.keys(came)])];
    for (const key of keys) {
      const found = difference(expected[key], came[key], way === "" ? key : `${way}.${key}`);
      if (found !== undefined) return found;
    }
    return undefined;
  }
  return Object.is(expected, came) ? undefined : `${way}: expected ${short(expected)}, came ${short(came)}`;
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null;
}

const AROUND_IT = 30;

function textDifference(expected: string, came: string): string {
  let at = 0;
  while (at < expected.length && expected[at] === came[at]) at++;
  const from = Math.max(0, at - AROUND_IT);
  const lead = from > 0 ? "…" : "";
  const piece = (text: string): string =>
    JSON.stringify(`${lead}${text.slice(from, at + AROUND_IT)}${text.length > at + AROUND_IT ? "…" : ""}`);
  return `expected ${piece(expected)}, came ${piece(came)}`;
}

function short(value: unknown): string {
  const text = value === undefined ? "nothing" : JSON.stringify(value);
  return text.length > 80 ? `${text.slice(0, 79)}…` : text;
}
