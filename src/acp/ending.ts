import type { PromptResponse, StopReason } from "@agentclientprotocol/sdk";
import { pickAnswer } from "../tools/answer.ts";
import type { EndReason } from "../events/event.ts";
import type { Session } from "../session/session.ts";

const REASONS: Readonly<Record<EndReason, StopReason>> = {
  done: "end_turn",
  waiting: "end_turn",
  interrupted: "cancelled",
  refused: "refusal",
  "turn-limit": "max_turn_requests",
  "token-limit": "max_tokens",
  "context-limit": "max_tokens",
  "cost-limit": "end_turn",
  "time-limit": "end_turn",
  "tool-failing": "end_turn",
  "going-round": "end_turn",
  "checks-failed": "end_turn",
  "api-error": "end_turn",
  conflict: "end_turn",
  denied: "end_turn",
};

/** Why a query ended, in the protocol's words. */
export function stopReason(reason: EndReason): PromptResponse["stopReason"] {
  return REASONS[reason];
}

/** Words as answers to the questions that are open: a line each, where they are several. `problem`: what to say instead. */
export function answersIn(
  session: Pick<Session, "questions">,
  words: string,
): { answers: string[] } | { problem: string } {
  const questions = session.questions();
  const lines = words.split("\n").filter((line) => line.trim() !== "");
  const typed = questions.length === 1 ? [words] : lines;
  if (typed.length !== questions.length)
    return { problem: `${questions.length} questions are open: answer each on a line of its own.` };
  const read = questions.map((question, at) => pickAnswer(question, typed[at] ?? ""));
  const wrong = read.find((one) => "problem" in one);
  if (wrong !== undefined) return wrong;
  return { answers: read.flatMap((one) => ("answer" in one ? [one.answer] : [])) };
}
