import { cleanText, after, type EditorState, lineEnd } from "../editor/buffer.ts";
import { edit, type EditorEnv } from "../editor/edit.ts";
import { begin, opened } from "./insert.ts";
import { reach, type Reach } from "./motion.ts";
import { objectAt, type Range } from "./object.ts";
import { type Done, joined, operate, putBack, recased, settled } from "./operate.ts";
import { type Command, parse } from "./parse.ts";
import type { Vim } from "./state.ts";
import { kindAt, lineBy, rightInLine } from "./text.ts";

/** One whole command of normal mode; undefined where it can't be done. */
export function normal(
  vim: Vim,
  editor: EditorState,
  keys: string,
  command: Command,
  env: EditorEnv,
): Done | undefined {
  const done = run(vim, editor, keys, command, env);
  if (done === undefined) return undefined;
  if (done.insert !== true) return { ...done, editor: settled(done.editor) };
  const count = command.operator === undefined && /^[iaIAoO]$/.test(command.name) ? command.count : 1;
  return begin(done.vim, done.editor, editor, { keys }, count);
}

function run(vim: Vim, editor: EditorState, keys: string, command: Command, env: EditorEnv): Done | undefined {
  const { operator, name, count } = command;
  if (operator !== undefined) {
    const range = rangeOf(editor, command, vim);
    return range === undefined ? undefined : changed(operate(vim, editor, operator, range, env), keys, operator);
  }
  const to = reach(editor.text, editor.cursor, command, vim.find);
  if (to !== undefined) return { vim: noted(vim, command), editor: edit(editor, { op: "go", to: to.to }, env) };
  const alias = ALIASES[name];
  if (alias !== undefined) {
    const of = parse(`${count === 1 ? "" : count}${alias}`, false);
    return typeof of === "string" ? undefined : run(vim, editor, keys, of, env);
  }
  switch (name) {
    case "i":
    case "a":
    case "I":
    case "A":
    case "o":
    case "O":
      return { vim, editor: opened(editor, name, env), insert: true };
    case "v":
    case "V":
      return { vim: { ...vim, mode: name === "v" ? "visual" : "lines", anchor: editor.cursor }, editor };
    case "u":
      return { vim, editor: repeated(editor, count, (of) => edit(of, { op: "undo" }, env)) };
    case "p":
    case "P":
      return changed(putBack(vim, editor, name === "p", count, env), keys);
    case "J":
      return changed({ vim, editor: joined(editor, editor.cursor, Math.max(2, count), env) }, keys);
    case "r":
      return replaced(vim, editor, keys, command, env);
    case "~":
      return changed({ vim, editor: turnCase(editor, count, env) }, keys);
    default:
      return undefined;
  }
}

/** What other keys are short for. */
const ALIASES: Readonly<Record<string, string>> = {
  x: "dl",
  X: "dh",
  D: "d$",
  C: "c$",
  s: "cl",
  S: "cc",
  Y: "yy",
};

/** A step so often, or until it changes nothing. */
export function repeated(editor: EditorState, count: number, step: (of: EditorState) => EditorState): EditorState {
  let at = editor;
  for (let n = 0; n < count; n++) {
    const next = step(at);
    if (next === at) break;
    at = next;
  }
  return at;
}

/** A change of the text is what "." does again; a copy is none. */
function changed(done: Done, keys: string, operator?: string): Done {
  return operator === "y" ? done : { ...done, vim: { ...done.vim, change: { keys } } };
}

/** What ; and , repeat. */
export function noted(vim: Vim, { name, char }: Command): Vim {
  const looks = name === "f" || name === "F" || name === "t" || name === "T";
  return looks && char !== undefined ? { ...vim, find: { key: name, char } } : vim;
}

/** What an operator takes. */
function rangeOf({ text, cursor }: EditorState, command: Command, vim: Vim): Range | undefined {
  const { name, count, operator } = command;
  if (name === "line") {
    const last = lineBy(text, cursor, count - 1);
    return last === undefined && count > 1 ? undefined : { from: cursor, to: last ?? cursor, lines: true };
  }
  if (/^[ia]./.test(name)) return objectAt(text, cursor, name, count);
  const word = name === "w" || name === "W";
  const inWord = kindAt(text, cursor, name === "W") !== 0;
  // cw leaves the blanks behind the word.
  if (operator === "c" && word && inWord) return changedWord(text, cursor, command);
  const to = reach(text, cursor, command, vim.find);
  return to === undefined ? undefined : spanned(text, cursor, to, word);
}

function changedWord(text: string, at: number, command: Command): Range {
  const big = command.name === "W";
  const kind = kindAt(text, at, big);
  const last = after(text, at);
  const alone = last >= text.length || kindAt(text, last, big) !== kind;
  const left = alone ? command.count - 1 : command.count;
  const to =
    left === 0 ? at : (reach(text, at, { ...command, name: big ? "E" : "e", count: left }, undefined)?.to ?? at);
  return { from: at, to: after(text, to), lines: false };
}

function spanned(text: string, at: number, { to, kind }: Reach, word: boolean): Range {
  const [from, until] = to < at ? [to, at] : [at, to];
  if (kind === "lines") return { from, to: until, lines: true };
  if (kind === "inclusive") return { from, to: after(text, until), lines: false };
  // The last word of a line: its line end stays.
  const gap = word ? /\n\s*$/.exec(text.slice(from, until)) : null;
  return { from, to: gap === null || gap.index === 0 ? until : from + gap.index, lines: false };
}

function replaced(
  vim: Vim,
  editor: EditorState,
  keys: string,
  { count, char = "" }: Command,
  env: EditorEnv,
): Done | undefined {
  const { text: sign } = cleanText(char);
  const to = rightInLine(editor.text, editor.cursor, count);
  const there = Array.from({ length: count }).reduce<number>(
    (at) => (at < to ? after(editor.text, at) : -1),
    editor.cursor,
  );
  if (sign === "" || there !== to) return undefined;
  const text = sign.repeat(count);
  const next = edit(editor, { op: "replace", from: editor.cursor, to, text }, env);
  return changed({ vim, editor: edit(next, { op: "go", to: editor.cursor + text.length - sign.length }, env) }, keys);
}

function turnCase(editor: EditorState, count: number, env: EditorEnv): EditorState {
  const to = rightInLine(editor.text, editor.cursor, count);
  const next = recased(editor, { from: editor.cursor, to, lines: false }, "~", env);
  const at = lineEnd(next.text, editor.cursor) - (lineEnd(editor.text, editor.cursor) - to);
  return edit(next, { op: "go", to: at }, env);
}
