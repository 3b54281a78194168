import { cleanText } from "../input/editor/buffer.ts";
import { edit, type EditorEnv } from "../input/editor/edit.ts";
import { recallOp } from "../input/editor/history.ts";
import {
  found,
  nextScope,
  olderMatch,
  type Scope,
  type Scoped,
  startSearch,
  typeSearch,
} from "../input/editor/search.ts";
import { type Key, keyId } from "../input/key.ts";
import type { Action } from "../input/keymap.ts";
import { exact } from "../render/clean.ts";
import { type Line, type Span, signsOf, truncate, widthOf } from "../render/spans.ts";
import type { ScreenState } from "./state.ts";

/** Ctrl-R: the draft is kept while the search is open. */
export function openSearch(state: ScreenState): ScreenState {
  return { ...state, search: startSearch(state.editor) };
}

/** The texts of each scope (IN-9). */
function scoped({ history: { entries }, sentHere, sentElsewhere }: ScreenState): Scoped {
  return {
    session: sentHere,
    project: entries,
    get all() {
      return [...(sentElsewhere?.() ?? []), ...entries];
    },
  };
}

/** One key while the search is open (IN-9), with what it means there: Enter takes and does not send, Esc brings the draft back. */
export function searchKey(state: ScreenState, key: Key, env: EditorEnv, action: Action | undefined): ScreenState {
  const { search } = state;
  if (search === undefined) return state;
  const leave = (op: ReturnType<typeof recallOp>): ScreenState => {
    const editor = edit(state.editor, op, env);
    return { ...state, editor, menu: { closed: editor.text }, search: undefined };
  };
  switch (action) {
    case "older":
      return { ...state, search: olderMatch(search, scoped(state)) };
    case "scope":
      return { ...state, search: nextScope(search) };
    case "pick":
      return leave(recallOp(found(search, scoped(state))?.entry ?? search.draft));
    case "escape":
    case "interrupt":
      return leave(recallOp(search.draft));
    default:
      if (keyId(key) === "backspace")
        return { ...state, search: typeSearch(search, signsOf(search.query).slice(0, -1).join("")) };
      return key.text === undefined ? state : { ...state, search: typeSearch(search, search.query + key.text) };
  }
}

/** What is pasted is looked for as well, as far as its first line goes. */
export function searchPaste(state: ScreenState, text: string): ScreenState {
  const [first = ""] = cleanText(text).text.trimStart().split("\n");
  return state.search === undefined
    ? state
    : { ...state, search: typeSearch(state.search, state.search.query + first) };
}

const SCOPE_WORDS: Readonly<Record<Scope, string>> = {
  session: "this session",
  project: "this project",
  all: "all projects",
};

/** The search in the composer's place: what is looked for, and the newest match with it marked. */
export function searchRows(state: ScreenState, width: number): { rows: Line[]; caret: { x: number; y: number } } {
  const { search } = state;
  if (search === undefined) return { rows: [], caret: { x: 0, y: 0 } };
  const label = `search ${SCOPE_WORDS[search.scope]}: `;
  const head: Line = truncate([{ text: label, style: "accent" }, { text: exact(search.query) }], width);
  const hit = found(search, scoped(state));
  const spans: Span[] =
    hit === undefined
      ? [
          {
            text: search.query === "" ? "Enter takes · Ctrl-R older · Ctrl-S where · Esc leaves" : "nothing like it",
            style: "dim",
          },
        ]
      : [
          { text: flat(hit.entry.text.slice(Math.max(0, hit.from - 30), hit.from)) },
          { text: flat(hit.entry.text.slice(hit.from, hit.to)), style: "selected" },
          { text: flat(hit.entry.text.slice(hit.to)) },
        ];
  const x = Math.min(width, widthOf(label) + widthOf(exact(search.query)));
  return { rows: [head, truncate([{ text: "  " }, ...spans], width)], caret: { x, y: 0 } };
}

function flat(text: string): string {
  return exact(text).replaceAll("\n", "⏎");
}
