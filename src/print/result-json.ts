import { pendingEntries, pendingFiles, rehearses } from "../events/layers.ts";
import type { AnsweredResult } from "../session/answer-schema.ts";
import type { QueryResult, Session } from "../session/session.ts";

/** The last line of `json` and `stream-json`. Money is undefined where a model's price is not known. */
export function resultJson(result: AnsweredResult, session: Session): Record<string, unknown> {
  const { usd } = session.cost();
  return {
    type: "result",
    version: 1,
    session_id: session.id,
    reason: result.unfit === undefined ? result.reason : "unfit-answer",
    ...(result.detail === undefined ? {} : { detail: result.detail }),
    text: result.text,
    ...(result.answer === undefined ? {} : { structured_output: result.answer.value }),
    ...(result.unfit === undefined ? {} : { unfit: result.unfit }),
    ...questionsJson(result, session.id),
    ...(result.unverified === undefined ? {} : { unverified: result.unverified }),
    ...(result.checks === undefined ? {} : { checks: result.checks }),
    turns: result.turns,
    usage: {
      input_tokens: result.usage.input,
      output_tokens: result.usage.output,
      cache_read_input_tokens: result.usage.cacheRead,
      cache_creation_input_tokens: result.usage.cacheWrite,
    },
    ...(usd === undefined ? {} : { cost_usd: usd }),
    duration_ms: result.durationMs,
    denials: result.denials,
    ...(session.state().bypass ? { bypass: true } : {}),
    ...(session.trust.unused().length === 0 ? {} : { untrusted: session.trust.unused() }),
    ...pendingOf(session),
  };
}

/** What the model asks, its options numbered, and the command that answers. */
function questionsJson({ questions }: QueryResult, id: string): Record<string, unknown> {
  if (questions === undefined) return {};
  return {
    questions: questions.map(({ question, options, multiple = false }) => ({
      question,
      options: options.map(({ label, description }, at) => ({
        number: at + 1,
        label,
        ...(description === undefined ? {} : { description }),
      })),
      multiple,
    })),
    answer: answerCommand(id, questions.length),
  };
}

/** The command that goes on: an answer for each question. */
export function answerCommand(id: string, questions: number): string {
  return `agent -p --resume ${id}${' --answer "…"'.repeat(Math.max(1, questions))}`;
}

/** Of a session that rehearses: what waits, and the commands that review and land it. */
function pendingOf(session: Session): Record<string, unknown> {
  const state = session.state();
  if (!rehearses(state)) return {};
  return {
    pending: {
      files: pendingFiles(state),
      entries: pendingEntries(state).map(({ root, path, op }) => ({ root, path, op })),
      review: `agent review ${session.id}`,
      land: `agent land ${session.id}`,
    },
  };
}
