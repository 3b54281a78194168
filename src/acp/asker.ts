import { randomBytes } from "node:crypto";
import type {
  PermissionOption,
  RequestPermissionRequest,
  RequestPermissionResponse,
  ToolCallUpdate,
} from "@agentclientprotocol/sdk";
import type { Answer, Question } from "../permissions/asker.ts";
import { questionText } from "../permissions/question-text.ts";
import { hasInvisible, visible } from "../util/visible.ts";
import { diffContent } from "./diffs.ts";
import { textContent } from "./updates.ts";

/** What a choice of an editor's answers. */
interface Choice {
  option: PermissionOption;
  answer: Answer;
}

/** A question as it is put to an editor, with what each choice answers. */
export interface Put {
  request: Omit<RequestPermissionRequest, "sessionId">;
  choices: readonly Choice[];
}

/**
 * A permission question for an editor: every word and line of it, the changes as diffs as well. Its choices have names of this one
 * question's, so that no answer to another, or one that came late, can mean it. Pure but for those names.
 */
export function putQuestion(question: Question, toolCallId: string, roots: readonly string[]): Put {
  const { effect, decision, command } = question;
  const risk = decision.risk === "high" ? "HIGH RISK: " : "";
  const what = visible(command?.text ?? effect.subject, "").slice(0, 200);
  const toolCall: ToolCallUpdate = {
    toolCallId,
    title: `${risk}${visible(effect.tool, "")} ${what}`.trim(),
    status: "pending",
    content: [textContent(fenced(questionText(question))), ...diffContent(question.diffs, roots)],
  };
  const choices = choicesOf(question);
  return { request: { toolCall, options: choices.map(({ option }) => option) }, choices };
}

/** What an editor's answer means. Whatever is none of the choices is a no. */
export function answerOf({ choices }: Put, { outcome }: RequestPermissionResponse): Answer {
  if (outcome.outcome !== "selected") return { kind: "no" };
  return choices.find(({ option }) => option.optionId === outcome.optionId)?.answer ?? { kind: "no" };
}

function choicesOf({ offer, regenerable, review }: Question): Choice[] {
  const nonce = randomBytes(6).toString("hex");
  const extra = regenerable === undefined ? {} : { withRegenerable: regenerable.preset };
  const choice = (id: string, kind: PermissionOption["kind"], name: string, answer: Answer): Choice => ({
    option: { optionId: `${id}-${nonce}`, kind, name },
    answer,
  });
  const remember = (scope: "session" | "always", rule: string, name: string): Choice[] =>
    hasInvisible(rule)
      ? []
      : [choice(scope, "allow_always", `${name}: ${rule}`, { kind: "yes", remember: { scope, rule }, ...extra })];
  return [
    choice("once", "allow_once", review === undefined ? "Yes, once" : "Yes, all of it", { kind: "yes", ...extra }),
    ...(offer === undefined
      ? []
      : [
          ...remember("session", offer.session, "Yes, for this session"),
          ...remember("always", offer.always, "Yes, always in your rules for this project"),
        ]),
    choice("no", "reject_once", review === undefined ? "No, and stop" : "No, all of it stays pending", { kind: "no" }),
  ];
}

/** As it is, whatever signs of Markdown are in it. */
export function fenced(words: string): string {
  const longest = [...words.matchAll(/`+/g)].reduce((most, [run]) => Math.max(most, run.length), 2);
  const fence = "`".repeat(longest + 1);
  return `${fence}text\n${words}\n${fence}`;
}
