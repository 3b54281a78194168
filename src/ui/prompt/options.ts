import type { Question } from "../../permissions/asker.ts";
import { mayRemember } from "../render/question.ts";
import { field } from "./field.ts";
import type { PermissionPrompt } from "./permission.ts";
import type { Typing } from "./typing.ts";

export type OptionKind = "yes" | "remember" | "no";

/** The options in order; number n is the n-th. High risk and hidden characters take "remember" away (P3, P-2). */
export function optionKinds(question: Question): readonly OptionKind[] {
  return mayRemember(question) ? ["yes", "remember", "no"] : ["yes", "no"];
}

/** The key that answers option `kind`: 3 is always no (P-3). */
export function optionNumber(kind: OptionKind): number {
  return kind === "yes" ? 1 : kind === "remember" ? 2 : 3;
}

/** What Tab opens: a word for the answer that the cursor is on, or the rule; without a cursor a word for no. */
export function tabOf({ question, row }: PermissionPrompt): "yes" | "no" | "rule" {
  const kind = row === undefined ? "no" : optionKinds(question)[row];
  return kind === "remember" ? "rule" : (kind ?? "no");
}

/** What `e` opens: the command where it has not run yet, the file that would be written, else the rule that would be saved. */
export function mayEdit({ question, row }: PermissionPrompt): "command" | "file" | "rule" | undefined {
  const kinds = optionKinds(question);
  const ofRule = row !== undefined && kinds[row] === "remember";
  if (question.also?.includes("edit") === true && !ofRule) return "command";
  if (question.proposed !== undefined && !ofRule) return "file";
  return kinds.includes("remember") ? "rule" : undefined;
}

/** Opens a line to type on; the cursor goes to the answer that it is for. */
export function openTyping(prompt: PermissionPrompt, what: Typing["what"] | undefined): PermissionPrompt {
  const { question, rules, scope } = prompt;
  const kinds = optionKinds(question);
  switch (what) {
    case undefined:
      return prompt;
    case "rule":
      return { ...prompt, row: 1, typing: { what, field: field(rules[scope]) } };
    case "command":
      return { ...prompt, typing: { what, field: field(question.command?.text) } };
    default:
      return { ...prompt, row: kinds.indexOf(what), typing: { what, field: field(prompt.comment) } };
  }
}
