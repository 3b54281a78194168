import { type Action, type Context, type Keymap, keysOf } from "../input/keymap.ts";
import { type Line, line, wrap } from "../render/spans.ts";
import type { Listed } from "./command.ts";
import { COMMANDS } from "./table.ts";

const KEYS: readonly [what: string, context: Context, action: Action][] = [
  ["send, or steer while it works", "composer", "send"],
  ["new line", "composer", "edit.newline"],
  ["stop, or close what is open", "any", "escape"],
  ["stop, clear, twice: exit", "any", "interrupt"],
  ["next mode: plan, ask, auto", "any", "mode-next"],
  ["search in what was sent", "composer", "history-search"],
  ["the last tool output in full", "composer", "expand"],
  ["the list of steps", "composer", "transpose-or-todo"],
  ["answer a question while you write", "prompt", "focus-prompt"],
  ["draw the screen anew", "any", "repaint"],
  ["to the shell; fg comes back", "any", "suspend"],
];

/** Commands and the keys as they are now. */
export function helpLines(keymap: Keymap, width: number, skills: readonly Listed[] = []): Line[] {
  const row = (c: Listed): [string, string] => [`/${c.name}${c.args === undefined ? "" : ` ${c.args}`}`, c.text];
  const own = new Set(COMMANDS.map(({ name }) => name));
  const others = skills.filter(({ name }) => !own.has(name)).map(row);
  const keys = KEYS.map(([what, context, action]): [string, string] => [
    keysOf(keymap, context, action).slice(0, 3).map(keyWords).join(", "),
    what,
  ]);
  const more: [string, string][] = [
    ["!command", "runs it in the copy; what it changes lands"],
    ["!!command", "runs it outside, in your own shell"],
  ];
  return [
    ...block("Commands", [...COMMANDS.map(row), ...more], width),
    ...(others.length === 0 ? [] : [[], ...block("Skills and commands of files", others, width)]),
    [],
    ...block("Keys", keys, width),
  ];
}

/** A hint such as `n N`, `q back`: the first key of each action, as a person writes it, with words behind; "" where none is bound. */
export function hintWords(keymap: Keymap, context: Context, actions: readonly Action[], words: string): string {
  const keys = actions.flatMap((action) => keysOf(keymap, context, action).slice(0, 1)).map(pageKey);
  return keys.length === 0 ? "" : [...keys, words].join(" ").trimEnd();
}

/** Where letters are keys, a small one is no capital. */
export function pageKey(id: string): string {
  if (/^shift\+\S$/u.test(id)) return id.slice(-1).toUpperCase();
  return id.length === 1 ? id : keyWords(id);
}

/** `Shift+Tab` for `shift+tab`. */
export function keyWords(id: string): string {
  const names: Readonly<Record<string, string>> = { return: "Enter", escape: "Esc", pageup: "PgUp", pagedown: "PgDn" };
  const parts = id
    .split("+")
    .map((part) => names[part] ?? (part.length === 1 ? part.toUpperCase() : part[0]?.toUpperCase() + part.slice(1)));
  return parts.join("+");
}

function block(title: string, rows: readonly [string, string][], width: number): Line[] {
  const wide = Math.min(24, Math.max(...rows.map(([left]) => left.length)) + 2);
  const rest = line(" ".repeat(width > wide + 20 ? wide : 2));
  return [
    ...wrap(line(title, "heading"), { width }),
    ...rows.flatMap(([left, right]) =>
      wrap([{ text: left.padEnd(wide - 1) + " ", style: "bold" }, { text: right }], { width, rest }),
    ),
  ];
}
