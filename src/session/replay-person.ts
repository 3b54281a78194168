import type { Rule } from "../events/effect.ts";
import type { LogEvent, LogEventOf } from "../events/event.ts";
import { LEFT_OUT } from "../loop/along.ts";
import type { Answer, Asker, Question } from "../permissions/asker.ts";

export interface PersonOptions {
  /** Does what else the person did meanwhile, before event `seq`. */
  due: (seq: number) => Promise<void>;
  /** Events that came of the act that goes on. */
  act: () => { from: number; to: number };
}

/** Who answers as the person of a record did. */
export function recordedPerson(
  events: readonly LogEvent[],
  { due, act }: PersonOptions,
): { asker: Asker; saveRule(text: string): Promise<Rule> } {
  const calls = new Set(events.flatMap((e) => (e.type === "call.finished" ? [e.callId] : [])));
  const used = new Set<number>();
  const asked = new Set<number>();
  /** How often a question was put before its answer came. */
  const put = new Map<number, number>();
  return {
    asker: {
      // As it was asked then: about several calls at once, or about each.
      together: (callId) =>
        events.some((e) => e.type === "permission.asked" && e.callId === callId && e.along !== undefined),
      async ask(question) {
        const isCall = calls.has(question.callId);
        const decided = isCall ? verdictOn(question, events, used) : reviewed(events, act());
        if (decided === undefined) return isCall ? UNANSWERED : refusal(events, act());
        used.add(decided.seq);
        await due(decided.seq);
        return answerOf(decided, events, question);
      },
      askPerson({ question }) {
        for (const event of events) {
          if (event.type !== "call.finished" || asked.has(event.seq)) continue;
          const answer = answersIn(event.details);
          const found = answer.find((a) => a.question === question);
          if (found === undefined) continue;
          const times = put.get(event.seq) ?? 0;
          put.set(event.seq, times + 1);
          if (times < waitsBefore(event, events)) return Promise.resolve(undefined);
          if (answer.at(-1) === found) asked.add(event.seq);
          return Promise.resolve(found.answer);
        }
        return Promise.resolve(undefined);
      },
    },
    saveRule(text) {
      const added = events.find((e) => e.type === "rule.added" && e.rule.text === text);
      if (added?.type !== "rule.added") return Promise.reject(new Error(`the record saved no rule ${text}`));
      if (added.unsaved !== undefined) return Promise.reject(new Error(added.unsaved));
      return Promise.resolve(added.rule);
    },
  };
}

type Decided = LogEventOf<"permission.decided">;

const UNANSWERED: Answer = { kind: "nobody", reason: "the record has no answer to this question" };

/** The next verdict on this call at this gate that a question led to. */
function verdictOn(
  { callId, gate }: Question,
  events: readonly LogEvent[],
  used: ReadonlySet<number>,
): Decided | undefined {
  return events.find(
    (e): e is Decided =>
      e.type === "permission.decided" &&
      e.callId === callId &&
      e.gate === gate &&
      e.questionId !== undefined &&
      !used.has(e.seq),
  );
}

type Range = ReturnType<PersonOptions["act"]>;

/** What the person took of a review. */
function reviewed(events: readonly LogEvent[], { from, to }: Range): Decided | undefined {
  return events.find((e): e is Decided => e.type === "permission.decided" && e.seq >= from && e.seq < to);
}

/** A review that landed nothing, with the person's words if there were any. */
function refusal(events: readonly LogEvent[], { from, to }: Range): Answer {
  const said = events.find((e) => e.type === "note.added" && e.seq >= from && e.seq < to);
  const note = said?.type === "note.added" ? / and says: (.*)$/s.exec(said.text)?.[1] : undefined;
  return { kind: "no", ...(note === undefined ? {} : { note }) };
}

/** How often the query ended and waited before this call had its answer. */
function waitsBefore({ callId, seq }: LogEventOf<"call.finished">, events: readonly LogEvent[]): number {
  const start = events.find((e) => e.type === "call.started" && e.callId === callId)?.seq ?? seq;
  return events.filter((e) => e.type === "query.finished" && e.reason === "waiting" && e.seq > start && e.seq < seq)
    .length;
}

function answerOf(decided: Decided, events: readonly LogEvent[], question: Question): Answer {
  const { outcome, by, note, withRegenerable, reason } = decided;
  const dropped = leftOut(decided, question);
  if (by === "nobody") return { kind: "nobody", reason: /\(needs an answer; (.*)\)$/s.exec(reason)?.[1] ?? reason };
  if (outcome === "deny" && reason !== LEFT_OUT) return { kind: "no", ...(note === undefined ? {} : { note }) };
  const before = events.findLast((e) => e.seq < decided.seq && "callId" in e && e.callId === decided.callId);
  const added = events.find(
    (e): e is LogEventOf<"rule.added"> => e.type === "rule.added" && e.seq < decided.seq && e.seq > (before?.seq ?? 0),
  );
  const scope = added?.rule.source === "session" && added.unsaved === undefined ? "session" : "always";
  return {
    kind: "yes",
    ...(added === undefined ? {} : { remember: { scope, rule: added.rule.text } }),
    ...(dropped.length === 0
      ? {}
      : { left: dropped.map(({ hunks, ...l }) => ({ ...l, ...(hunks === undefined ? {} : { hunks }) })) }),
    ...(withRegenerable === undefined ? {} : { withRegenerable }),
  };
}

/** What the person left out of all calls that the question was about. */
function leftOut(decided: Decided, { together = [] }: Question): NonNullable<Decided["dropped"]> {
  const whole = (callId: string) =>
    together.flatMap((one) => (one.callId === callId ? one.entries.map(({ root, path }) => ({ root, path })) : []));
  return [decided, ...(decided.along ?? [])].flatMap(({ callId, outcome, dropped, note }) =>
    outcome === "deny" && note === undefined ? whole(callId) : (dropped ?? []),
  );
}

/** What an AskUser call was answered. */
function answersIn(details: unknown): { question: string; answer: string }[] {
  if (typeof details !== "object" || details === null) return [];
  const all: unknown = "answers" in details ? details.answers : [details];
  return Array.isArray(all) ? all.filter(isAnswer) : [];
}

function isAnswer(value: unknown): value is { question: string; answer: string } {
  return (
    typeof value === "object" &&
    value !== null &&
    "question" in value &&
    "answer" in value &&
    typeof value.question === "string" &&
    typeof value.answer === "string"
  );
}
