import type { EndReason, SessionEvent } from "../events/event.ts";
import { isFact } from "../events/event.ts";
import { EXIT, exitCode } from "../session/exit-code.ts";
import { happened } from "../session/happened.ts";
import { questionLines } from "../session/questions.ts";
import type { AnsweredResult } from "../session/answer-schema.ts";
import type { QueryResult, Session } from "../session/session.ts";
import { keptWords } from "../events/kept-output.ts";
import { pendingEntries, pendingText, rehearses } from "../events/layers.ts";
import { jsonLine } from "../util/json-line.ts";
import { sanitize, visible } from "../util/visible.ts";
import type { Format } from "./format.ts";
import { answerCommand, resultJson } from "./result-json.ts";

export interface Out {
  /** Resolves when the text is with the kernel; a closed pipe is no error. */
  out(text: string): Promise<void>;
  err(text: string): void;
}

/** How a query is printed. */
export interface How {
  format: Format;
  /** Something that was denied is a code of its own. */
  strict: boolean;
}

/** What is said before the first query. */
export function greet(session: Session, to: Out): void {
  if (session.state().bypass) say(to, BYPASSED);
  for (const notice of session.notices) say(to, notice);
}

/**
 * Runs one query without a screen: stdout holds the answer in the wanted format and nothing else, all other words go to stderr (U2).
 * Gives the exit code.
 */
export async function printQuery(
  run: AsyncGenerator<SessionEvent, AnsweredResult>,
  session: Session,
  { format, strict }: How,
  to: Out,
): Promise<number> {
  const result = yieldless(await drain(run, format, to, session));
  if (format === "text") await printText(result, to);
  else await to.out(`${jsonLine(resultJson(result, session))}\n`);
  for (const d of result.denials) say(to, `denied ${d.tool} ${d.subject}: ${d.reason}`);
  for (const line of waysOn(result)) say(to, line);
  for (const line of [...pendingLines(session), ...keptLines(session)]) say(to, line);
  if (result.unverified !== undefined)
    say(to, `unverified: "${result.unverified}", but no test ran since the last change`);
  const ending = endLine(result, session.id);
  if (ending !== undefined) say(to, ending);
  const code = result.unfit === undefined ? exitCode(result.reason) : EXIT.unfit;
  return code === 0 && strict && result.denials.length > 0 ? EXIT.deniedStrict : code;
}

/** Runs one query, and says before it what is to be said. */
export function print(
  run: AsyncGenerator<SessionEvent, AnsweredResult>,
  session: Session,
  format: Format,
  to: Out,
  strict: boolean,
): Promise<number> {
  greet(session, to);
  return printQuery(run, session, { format, strict }, to);
}

const BYPASSED = "BYPASS: nothing is asked but what a rule or a hook asks; what is denied stays denied";

/** Words on stderr. Lines of the model's own are set in: none of them looks like one of ours. */
export function say(to: Out, words: string): void {
  to.err(`agent: ${sanitize(words).replaceAll("\n", "\n  ")}\n`);
}

type AgentEvent = Extract<SessionEvent, { type: "agent.event" }>;

async function drain(
  run: AsyncGenerator<SessionEvent, AnsweredResult>,
  format: Format,
  to: Out,
  session: Session,
): Promise<IteratorResult<SessionEvent, AnsweredResult>> {
  for (;;) {
    const step = await run.next();
    if (step.done === true) return step;
    const event = step.value;
    const words = happened(event, session.state());
    if (words !== undefined) say(to, words);
    if (format === "stream-json" && isFact(event)) {
      const { mac: _, ...fact } = event;
      await to.out(`${jsonLine(fact)}\n`);
    }
    if (format === "stream-json" && event.type === "agent.event") {
      const of = factOf(event);
      if (of !== undefined) await to.out(`${jsonLine(of)}\n`);
    }
  }
}

/** A fact of a sub-agent's own log, under the id of whose it is, however deep. */
function factOf(event: AgentEvent): (Omit<AgentEvent, "event"> & { event: object }) | undefined {
  const { event: inner, ...of } = event;
  if (inner.type === "agent.event") return factOf(inner);
  if (!isFact(inner)) return undefined;
  const { mac: _, ...fact } = inner;
  return { ...of, event: fact };
}

