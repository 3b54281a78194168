import type { Answer, Question } from "../../permissions/asker.ts";
import { checkEdited } from "../../permissions/edited-rule.ts";
import type { Key } from "../input/key.ts";
import type { Line } from "../render/spans.ts";
import { type ConflictChoice, NO_CHOICE, setWay, settledBy, toggleTaken } from "./conflicts.ts";
import { nextFile, type Opened, openedKey, scrollOf } from "./opened.ts";
import { mayEdit, openTyping, type OptionKind, optionKinds, tabOf } from "./options.ts";
import { keptParts, leftOut, partsOf, toggle } from "./parts.ts";
import { type Typing, typingKey } from "./typing.ts";

/** An open permission question as the person works on it. Pure data; `permissionKey` moves it on. */
export interface PermissionPrompt {
  question: Question;
  /** Which option the cursor is on; undefined: none, Enter does nothing (high risk, P-6). */
  row: number | undefined;
  scope: "session" | "always";
  /** The rules that would be saved, as the person may have edited them. */
  rules: { session: string; always: string };
  typing?: Typing;
  /** Why it asks, with the rules that had a say and what would have to be different (Ctrl-E): rows for a width. */
  explained?: ((width: number) => readonly Line[]) | undefined;
  /** A file that is looked at in place of the question. */
  opened?: Opened;
  /** Place in the list of changes that the cursor is on while parts are chosen; space toggles. */
  part?: number;
  /** Keys of the parts that the person left out. */
  left: ReadonlySet<string>;
  conflicts: ConflictChoice;
  withRegenerable: boolean;
  /** First row of the body on screen. */
  scroll: number;
  /** Rows that were on screen, as `layoutPrompt` names them. */
  seen: ReadonlySet<string>;
  /** Its place among the questions that are open. */
  place?: { n: number; of: number };
  /** Words for the model from the review, which go with whatever is answered. */
  comment?: string;
  /** Why the last key did nothing. */
  hint?: string;
}

/** What the screen knows and the reducer needs. */
export interface PromptSight {
  /** Rows of the body, and how many of them fit. */
  rows: number;
  window: number;
  /** Ids that a yes still waits for. */
  unseen: readonly string[];
}

/**
 * `open`: the file at that place of the diffs is to be read and shown. `explain`: the question is to be explained. `self`: the person
 * runs the command in their own shell. `review`: its change set is to be looked through on the whole screen. `rewrite`: the proposed file
 * is to be opened in the person's editor.
 */
export type PromptStep = {
  prompt: PermissionPrompt;
  answer?: Answer;
  used: boolean;
  open?: number;
  explain?: true;
  self?: true;
  review?: true;
  rewrite?: true;
};

/** Opens a question. Low and medium risk preselect "yes once", high risk nothing (P-6). */
export function openPermission(question: Question): PermissionPrompt {
  return {
    question,
    row: question.decision.risk === "high" ? undefined : 0,
    scope: "session",
    rules: { session: question.offer?.session ?? "", always: question.offer?.always ?? "" },
    left: new Set(),
    conflicts: NO_CHOICE,
    withRegenerable: question.regenerable?.preset ?? false,
    scroll: 0,
    seen: new Set(),
  };
}

/** One key that counts (armed, alone, not pasted: the caller sees to that). `used` false: not a key of the prompt. */
export function permissionKey(prompt: PermissionPrompt, key: Key, sight: PromptSight): PromptStep {
  const base = without(prompt, "hint");
  if (base.opened !== undefined) return lookKey(base, base.opened, key, sight);
  if (base.typing !== undefined) return typed(base, base.typing, key, sight);
  if (base.part !== undefined) return partKey(base, base.part, key);
  const scrolled = scrollKey(base, key, sight);
  if (scrolled !== undefined) return { prompt: scrolled, used: true };
  if (key.name === "o" && key.ctrl) return review(base);
  if (key.name === "o" && !key.alt) return openFile(base);
  if (key.name === "e" && key.ctrl && !key.alt) return explain(base);
  if (key.ctrl || key.alt) return { prompt, used: false };
  return optionKey(base, key, sight);
}

function review(prompt: PermissionPrompt): PromptStep {
  const { diffs, effect } = prompt.question;
  if (diffs.length === 0 && (effect.changes?.entries.length ?? 0) === 0)
    return { prompt: { ...prompt, hint: "There are no changes to look through" }, used: true };
  return { prompt, review: true, used: true };
}

/** The next file of which the question shows size and hash alone. */
function openFile(prompt: PermissionPrompt): PromptStep {
  const at = nextFile(prompt.question, prompt.opened?.at);
  if (at === undefined) return { prompt: { ...prompt, hint: "All of it is shown already" }, used: true };
  return { prompt: { ...prompt, opened: { at, scroll: 0 } }, used: true, open: at };
}

