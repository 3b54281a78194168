import { textOf, text } from "../events/block.ts";
import { type TimedFact, writeLog } from "../events/copy-log.ts";
import type { Mode } from "../events/effect.ts";
import type { LogBody, LogEvent } from "../events/event.ts";
import { loadKey } from "../events/key.ts";
import { layersOf, rehearses } from "../events/layers.ts";
import { loadLog, type LoadedLog } from "../events/load.ts";
import { MODES } from "../events/mode.ts";
import { fold, initialState } from "../events/reduce.ts";
import type { SessionState } from "../events/state.ts";
import type { Clock } from "../util/deps.ts";
import type { Store } from "./store.ts";

export interface ForkOptions {
  store: Store;
  clock: Clock;
  /** Version of the program, for the log. */
  program: string;
  /** Id of the new session. */
  sessionId: string;
  /** Of a new session, where neither is named. */
  mode: Mode;
  /** Seq of a message of the conversation: the copy ends before it. Without it: at the end. */
  before?: number | undefined;
}

/**
 * Makes a session with an id and a chain of its own out of another one's conversation, up to the end or to before a message (E2). The
 * other is only read, so it may be open elsewhere. Taken over is what was said, called and answered, what was read, todos, model, and
 * where the shell stood. Not taken over: rules, trust, approvals, the mode where it allows more than a new session's, steps that landed
 * or wait (their undo and their review stay with the other), background shells, the name. A call without a result gets one, and is not
 * run.
 * @throws LogError when there is no such session or its log can't be read; Error when there is no such message.
 */
export async function forkSession(parent: string, options: ForkOptions): Promise<void> {
  const { store, clock, sessionId, before } = options;
  const key = loadKey(store.key);
  const place = { sessionsDir: store.sessions, contentDir: store.content, key };
  const loaded = await loadLog({ ...place, sessionId: parent });
  if (before !== undefined && !isMessage(loaded.state, before))
    throw new Error(`there is no message ${before} in session ${parent} to fork before`);
  const events = before === undefined ? loaded.events : loaded.events.filter((event) => event.seq < before);
  const then = before === undefined ? loaded.state : fold(initialState(parent), events);
  const now = new Date(clock.now()).toISOString();
  const facts = events.map(({ seq, at, ...event }): TimedFact => {
    if (seq === 1 && event.type === "session.opened") return { at: now, body: opening(loaded, then, events, options) };
    const taken = TAKEN.has(event.type) || event.type === "fork.left";
    return { at, body: taken ? bodyOf(event) : { type: "fork.left", kind: event.type } };
  });
  const more = endings(loaded, then, before).map((body) => ({ at: now, body }));
  await writeLog({ ...place, sessionId, clock }, [...facts, ...more]);
}

/** What a copy of a conversation is made of; no fact that grants anything, and none of a change of files. */
const TAKEN: ReadonlySet<LogBody["type"]> = new Set([
  "prompt.submitted",
  "note.added",
  "memory.read",
  "memory.recalled",
  "skills.listed",
  "skill.loaded",
  "turn.started",
  "reply.completed",
  "reply.cut",
  "reply.voided",
  "call.started",
  "call.finished",
  "shell.moved",
  "shell.ran",
  "todo.updated",
  "work.begun",
  "judge.named",
  "model.changed",
  "effort.changed",
  "context.cleared",
  "context.mended",
  "context.compacted",
  "context.restored",
  "context.pinned",
  "context.unpinned",
  "context.reset",
  "context.rewound",
  "query.finished",
]);

function bodyOf({ v: _v, mac: _mac, ...body }: Omit<LogEvent, "seq" | "at">): LogBody {
  return body as LogBody;
}

function isMessage(state: SessionState, seq: number): boolean {
  return state.items.some((item) => item.seq === seq && item.kind === "prompt" && item.when === "start");
}

