import { signsOf } from "../render/spans.ts";
import type { Key } from "../input/key.ts";

/** One line of text with a caret, counted in signs as a person sees them. */
export interface Field {
  text: string;
  at: number;
}

/** A field with the caret at its end. */
export function field(text = ""): Field {
  return { text, at: signsOf(text).length };
}

/** Types or pastes; line ends become blanks. */
export function insert({ text, at }: Field, added: string): Field {
  const signs = signsOf(text);
  const flat = added.replaceAll(/\s*[\r\n]+\s*/g, " ");
  const head = signs.slice(0, at).join("") + flat;
  return { text: head + signs.slice(at).join(""), at: signsOf(head).length };
}

/** Text before the caret. */
export function beforeCaret({ text, at }: Field): string {
  return signsOf(text).slice(0, at).join("");
}

/** One key; undefined when the field has no use for it. */
export function fieldKey(value: Field, key: Key): Field | undefined {
  const signs = signsOf(value.text);
  const { at } = value;
  const cut = (from: number, to: number): Field => ({
    text: [...signs.slice(0, from), ...signs.slice(to)].join(""),
    at: from,
  });
  if (key.ctrl) {
    if (key.name === "a") return { ...value, at: 0 };
    if (key.name === "e") return { ...value, at: signs.length };
    if (key.name === "u") return cut(0, at);
    if (key.name === "k") return cut(at, signs.length);
    return undefined;
  }
  if (key.name === "left") return { ...value, at: Math.max(0, at - 1) };
  if (key.name === "right") return { ...value, at: Math.min(signs.length, at + 1) };
  if (key.name === "home") return { ...value, at: 0 };
  if (key.name === "end") return { ...value, at: signs.length };
  if (key.name === "backspace") return at === 0 ? value : cut(at - 1, at);
  if (key.name === "delete") return cut(at, at + 1);
  if (key.text !== undefined && !key.alt) return insert(value, key.text);
  return undefined;
}
