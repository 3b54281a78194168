import type { Mode, Rule } from "../events/effect.ts";
import type { LogEvent, LogEventOf } from "../events/event.ts";
import type { Prompt } from "../loop/deps.ts";
import { isHigh } from "../permissions/risk.ts";
import { assertNever } from "../util/never.ts";

/** What the person did, at the first event that came of it. `within`: while a query ran. */
export type Act = { seq: number; within: boolean } & (
  | { act: "prompt" | "steer"; said: Prompt }
  | { act: "mode"; mode: Mode }
  | { act: "model"; model: string }
  | { act: "name"; name: string }
  | { act: "clear" }
  | { act: "shell"; command: string }
  /** `along`: several steps were turned as one. */
  | { act: "undo" | "redo"; operationId: string; along: boolean }
  | { act: "rehearse"; on: boolean }
  | { act: "land" }
  /** The program ended between two messages and was started again. */
  | { act: "resume" }
  /** An answer to what a query waited for. */
  | { act: "goOn" }
  /** The query was stopped. */
  | { act: "stop" }
);

/** What a check plays: the person's acts in order, up to where it can't go on. */
export interface Script {
  opened: LogEventOf<"session.opened">;
  events: readonly LogEvent[];
  acts: readonly Act[];
  /** Rules of files and command line, as far as verdicts name them. */
  rules: readonly Rule[];
  /** `--rehearse`. */
  rehearse: boolean;
  /** `permissions.commands: before`. */
  before: boolean;
  /** Turns of one message, where a message ended at that limit. */
  turns?: number;
  /** The first event that can't be played again, and why; `events` end before it. */
  cut?: { seq: number; why: string };
}

/** Reads a log as a script. Throws an Error for one that doesn't begin a session. */
export function scriptOf(all: readonly LogEvent[], tools: ReadonlySet<string>): Script {
  const [opened] = all;
  if (opened?.type !== "session.opened") throw new Error("the log doesn't begin with a session's opening");
  const cut = cutOf(all, tools);
  const events = cut === undefined ? all : all.filter((e) => e.seq < cut.seq);
  const limited = events.find((e) => e.type === "query.finished" && e.reason === "turn-limit");
  const changed = events.find((e) => e.type === "rehearsal.changed");
  return {
    opened,
    events,
    acts: actsOf(events),
    rules: rulesIn(events),
    rehearse: changed?.type === "rehearsal.changed" && changed.by === "flag",
    before: events.some(
      (e) => e.type === "permission.decided" && e.effect?.needs.some((need) => need.kind === "before") === true,
    ),
    ...(limited?.type === "query.finished" ? { turns: limited.turns } : {}),
    ...(cut === undefined ? {} : { cut }),
  };
}

function cutOf(events: readonly LogEvent[], tools: ReadonlySet<string>): Script["cut"] {
  let running = false;
  for (const event of events) {
    if (event.type === "prompt.submitted") running = true;
    const why = unplayable(event, running, tools);
    if (why !== undefined) return { seq: event.seq, why };
    if (event.type === "query.finished") running = false;
  }
  return undefined;
}

const LIMITS = new Set(["token-limit", "cost-limit", "time-limit", "context-limit", "checks-failed"]);

/** Why an event can't be brought about again. What left the copy is never run a second time (E3). */
function unplayable(event: LogEvent, running: boolean, tools: ReadonlySet<string>): string | undefined {
  switch (event.type) {
    case "session.opened":
      if (event.forkedFrom !== undefined) return "the session is a fork; check the one that it was forked from";
      return event.roots.length > 1 ? "the session worked on further folders (--add-dir)" : undefined;
    case "session.resumed":
      return running ? "the program had ended in the middle of a message" : undefined;
    case "permission.decided": {
      const leaves = event.gate === "needs" && event.effect?.needs.some(isHigh) === true;
      return leaves && event.outcome === "allow" ? "what left the copy is not run again" : undefined;
    }
    case "call.started":
      if (event.tool === "Task") return "what sub-agents did is not done again; each has a log of its own";
      return tools.has(event.tool) ? undefined : `the tool ${event.tool} is none of the program's own`;
    case "shell.ran":
      return event.outside ? "a command of the person's outside the copy (!!) is not run again" : undefined;
    case "query.finished":
      return LIMITS.has(event.reason) ? `the settings behind the end "${event.reason}" are not in the log` : undefined;
    case "call.edited":
      return "the person changed what the model had called";
    case "rule.added":
      return event.by === undefined ? undefined : "the person changed rules by hand";
    case "rule.removed":
    case "context.rewound":
    case "context.compacted":
    case "context.restored":
    case "context.pinned":
    case "context.unpinned":
    case "context.cleared":
    case "context.mended":
    case "limit.changed":
    case "hook.started":
    case "hook.ran":
    case "check.ran":
    case "work.begun":
    case "judge.named":
    case "verdict.given":
      return `${event.type} depends on what is not in the log`;
    default:
      return undefined;
  }
}