function lookKey(prompt: PermissionPrompt, opened: Opened, key: Key, sight: PromptSight): PromptStep {
  const next = openedKey(prompt.question, opened, key, sight);
  if (next === "close") return { prompt: without(prompt, "opened"), used: true };
  if (typeof next === "number") return openFile(prompt);
  return { prompt: { ...prompt, opened: next }, used: !key.ctrl || next !== opened };
}

function optionKey(prompt: PermissionPrompt, key: Key, sight: PromptSight): PromptStep {
  const kinds = optionKinds(prompt.question);
  const same = { prompt, used: true };
  switch (key.name) {
    case "1":
    case "y":
      return choose(prompt, "yes", sight);
    case "2":
      return kinds.includes("remember") ? choose(prompt, "remember", sight) : same;
    case "3":
    case "n":
    case "escape":
      return choose(prompt, "no", sight);
    case "up":
      return { prompt: { ...prompt, row: Math.max(0, (prompt.row ?? kinds.length) - 1) }, used: true };
    case "down":
      return { prompt: { ...prompt, row: Math.min(kinds.length - 1, (prompt.row ?? -1) + 1) }, used: true };
    case "left":
    case "right":
      return { prompt: { ...prompt, scope: prompt.scope === "session" ? "always" : "session" }, used: true };
    case "return": {
      const kind = prompt.row === undefined ? undefined : kinds[prompt.row];
      return kind === undefined
        ? { prompt: { ...prompt, hint: "Choose with 1, 3 or the arrows" }, used: true }
        : choose(prompt, kind, sight);
    }
    case "tab":
      return key.shift ? { prompt, used: false } : { prompt: openTyping(prompt, tabOf(prompt)), used: true };
    case "e": {
      const what = mayEdit(prompt);
      if (what === "file") return { prompt, rewrite: true, used: true };
      return what === undefined ? same : { prompt: openTyping(prompt, what), used: true };
    }
    case "s":
    case "d":
      return prompt.question.also?.includes("self") === true ? self(prompt, key.name === "s", sight) : same;
    case "p":
      return hasParts(prompt) ? { prompt: { ...prompt, part: 0, scroll: 0 }, used: true } : same;
    case "r":
      return {
        prompt: { ...prompt, withRegenerable: !prompt.withRegenerable && prompt.question.regenerable !== undefined },
        used: true,
      };
    default:
      return { prompt, used: false };
  }
}

/** Once more, and it is told no more. */
function explain(prompt: PermissionPrompt): PromptStep {
  if (prompt.explained !== undefined) return { prompt: { ...prompt, explained: undefined, scroll: 0 }, used: true };
  return { prompt: { ...prompt, scroll: 0 }, explain: true, used: true };
}

/** `run`: now, in the person's own shell, which is no less than a yes to these words; else it is done already. */
function self(prompt: PermissionPrompt, run: boolean, sight: PromptSight): PromptStep {
  if (!run) return { prompt, answer: { kind: "self" }, used: true };
  if (sight.unseen.length > 0) return { prompt: { ...prompt, hint: LOOK_FIRST }, used: true };
  return { prompt, self: true, used: true };
}

/** Whether there is more than one part to choose from, or a conflict to settle. */
export function hasParts({ question }: PermissionPrompt): boolean {
  return partsOf(question).length > 1 || (question.review?.conflicts.length ?? 0) > 0;
}

/** The key first: in a narrow window there is no room for more. */
const LOOK_FIRST = "Not answered: PgDn or Space scrolls, look at all of it first";

function choose(prompt: PermissionPrompt, kind: OptionKind, sight: PromptSight): PromptStep {
  const words = prompt.comment === undefined ? {} : { note: prompt.comment };
  if (kind === "no") return { prompt, answer: { kind: "no", ...words }, used: true };
  if (sight.unseen.length > 0) {
    return { prompt: { ...prompt, hint: LOOK_FIRST }, used: true };
  }
  const { kept, of } = keptParts(prompt.question, prompt.left);
  if (settledBy(prompt.question, prompt.conflicts).length === 0 && kept === 0) {
    if (prompt.left.size > 0) return { prompt: { ...prompt, hint: "Nothing is left to land: choose no" }, used: true };
    if (of === 0 && (prompt.question.review?.conflicts.length ?? 0) > 0)
      return { prompt: { ...prompt, hint: "Nothing can land yet: settle a conflict (p), or choose no" }, used: true };
  }
  return { prompt, answer: yes(prompt, kind), used: true };
}

