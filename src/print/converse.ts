import type { SessionEvent } from "../events/event.ts";
import { text } from "../events/block.ts";
import { answering, type AnswerSchema, schemaDemand } from "../session/answer-schema.ts";
import { EXIT } from "../session/exit-code.ts";
import type { QueryResult, Session } from "../session/session.ts";
import type { Said } from "./input-line.ts";
import { type How, type Out, printQuery } from "./print.ts";
import type { Item, StreamInput } from "./stream-input.ts";

type Run = AsyncGenerator<SessionEvent, QueryResult>;

/**
 * One message after another out of a stream of lines, until it ends. Gives the exit code: of the last message that did not end well, else 2
 * where a line could not be used.
 */
export async function converse(
  session: Session,
  input: StreamInput,
  how: How & { schema?: AnswerSchema | undefined },
  to: Out,
  signal: AbortSignal,
): Promise<number> {
  let code = 0;
  for (let item = await input.next(signal); item !== undefined; item = await input.next(signal)) {
    const stop = new AbortController();
    const either = AbortSignal.any([signal, stop.signal]);
    const run = await begin(session, input, item, how.schema, either);
    if (run === undefined) continue;
    input.running = { steer: (said) => session.steer({ content: said.content }), interrupt: () => stop.abort() };
    const one = await printQuery(run, session, how, to);
    input.running = undefined;
    if (one !== 0) code = one;
    // What was to steer it and came too late is a message of its own.
    input.first(session.takeBack().map((words): Said["content"] => [text(words)]));
  }
  return code === 0 && input.failed ? EXIT.usage : code;
}

async function begin(
  session: Session,
  input: StreamInput,
  item: Item,
  schema: AnswerSchema | undefined,
  signal: AbortSignal,
): Promise<Run | undefined> {
  const run =
    item.kind === "message" ? submitted(session, item, schema, signal) : await gone(session, input, item, signal);
  return schema === undefined || run === undefined ? run : answering(run, session, schema, signal);
}

function submitted(session: Session, { content }: Said, schema: AnswerSchema | undefined, signal: AbortSignal): Run {
  return session.submit(schema === undefined ? content : [...content, text(schemaDemand(schema))], signal);
}

/** Goes on with what waits for an answer. */
async function gone(
  session: Session,
  input: StreamInput,
  item: Extract<Item, { kind: "answer" }>,
  signal: AbortSignal,
): Promise<Run | undefined> {
  const answers = await input.answersTo(item, session.questions(), signal);
  return answers === undefined ? undefined : session.goOn(signal, answers);
}