function actsOf(events: readonly LogEvent[]): Act[] {
  const acts: Act[] = [];
  let running = false;
  let waits = false;
  let settled: number | undefined;
  const stops = stopsIn(events);
  for (const event of events) {
    const { seq } = event;
    if (stops.has(seq)) acts.push({ seq, within: true, act: "stop" });
    if (waits && (event.type === "call.started" || event.type === "permission.asked")) {
      acts.push({ seq, within: false, act: "goOn" });
      [waits, running] = [false, true];
    }
    // What comes in the place of the answer that was waited for ends the call first.
    if (waits && event.type === "call.finished") settled ??= seq;
    const act = actOf(event, events, running);
    if (act !== undefined) {
      acts.push({ seq: settled ?? seq, within: running && event.type !== "session.resumed", ...act });
      settled = undefined;
    }
    if (event.type === "prompt.submitted" && event.when === "start") [running, waits] = [true, false];
    if (event.type === "query.finished") [running, waits] = [false, event.reason === "waiting"];
  }
  return acts.map((act) => (act.act === "prompt" ? { ...act, within: false } : act));
}

/** As `landKept` says it. */
const KEPT_LANDED = "landed by the person";

type Done = Act extends infer A ? (A extends Act ? Omit<A, "seq" | "within"> : never) : never;

/** What the person did to bring an event about; undefined where the program did. */
function actOf(event: LogEvent, events: readonly LogEvent[], running: boolean): Done | undefined {
  switch (event.type) {
    case "session.resumed":
      return { act: "resume" };
    case "prompt.submitted": {
      const { content, touched } = event;
      return { act: event.when === "start" ? "prompt" : "steer", said: { content, touched } };
    }
    case "mode.changed":
      return event.by === "person" ? { act: "mode", mode: event.mode } : undefined;
    case "model.changed":
      return { act: "model", model: event.model };
    case "session.named":
      return { act: "name", name: event.name };
    case "context.reset":
      return { act: "clear" };
    case "shell.ran":
      return { act: "shell", command: event.command };
    case "rehearsal.changed":
      return event.by === "person" ? { act: "rehearse", on: event.on } : undefined;
    case "changes.proposed":
      return event.from === undefined ? undefined : { act: "land" };
    case "changes.dropped": {
      // What the copy kept was landed: one fact for each of its layers.
      const before = events[events.indexOf(event) - 1];
      const goesOn = before?.type === "changes.dropped" && before.reason === event.reason;
      return running || goesOn || event.reason !== KEPT_LANDED ? undefined : { act: "land" };
    }
    case "changes.undone":
    case "changes.redone": {
      // Several that were turned as one stand together.
      const at = events.indexOf(event);
      if (running || events[at - 1]?.type === event.type) return undefined;
      // Undone newest first, so that the one that was named stands last.
      const run = events.slice(at);
      const other = run.findIndex((e) => e.type !== event.type);
      const last = run[(other < 0 ? run.length : other) - 1];
      const operationId = last?.type === event.type ? last.operationId : event.operationId;
      return { act: event.type === "changes.undone" ? "undo" : "redo", operationId, along: last !== event };
    }
    default:
      return undefined;
  }
}

/** The first event of each query that only a stop explains. One that waited for an answer is ended by the next message. */
function stopsIn(events: readonly LogEvent[]): ReadonlySet<number> {
  const stops = new Set<number>();
  let first: number | undefined;
  let waits = false;
  for (const event of events) {
    if (event.type === "prompt.submitted" && event.when === "start") [first, waits] = [undefined, false];
    if (event.type === "call.started" || event.type === "permission.asked") waits = false;
    if (waits) continue;
    const cut = event.type === "reply.cut" || (event.type === "call.finished" && event.status === "interrupted");
    if (cut) first ??= event.seq;
    if (event.type !== "query.finished") continue;
    if (event.reason === "interrupted") stops.add(first ?? event.seq);
    [first, waits] = [undefined, event.reason === "waiting"];
  }
  return stops;
}

/** All that verdicts rest on, but for what an answer added: that counts from there on. */
function rulesIn(events: readonly LogEvent[]): Rule[] {
  const rules = new Map<string, Rule>();
  const added = new Set<string>();
  for (const event of events) {
    if (event.type === "rule.added") added.add(JSON.stringify(event.rule));
    const found = rulesAt(event).filter((rule) => rule.source !== "session" && !added.has(JSON.stringify(rule)));
    for (const rule of found) rules.set(JSON.stringify(rule), rule);
  }
  return [...rules.values()];
}

function rulesAt(event: LogEvent): Rule[] {
  const of = ({ rule, rules = [] }: { rule?: Rule | undefined; rules?: Rule[] | undefined }): Rule[] => [
    ...(rule === undefined ? [] : [rule]),
    ...rules,
  ];
  if (event.type === "permission.asked") return of(event.decision);
  return event.type === "permission.decided" ? of(event) : [];
}

/** An act in words, for what stands in its way. */
export function actText(act: Act): string {
  switch (act.act) {
    case "prompt":
      return "the message";
    case "steer":
      return "the words meanwhile";
    case "mode":
      return `the switch to ${act.mode}`;
    case "model":
      return "the model's change";
    case "name":
      return "the naming";
    case "clear":
      return "/clear";
    case "shell":
      return `!${act.command}`;
    case "undo":
    case "redo":
      return `/${act.act}`;
    case "rehearse":
      return `/rehearse ${act.on ? "on" : "off"}`;
    case "land":
      return "/land";
    case "resume":
      return "the resume";
    case "goOn":
      return "the answer";
    case "stop":
      return "the stop";
    default:
      return assertNever(act);
  }
}
