import type { Key } from "../input/key.ts";
import { type Field, fieldKey } from "./field.ts";

/** What is typed into a question: a word beside the answer, the rule that is saved, or the command that runs instead. */
export interface Typing {
  what: "yes" | "no" | "rule" | "command";
  field: Field;
  /** A rule that was warned of: Enter again takes it. */
  warned?: string;
}

/** Stands before what is typed. */
export function typingLabel({ what }: Typing): string {
  return { yes: "yes, and: ", no: "why not: ", rule: "rule: ", command: "$ " }[what];
}

/** What Enter and Esc do to it, told while there is nothing else to tell. */
export function typingHint({ what }: Typing): string {
  switch (what) {
    case "yes":
      return "Enter says yes with these words · Esc leaves them";
    case "no":
      return "Enter says no with these words, and the work goes on · Esc leaves them";
    case "rule":
      return "Enter takes the rule, nothing is answered yet · Esc leaves it";
    case "command":
      return "Enter has this command judged in place of the other · Esc leaves it";
  }
}

/** One key: closes it, enters it (`text` without blanks around), or changes it. undefined: the field has no use for it. */
export function typingKey(typing: Typing, key: Key): "close" | { text: string } | Typing | undefined {
  if (key.name === "escape" || (key.name === "tab" && key.shift)) return "close";
  if (key.name === "return") return { text: typing.field.text.trim() };
  const field = fieldKey(typing.field, key);
  return field === undefined ? undefined : { ...typing, field };
}
