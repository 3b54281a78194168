import { mentionOf, openMention, type OpenMention } from "../../../session/mentions.ts";
import type { Listed } from "../../commands/command.ts";
import { commandNamed, matching } from "../../commands/find.ts";
import type { EditorState } from "../editor/buffer.ts";
import { edit, prefixMode, type EditorEnv } from "../editor/edit.ts";

/** One row of a completion menu. */
export interface MenuItem {
  label: string;
  /** Said behind it. */
  more?: string;
  /** What comes in the place of what was typed. */
  insert: string;
}

/** What the draft may be completed to (IN-10, IN-11). */
export interface Menu {
  kind: "command" | "argument" | "file";
  items: readonly MenuItem[];
  /** The part of the draft that a choice takes the place of. */
  from: number;
  to: number;
  /** What is typed is one of them as it stands. */
  exact: boolean;
}

/** Files that were found for what was typed behind `@`. */
export interface FoundFiles {
  query: string;
  paths: readonly string[];
}

/** The menu of a draft; undefined where there is none. Pure. */
export function menuOf(
  editor: Pick<EditorState, "text" | "cursor">,
  found?: FoundFiles,
  skills?: readonly Listed[],
): Menu | undefined {
  if (prefixMode(editor) === "command") return commandMenu(editor.text, skills);
  const mention = openMention(editor.text.slice(0, editor.cursor));
  return mention === undefined || found === undefined ? undefined : fileMenu(mention, editor.cursor, found);
}

function commandMenu(text: string, skills?: readonly Listed[]): Menu | undefined {
  const commands = matching(text, skills);
  if (commands === undefined) return argumentMenu(text);
  const items = commands.map((command) => ({
    label: `/${command.name}${command.args === undefined ? "" : ` ${command.args}`}`,
    more: command.text,
    insert: `/${command.name} `,
  }));
  const exact = commands.some((command) => named(command).some((name) => text === `/${name}`));
  return { kind: "command", items, from: 0, to: text.length, exact };
}

function named({ name, also = [] }: Listed): readonly string[] {
  return [name, ...also];
}

/** What may follow a command, where it is one of some words. */
function argumentMenu(text: string): Menu | undefined {
  const [, head = "", name = "", typed = ""] = /^(\/([\w-]+) +)(\S*)$/.exec(text) ?? [];
  const command = commandNamed(name);
  if (command === undefined) return undefined;
  const words = (command.options?.() ?? hinted(command.args ?? "")).filter((word) => word.startsWith(typed));
  if (words.length === 0) return undefined;
  const items = words.map((word) => ({ label: word, insert: word }));
  return { kind: "argument", items, from: head.length, to: text.length, exact: words.includes(typed) };
}

/** The words in small letters of `[plan|ask|auto]` or `[stop ID]`: what stands there in capitals is for the person to find. */
function hinted(args: string): string[] {
  const first = /^\[+([^\]]*\]?[^\]]*)\]/.exec(args)?.[1] ?? "";
  return first.split(/[\s|[\]]+/).filter((word) => /^[a-z][a-z-]*$/.test(word));
}

function fileMenu(mention: OpenMention, cursor: number, found: FoundFiles): Menu | undefined {
  if (found.paths.length === 0) return undefined;
  const items = found.paths.map((path) => ({ label: path, insert: inserted(path) }));
  const exact = found.query === mention.query && found.paths.includes(mention.query);
  return { kind: "file", items, from: mention.from, to: cursor, exact };
}

/** A folder stays open, so that what is in it can be typed on; a file is done. */
function inserted(path: string): string {
  const whole = mentionOf(path);
  if (!path.endsWith("/")) return `${whole} `;
  return whole.endsWith('"') ? whole.slice(0, -1) : whole;
}

/** The draft with an item in place. */
export function accepted(editor: EditorState, menu: Menu, item: MenuItem, env: EditorEnv): EditorState {
  const rest = editor.text.slice(menu.to);
  // A blank that stands there already is not doubled.
  const insert = rest.startsWith(" ") ? item.insert.trimEnd() : item.insert;
  const text = editor.text.slice(0, menu.from) + insert + rest;
  return edit(editor, { op: "set", text, cursor: menu.from + insert.length }, env);
}
