import type { PersonQuestion } from "../../tools/tool.ts";
import type { Key } from "../input/key.ts";
import { clean, cleanRow } from "../render/clean.ts";
import { personQuestionRows } from "../render/question.ts";
import { line, type Line, truncate } from "../render/spans.ts";
import { typedRow } from "./layout.ts";
import { field, type Field, fieldKey } from "./field.ts";

/** An open question of the model's: choices, and a last row for the person's own words (S6). */
export interface PersonPrompt {
  question: PersonQuestion;
  row: number;
  field: Field;
}

/** Opens it; without choices the person types at once. */
export function openPerson(question: PersonQuestion): PersonPrompt {
  return { question, row: 0, field: field() };
}

/** One key; `answer` is the chosen label or the typed words. */
export function personKey(prompt: PersonPrompt, key: Key): { prompt: PersonPrompt; answer?: string; used: boolean } {
  const { options } = prompt.question;
  const last = options.length;
  if (key.name === "up") return { prompt: { ...prompt, row: Math.max(0, prompt.row - 1) }, used: true };
  if (key.name === "down") return { prompt: { ...prompt, row: Math.min(last, prompt.row + 1) }, used: true };
  if (key.name === "return") {
    const answer = prompt.row < last ? options[prompt.row]?.label : prompt.field.text.trim();
    return answer === undefined || answer === "" ? { prompt, used: true } : { prompt, answer, used: true };
  }
  if (prompt.row < last && /^[1-9]$/.test(key.name) && !key.ctrl && !key.alt) {
    const answer = options[Number(key.name) - 1]?.label;
    return answer === undefined ? { prompt, used: true } : { prompt, answer, used: true };
  }
  const next = fieldKey(prompt.field, key);
  return next === undefined ? { prompt, used: false } : { prompt: { ...prompt, row: last, field: next }, used: true };
}

/** The question, its choices and the row for own words, in at most `max` rows. */
export function layoutPerson(
  prompt: PersonPrompt,
  width: number,
  max: number,
): { rows: Line[]; caret: { x: number; y: number } } {
  const { options, question } = prompt.question;
  const typed = typedRow(`${prompt.row === options.length ? "›" : " "} own words: `, prompt.field, width);
  const choices = [...options.map((option, at) => choiceRow(option, at, prompt.row === at, width)), typed.row];
  const room = Math.max(2, max - 1);
  const heads = personQuestionRows(question, width).slice(0, Math.max(1, room - Math.min(choices.length, room - 1)));
  const fit = Math.max(1, max - heads.length);
  const from = Math.max(0, Math.min(prompt.row - fit + 1, choices.length - fit));
  const rows = [...heads, ...choices.slice(from, from + fit)];
  const y = heads.length + prompt.row - from;
  return { rows, caret: { x: prompt.row === options.length ? typed.x : 0, y: Math.min(y, rows.length - 1) } };
}

function choiceRow(option: PersonQuestion["options"][number], at: number, chosen: boolean, width: number): Line {
  const style = chosen ? ("selected" as const) : undefined;
  const more =
    option.description === undefined ? [] : [{ text: ` · ${cleanRow(option.description)}`, style: "dim" as const }];
  return truncate(
    [...line(`${chosen ? "›" : " "} ${at + 1} ${clean(option.label).replaceAll("\n", " ")}`, style), ...more],
    width,
  );
}