function yieldless(step: IteratorResult<SessionEvent, AnsweredResult>): AnsweredResult {
  if (step.done !== true) throw new Error("the query did not end");
  return step.value;
}

/** Ends at which the model had said what it wanted to say; at any other, what it said last is no answer (S8). */
const LAST_WORD: ReadonlySet<EndReason> = new Set([
  "done",
  "waiting",
  "denied",
  "refused",
  "checks-failed",
  "conflict",
]);

async function printText(result: AnsweredResult, to: Out): Promise<void> {
  if (result.answer !== undefined) return to.out(`${jsonLine(result.answer.value)}\n`);
  const text = sanitize(result.text).trimEnd();
  if (result.unfit !== undefined) say(to, `the answer that does not fit: ${text}`);
  else if (text !== "" && LAST_WORD.has(result.reason)) await to.out(`${text}\n`);
  else if (text !== "") say(to, `said on the way, no answer: ${text}`);
  for (const line of (result.questions ?? []).flatMap(questionLines)) say(to, line);
}

/** What a person who can't be asked can do about what was denied for that. */
function waysOn({ denials }: QueryResult): string[] {
  const asked = denials.filter((d) => d.by === "nobody");
  if (asked.length === 0) return [];
  const rules = new Set(
    asked.flatMap((d) => (d.rules ?? []).map((rule) => `--allow '${rule.replaceAll("'", "'\\''")}'`)),
  );
  const some = asked.some((d) => d.rules === undefined);
  return [
    ...(rules.size > 0 ? [`to allow it next time: ${[...rules].join(" ")}`] : []),
    ...(some ? ["what a rule can't allow needs a person: run agent in a terminal"] : []),
  ];
}

const MAX_LISTED = 20;

/** What a rehearsal ends with: what is pending, and how it is reviewed and landed (W6). */
function pendingLines(session: Session): string[] {
  const state = session.state();
  if (!rehearses(state)) return [];
  const entries = pendingEntries(state);
  const text = pendingText(state);
  if (!state.steps.some((step) => step.status === "pended"))
    return [`session ${session.id} rehearsed; nothing is pending`];
  const more = entries.length - MAX_LISTED;
  return [
    `session ${session.id} rehearsed; ${text} ${text.endsWith("files") ? "are" : "is"} pending, and nothing of it is in the folder:`,
    ...entries.slice(0, MAX_LISTED).map((e) => `  ${e.op} ${visible(e.path, "")}`),
    ...(more > 0 ? [`  and ${more} more`] : []),
    `to review: agent review ${session.id}`,
    `to land: agent land ${session.id}`,
  ];
}

/** Regenerable output that the copy keeps, and how it lands (P9). */
function keptLines(session: Session): string[] {
  const state = session.state();
  const kept = keptWords(state);
  if (kept === undefined || rehearses(state)) return [];
  return [`${kept} kept in the copy; to land: agent land ${session.id} --with-regenerable`];
}

/** What may stand behind `--answer`. */
function answerKinds({ questions = [] }: QueryResult): string {
  const choices = questions.some((q) => q.options.length > 0) ? "a number or words" : "words";
  return questions.length > 1 ? `${choices}, one for each question` : choices;
}

/** One line on how to go on, where the query isn't simply done. */
function endLine(result: AnsweredResult, id: string): string | undefined {
  if (result.unfit !== undefined)
    return `no answer that fits the schema after ${result.unfit.tries} tries: ${result.unfit.problem}. To go on: agent -p --resume ${id} --json-schema FILE "…"`;
  switch (result.reason) {
    case "done":
      return undefined;
    case "waiting":
      return `waiting for an answer (${answerKinds(result)}): ${answerCommand(id, result.questions?.length ?? 1)}`;
    case "denied":
      return result.detail ?? "ended, since a change was denied";
    default:
      return `${result.detail ?? `stopped (${result.reason})`} To go on: agent -p --resume ${id} "…"`;
  }
}