function yes(prompt: PermissionPrompt, kind: "yes" | "remember"): Answer {
  const left = leftOut(prompt.question, prompt.left);
  const settled = settledBy(prompt.question, prompt.conflicts);
  const rule = prompt.rules[prompt.scope];
  return {
    kind: "yes",
    ...(settled.length > 0 ? { settled } : {}),
    ...(kind === "remember" && rule !== "" ? { remember: { scope: prompt.scope, rule } } : {}),
    ...(left.length > 0 ? { left } : {}),
    ...(prompt.question.regenerable === undefined ? {} : { withRegenerable: prompt.withRegenerable }),
    ...(prompt.comment === undefined ? {} : { note: prompt.comment }),
  };
}

function typed(prompt: PermissionPrompt, typing: Typing, key: Key, sight: PromptSight): PromptStep {
  const closed = without(prompt, "typing");
  const next = typingKey(typing, key);
  if (next === undefined) return { prompt: scrollKey(prompt, key, sight) ?? prompt, used: key.name !== "tab" };
  if (next === "close") return { prompt: closed, used: true };
  if ("what" in next) return { prompt: { ...prompt, typing: next }, used: true };
  // Nothing typed is no word: the question stands as before.
  if (next.text === "") return { prompt: closed, used: true };
  return entered(closed, typing, next.text, sight);
}

function entered(prompt: PermissionPrompt, typing: Typing, text: string, sight: PromptSight): PromptStep {
  switch (typing.what) {
    case "no":
      return { prompt, answer: { kind: "no", note: text }, used: true };
    case "yes": {
      const step = choose(prompt, "yes", sight);
      if (step.answer?.kind !== "yes") return { ...step, prompt: { ...step.prompt, typing } };
      return { ...step, answer: { ...step.answer, note: text } };
    }
    case "command":
      return text === prompt.question.command?.text.trim()
        ? { prompt: { ...prompt, hint: "It is the same command" }, used: true }
        : { prompt, answer: { kind: "edit", command: text }, used: true };
    case "rule": {
      const hint = ruleHint(prompt, typing, text);
      if (hint !== undefined) return { prompt: { ...prompt, typing: { ...typing, warned: text }, hint }, used: true };
      return { prompt: { ...prompt, rules: { ...prompt.rules, [prompt.scope]: text } }, used: true };
    }
  }
}

/** What is to be said of an edited rule while it can still be mended. That it doesn't cover this call is said once. */
function ruleHint({ question, scope }: PermissionPrompt, { warned }: Typing, rule: string): string | undefined {
  if (rule === question.offer?.[scope]) return undefined;
  const found = checkEdited(rule, question.effect);
  if ("wrong" in found) return found.wrong;
  return found.covers || warned === rule ? undefined : "This rule doesn't cover this call: Enter again keeps it so";
}

function partKey(prompt: PermissionPrompt, part: number, key: Key): PromptStep {
  const parts = partsOf(prompt.question);
  const last = Math.max(0, parts.length - 1);
  switch (key.name) {
    case "up":
      return { prompt: { ...prompt, part: Math.max(0, part - 1) }, used: true };
    case "down":
      return { prompt: { ...prompt, part: Math.min(last, part + 1) }, used: true };
    case "space": {
      const chosen = parts[part];
      if (chosen?.conflict !== undefined) {
        const conflicts = toggleTaken(prompt.question, prompt.conflicts, chosen);
        return { prompt: { ...prompt, conflicts }, used: true };
      }
      const left = chosen === undefined ? prompt.left : toggle(prompt.question, prompt.left, chosen);
      return { prompt: { ...prompt, left }, used: true };
    }
    case "d":
    case "b": {
      const at = parts[part]?.conflict;
      if (at === undefined || key.ctrl) return { prompt, used: !key.ctrl };
      const conflicts = setWay(prompt.question, prompt.conflicts, at, key.name === "d" ? "drop" : "beside");
      return { prompt: { ...prompt, conflicts }, used: true };
    }
    case "return":
    case "escape":
    case "p":
      return { prompt: without(prompt, "part"), used: true };
    default:
      return { prompt, used: !key.ctrl };
  }
}

function scrollKey(prompt: PermissionPrompt, key: Key, sight: PromptSight): PermissionPrompt | undefined {
  const by = scrollOf(key, sight);
  if (by === undefined) return undefined;
  return { ...prompt, scroll: Math.max(0, Math.min(sight.rows - sight.window, prompt.scroll + by)) };
}

function without<K extends "hint" | "typing" | "part" | "opened">(prompt: PermissionPrompt, key: K): PermissionPrompt {
  const copy = { ...prompt };
  delete copy[key];
  return copy;
}
