import { joinLabels } from "../../tools/answer.ts";
import type { PersonQuestion } from "../../tools/tool.ts";
import type { Key } from "../input/key.ts";
import { clean, cleanRow } from "../render/clean.ts";
import { personQuestionRows } from "../render/question.ts";
import { line, type Line, truncate, wrap } from "../render/spans.ts";
import { typedRow, WRITING } from "./layout.ts";
import { field, type Field, fieldKey, insert } from "./field.ts";

/** An open question of the model's: choices, and a last row for the person's own words (S6). */
export interface PersonPrompt {
  question: PersonQuestion;
  row: number;
  /** Options that are ticked, where several may be. */
  ticked: ReadonlySet<number>;
  field: Field;
  /** What became of the last key, until the next. */
  hint?: string;
}

/** Opens it; without choices the person types at once. */
export function openPerson(question: PersonQuestion): PersonPrompt {
  return { question, row: 0, ticked: new Set(), field: field() };
}

interface Step {
  prompt: PersonPrompt;
  answer?: string;
  used: boolean;
}

/** One key; `answer` is the chosen label, the ticked ones, or the typed words. */
export function personKey(before: PersonPrompt, key: Key): Step {
  const { hint: _, ...prompt } = before;
  const { options, multiple } = prompt.question;
  const last = options.length;
  if (key.name === "up") return { prompt: { ...prompt, row: Math.max(0, prompt.row - 1) }, used: true };
  if (key.name === "down") return { prompt: { ...prompt, row: Math.min(last, prompt.row + 1) }, used: true };
  if (key.name === "return") {
    const answer = answerOf(prompt);
    return answer === undefined ? { prompt, used: true } : { prompt, answer, used: true };
  }
  const plain = prompt.row < last && !key.ctrl && !key.alt;
  const digit = plain && /^[1-9]$/.test(key.name) ? Number(key.name) - 1 : undefined;
  if (multiple === true && plain && (key.name === "space" || digit !== undefined))
    return { prompt: tick(prompt, digit ?? prompt.row), used: true };
  if (digit !== undefined) {
    const answer = options[digit]?.label;
    return answer === undefined ? { prompt, used: true } : { prompt, answer, used: true };
  }
  const next = fieldKey(prompt.field, key);
  return next === undefined ? { prompt, used: false } : { prompt: { ...prompt, row: last, field: next }, used: true };
}

/** Words that come as a whole: they are the person's own. */
export function personPaste(prompt: PersonPrompt, text: string): PersonPrompt {
  return { ...prompt, row: prompt.question.options.length, field: insert(prompt.field, text) };
}

function tick(prompt: PersonPrompt, at: number): PersonPrompt {
  if (prompt.question.options[at] === undefined) return prompt;
  const ticked = new Set(prompt.ticked);
  if (!ticked.delete(at)) ticked.add(at);
  return { ...prompt, row: at, ticked };
}

/** Enter: the row's option, or all that are ticked with the words behind them. Nothing chosen and nothing typed is no answer. */
function answerOf({ question, row, ticked, field: { text } }: PersonPrompt): string | undefined {
  const { options, multiple } = question;
  const words = text.trim();
  if (multiple !== true || ticked.size === 0) return options[row]?.label ?? (words === "" ? undefined : words);
  const labels = options.flatMap(({ label }, at) => (ticked.has(at) ? [label] : []));
  return joinLabels(words === "" ? labels : [...labels, words]);
}

/** The question, its choices and the row for own words, in at most `max` rows. */
export function layoutPerson(
  prompt: PersonPrompt,
  width: number,
  max: number,
  focused = true,
): { rows: Line[]; caret: { x: number; y: number } } {
  const { options } = prompt.question;
  const typed = typedRow(`${prompt.row === options.length ? "›" : " "} own words: `, prompt.field, width);
  const all = [...personHead(prompt.question, width), ...hintRows(prompt, width, focused)];
  const whole = options.map((_, at) => choiceRows(prompt, at, width));
  const fits = all.length + whole.flat().length < max;
  const blocks = fits ? whole : whole.map((rows) => [truncate(rows.flat(), width)]);
  const choices = [...blocks.flat(), typed.row];
  const row = blocks.slice(0, prompt.row).flat().length;
  const room = Math.max(2, max - 1);
  const heads = all.slice(0, Math.max(1, room - Math.min(choices.length, room - 1)));
  const fit = Math.max(1, max - heads.length);
  const from = Math.max(0, Math.min(row - fit + 1, choices.length - fit));
  const rows = [...heads, ...choices.slice(from, from + fit)];
  const y = heads.length + row - from;
  return { rows, caret: { x: prompt.row === options.length ? typed.x : 0, y: Math.min(y, rows.length - 1) } };
}

/** The question's text, with the sub-agent that asks, and its place where a call asks several. */
export function personHead({ question, place, agent }: PersonQuestion, width: number): Line[] {
  const by = agent === undefined ? "" : `asked by ${cleanRow(agent)}: `;
  return personQuestionRows(`${by}${place === undefined ? "" : `${place.n} of ${place.of}: `}${question}`, width);
}

/** What the keys do now, where it isn't plain. */
function hintRows({ question, hint }: PersonPrompt, width: number, focused: boolean): Line[] {
  if (hint !== undefined || !focused) return [truncate(line(`  ${hint ?? WRITING}`, "warning"), width)];
  if (question.multiple !== true) return [];
  return [truncate(line("  several may be chosen: Space or a digit ticks, Enter answers", "dim"), width)];
}

/** An option, whole: what it means is what the person decides by. */
function choiceRows({ question, row, ticked }: PersonPrompt, at: number, width: number): Line[] {
  const { label = "", description } = question.options[at] ?? {};
  const style = row === at ? ("selected" as const) : undefined;
  const box = question.multiple === true ? `${ticked.has(at) ? "[x]" : "[ ]"} ` : "";
  const more = description === undefined ? [] : [{ text: ` · ${cleanRow(description)}`, style: "dim" as const }];
  const words = `${row === at ? "›" : " "} ${box}${at + 1} ${clean(label).replaceAll("\n", " ")}`;
  return wrap([...line(words, style), ...more], { width, rest: line(" ".repeat(box.length + 4)) });
}