function opening(
  { state }: LoadedLog,
  then: SessionState,
  events: readonly LogEvent[],
  { sessionId, program, mode }: ForkOptions,
): LogBody {
  const first = events[0];
  const last = events.at(-1);
  return {
    type: "session.opened",
    sessionId,
    folder: then.folder,
    roots: then.roots.filter((root) => root.kind === "folder"),
    program,
    mode: stricter(state.mode, mode),
    // The facts tell how it changed.
    model: first?.type === "session.opened" ? first.model : then.model,
    forkedFrom: { sessionId: state.id, seq: events.length, mac: last?.mac ?? "" },
  };
}

function stricter(a: Mode, b: Mode): Mode {
  return MODES.indexOf(a) < MODES.indexOf(b) ? a : b;
}

/** What makes the copy whole where it ends: results for calls without one, the query's end, distrust, and a note on what is not here. */
function endings(loaded: LoadedLog, then: SessionState, before: number | undefined): LogBody[] {
  const out: LogBody[] = [];
  for (const call of then.calls.values()) {
    if (call.result !== undefined) continue;
    const words = "Interrupted: it had no result when this session was forked, and did not run here.";
    out.push({
      type: "call.finished",
      callId: call.callId,
      status: "interrupted",
      content: [text(words)],
      touched: [],
      durationMs: 0,
    });
  }
  const { query } = then;
  if (query !== undefined && (query.ended === undefined || query.ended === "waiting"))
    out.push({ type: "query.finished", reason: "interrupted", turns: query.turn, durationMs: 0 });
  // Whose rehearsal it was, nothing of it is to land unseen from a copy.
  if (rehearses(loaded.state)) out.push({ type: "rehearsal.changed", on: true, by: "person" });
  if (loaded.foreign !== undefined || loaded.state.foreign)
    out.push({ type: "session.foreign", reason: `the log of session ${loaded.state.id}, of which it is a copy, was` });
  const note = noteOf(loaded, then, before);
  return note === undefined ? out : [...out, { type: "note.added", text: note }];
}

/** What the model would take for given from the conversation and isn't so here. */
function noteOf({ state, events }: LoadedLog, then: SessionState, before: number | undefined): string | undefined {
  const since = before === undefined ? [] : events.filter((event) => event.seq >= before);
  const later = since.flatMap((e) =>
    e.type === "changes.landed" && isLanded(state, e.operationId) ? e.summary.entries.map((entry) => entry.path) : [],
  );
  const undone =
    before === undefined ? [] : then.steps.filter((s) => s.status === "landed" && !isLanded(state, s.operationId));
  const waiting = layersOf(then).filter((layer) => layer.pended);
  const lines = [
    ...(later.length === 0
      ? []
      : [`These files were changed after this point of the conversation, and are so in the folder: ${listed(later)}.`]),
    ...(undone.length === 0
      ? []
      : [`Undone since: ${listed(undone.flatMap((s) => s.summary?.entries.map((e) => e.path) ?? []))}.`]),
    ...(waiting.length === 0
      ? []
      : [
          "The changes of it that wait for a review wait there: they are not in the folder, and this session doesn't see them.",
        ]),
    ...(then.groups.some((group) => group.end === undefined) ? ["Its background shells are not this session's."] : []),
  ];
  if (lines.length === 0) return undefined;
  return `This conversation is a copy of another session's. ${lines.join(" ")} Read files again before you rely on them.`;
}

function isLanded(state: SessionState, operationId: string): boolean {
  return state.steps.some((step) => step.operationId === operationId && step.status === "landed");
}

function listed(paths: readonly string[]): string {
  const names = [...new Set(paths)];
  return names.slice(0, 10).join(", ") + (names.length > 10 ? ` and ${names.length - 10} more` : "");
}

/** Said when a fork opens in which nothing was said yet. */
export function forkWords(state: SessionState): string | undefined {
  const from = state.forkedFrom;
  if (from === undefined || state.items.some((item) => item.kind !== "note" && item.seq > from.seq)) return undefined;
  const last = state.items.findLast((item) => item.kind === "prompt");
  const words = last === undefined ? "" : textOf(last.content).trim().split("\n", 1)[0];
  const upTo =
    words === undefined || words === "" ? "" : ` (its last message here: "${words.slice(0, 60).toWellFormed()}")`;
  return `A copy of session ${from.sessionId}${upTo}. What that one landed is undone there; its rules and approvals are not taken over.`;
}
