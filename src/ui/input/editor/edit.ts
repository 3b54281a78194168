import {
  after,
  before,
  chipChar,
  cleanText,
  edge,
  EMPTY,
  isChip,
  snap,
  type EditKind,
  type EditorState,
} from "./buffer.ts";
import { target, vertical, type Motion } from "./motion.ts";

/** What can be done to a draft. `at` is the time of the key, `width` the composer's columns. */
export type EditorOp =
  | { op: "insert"; text: string }
  | { op: "paste"; text: string }
  | { op: "move"; to: Motion }
  | { op: "row"; by: -1 | 1 }
  | { op: "delete"; to: Motion }
  | { op: "kill"; to: Motion }
  | { op: "yank" | "yank-pop" | "undo" | "redo" | "transpose" }
  /** The next inserted character is looked for and jumped to. */
  | { op: "jump" }
  /** Spreads out the paste at the cursor. */
  | { op: "expand" }
  | { op: "go"; to: number }
  /** One step; `kill`: what stood there goes to the kill ring. */
  | { op: "replace"; from: number; to: number; text: string; cursor?: number; kill?: boolean }
  /** Into the kill ring; the draft stays. */
  | { op: "copy"; text: string }
  /** One sign that stands for `text` and is shown as `label`. `instead`: of these letters before the cursor, where they still stand there. */
  | { op: "chip"; text: string; label: string; instead: string }
  /** Another text in its place: recalled, completed, cleared, come back from an editor. `chips`: of a recalled text. */
  | { op: "set"; text: string; chips?: Readonly<Record<string, string>>; cursor?: number };
export interface EditorEnv {
  at: number;
  width: number;
}

const MAX_KILLS = 20;
const MAX_UNDO = 500;
/** Characters of all undo steps together, about: a huge draft has fewer of them. */
const UNDO_CHARS = 1 << 24;
const MIN_UNDO = 20;
const PASTE_LINES = 5;
const PASTE_CHARS = 500;

/** One edit. Pure; returns the same state when nothing changes. */
export function edit(state: EditorState, op: EditorOp, env: EditorEnv): EditorState {
  switch (op.op) {
    case "insert":
      return state.last.kind === "jump" ? jump(state, op.text, env) : type(state, op.text, env);
    case "paste":
      return paste(state, op.text, env);
    case "move":
      return moved(state, target(state, op.to), env);
    case "row": {
      const to = vertical(state, op.by, env.width);
      return to === undefined ? state : moved(state, to.at, env, to.goal);
    }
    case "delete":
      return cut(state, target(state, op.to), env, "delete");
    case "kill":
      return kill(state, killTarget(state, op.to), env);
    case "yank":
      return yank(state, 0, state.cursor, state.cursor, env);
    case "yank-pop":
      return state.yanked === undefined
        ? state
        : yank(state, state.yanked.index + 1, state.yanked.from, state.yanked.to, env);
    case "undo":
      return back(state, "undo", env);
    case "redo":
      return back(state, "redo", env);
    case "transpose":
      return transpose(state, env);
    case "jump":
      return { ...state, last: { kind: "jump", at: env.at } };
    case "expand":
      return expand(state, env);
    case "chip":
      return chip(state, op, env);
    case "set":
      return set(state, op, env);
    case "go":
      return moved(state, snap(state.text, op.to), env);
    case "replace":
      return put(state, op, env);
    case "copy":
      return op.text === "" ? state : { ...state, kills: [op.text, ...state.kills].slice(0, MAX_KILLS) };
  }
}

function put(state: EditorState, op: Extract<EditorOp, { op: "replace" }>, env: EditorEnv): EditorState {
  const [from, to] = [edge(state.text, Math.min(op.from, op.to)), edge(state.text, Math.max(op.from, op.to))];
  const next = replace(state, from, to, op.text, env, "other");
  const kept = op.kill === true ? edit(next, { op: "copy", text: state.text.slice(from, to) }, env) : next;
  return op.cursor === undefined ? kept : { ...kept, cursor: snap(kept.text, op.cursor) };
}

/** Puts `text` in place of `from`–`to`. `grow`: the edit joins the one before it in one undo step. */
function replace(
  state: EditorState,
  from: number,
  to: number,
  text: string,
  env: EditorEnv,
  kind: EditKind,
  grow = false,
): EditorState {
  if (from === to && text === "") return { ...state, last: { kind: "none", at: env.at }, notice: undefined };
  const undo = grow
    ? state.undo
    : [...state.undo, { text: state.text, cursor: state.cursor }].slice(-undoSteps(state.text));
  const whole = state.text.slice(0, from) + text + state.text.slice(to);
  return {
    ...state,
    text: whole,
    cursor: edge(whole, from + text.length),
    goal: undefined,
    undo,
    redo: [],
    last: { kind, at: env.at },
    yanked: undefined,
    notice: undefined,
  };
}

function undoSteps({ length }: string): number {
  return Math.max(MIN_UNDO, Math.min(MAX_UNDO, Math.floor(UNDO_CHARS / (length + 1))));
}

function moved(state: EditorState, at: number, env: EditorEnv, goal?: number): EditorState {
  return { ...state, cursor: at, goal, last: { kind: "move", at: env.at }, yanked: undefined, notice: undefined };
}

/** Typing is one undo step up to the next word or a second's rest (IN-5). */
function type(state: EditorState, raw: string, env: EditorEnv): EditorState {
  const { text } = cleanText(raw);
  const word = /\s$/.test(state.text.slice(0, state.cursor)) && !/^\s/.test(text);
  const grow = state.last.kind === "type" && env.at - state.last.at <= 1000 && !word && text !== "\n";
  return replace(state, state.cursor, state.cursor, text, env, "type", grow);
}

function jump(state: EditorState, char: string, env: EditorEnv): EditorState {
  const found = state.text.indexOf(char, after(state.text, state.cursor));
  const at = found >= 0 ? found : state.text.indexOf(char);
  return moved(state, at < 0 ? state.cursor : snap(state.text, at), env);
}

function paste(state: EditorState, raw: string, env: EditorEnv): EditorState {
  const { text, removed } = cleanText(raw);
  const notice = removed === 0 ? undefined : `${removed} control sequences were taken out of the paste`;
  const large = text.replace(/\n$/, "").split("\n").length > PASTE_LINES || text.length > PASTE_CHARS;
  if (!large) return { ...replace(state, state.cursor, state.cursor, text, env, "other"), notice };
  const previous = before(state.text, state.cursor);
  // The same paste again spreads it out.
  if (state.chips.get(state.text.slice(previous, state.cursor))?.text === text) return expand(state, env);
  const n = state.pasted + 1;
  const chips = new Map(state.chips).set(chipChar(n), { n, text });
  return { ...replace(state, state.cursor, state.cursor, chipChar(n), env, "other"), chips, pasted: n, notice };
}

function chip(
  state: EditorState,
  { text, label, instead }: Extract<EditorOp, { op: "chip" }>,
  env: EditorEnv,
): EditorState {
  const n = state.pasted + 1;
  const chips = new Map(state.chips).set(chipChar(n), { n, text, label });
  const stands = state.text.slice(0, state.cursor).endsWith(instead);
  const from = stands ? state.cursor - instead.length : state.cursor;
  return { ...replace(state, from, state.cursor, chipChar(n), env, "other"), chips, pasted: n };
}

function expand(state: EditorState, env: EditorEnv): EditorState {
  const { text, cursor } = state;
  const places = [
    [before(text, cursor), cursor],
    [cursor, after(text, cursor)],
  ] as const;
  for (const [from, to] of places) {
    const chip = state.chips.get(text.slice(from, to));
    if (chip !== undefined) return replace(state, from, to, chip.text, env, "other");
  }
  return state;
}

function cut(state: EditorState, to: number, env: EditorEnv, kind: EditKind): EditorState {
  const [from, until] = to < state.cursor ? [to, state.cursor] : [state.cursor, to];
  const grow = state.last.kind === kind && env.at - state.last.at <= 1000;
  return replace(state, from, until, "", env, kind, grow && state.undo.length > 0);
}

/** At a line's edge, the line end itself goes. */
function killTarget(state: EditorState, to: Motion): number {
  const at = target(state, to);
  if (at !== state.cursor) return at;
  return to === "line-end" ? after(state.text, at) : to === "line-start" ? before(state.text, at) : at;
}

/** Kills that follow each other are one entry of the ring (IN-6). */
function kill(state: EditorState, to: number, env: EditorEnv): EditorState {
  if (to === state.cursor) return state;
  const forward = to > state.cursor;
  const taken = forward ? state.text.slice(state.cursor, to) : state.text.slice(to, state.cursor);
  const next = cut(state, to, env, "kill");
  const [newest = "", ...older] = state.kills;
  const joins = state.last.kind === "kill";
  const kills = joins ? [forward ? newest + taken : taken + newest, ...older] : [taken, ...state.kills];
  return { ...next, kills: kills.slice(0, MAX_KILLS) };
}

function yank(state: EditorState, index: number, from: number, to: number, env: EditorEnv): EditorState {
  const text = state.kills[index % Math.max(1, state.kills.length)];
  if (text === undefined) return state;
  const next = replace(state, from, to, text, env, "yank");
  return { ...next, yanked: { from, to: from + text.length, index: index % state.kills.length } };
}

function back(state: EditorState, which: "undo" | "redo", env: EditorEnv): EditorState {
  const from = state[which];
  const snapshot = from.at(-1);
  if (snapshot === undefined) return state;
  const here = { text: state.text, cursor: state.cursor };
  const rest = from.slice(0, -1);
  return {
    ...state,
    ...snapshot,
    undo: which === "undo" ? rest : [...state.undo, here],
    redo: which === "redo" ? rest : [...state.redo, here],
    goal: undefined,
    last: { kind: "other", at: env.at },
    yanked: undefined,
    notice: undefined,
  };
}

function transpose(state: EditorState, env: EditorEnv): EditorState {
  const { text } = state;
  // At a line's end the two characters before it change places.
  const atEnd = state.cursor >= text.length || text[state.cursor] === "\n";
  const middle = atEnd ? before(text, state.cursor) : state.cursor;
  const from = before(text, middle);
  const to = after(text, middle);
  if (from === middle || middle === to || text.slice(from, to).includes("\n")) return state;
  return replace(state, from, to, text.slice(middle, to) + text.slice(from, middle), env, "other");
}

function set(state: EditorState, op: Extract<EditorOp, { op: "set" }>, env: EditorEnv): EditorState {
  const chips = new Map(state.chips);
  let n = state.pasted;
  // A recalled text names its pastes itself; those that stand in the draft now stay.
  const text = op.text
    .split(/([\u{f0000}-\u{10fffd}])/u)
    .map((piece) => {
      const pasted = op.chips?.[piece];
      if (pasted === undefined) return isChip(piece) && state.chips.has(piece) ? piece : cleanText(piece).text;
      n++;
      chips.set(chipChar(n), { n, text: cleanText(pasted).text });
      return chipChar(n);
    })
    .join("");
  if (text === state.text && op.cursor === undefined) return state;
  const next = replace(state, 0, state.text.length, text, env, "other");
  return { ...next, chips, pasted: n, cursor: op.cursor === undefined ? text.length : snap(text, op.cursor) };
}

/** `\\` before the cursor at Enter: the draft with a line end in its place; undefined where Enter sends (IN-2). */
export function continued(state: EditorState, env: EditorEnv): EditorState | undefined {
  if (state.text[state.cursor - 1] !== "\\") return undefined;
  return replace(state, state.cursor - 1, state.cursor, "\n", env, "other");
}

/** A fresh draft that keeps the kill ring and the numbers of pastes: after sending. */
export function fresh(state: EditorState): EditorState {
  const killed = state.kills.join("");
  const chips = new Map([...state.chips].filter(([char]) => killed.includes(char)));
  return { ...EMPTY, kills: state.kills, chips, pasted: state.pasted };
}

/** What a draft's first characters make it. `outside`: `!!`, the person's own shell. */
export function prefixMode(state: Pick<EditorState, "text">): "prompt" | "command" | "shell" | "outside" | "memory" {
  if (state.text.startsWith("!!")) return "outside";
  if (state.text.startsWith("!")) return "shell";
  // Several lines that begin so are a text with headings.
  if (/^#[^\n]*$/.test(state.text)) return "memory";
  return /^\/(?:[\w-]*$|[\w-]+\s)/.test(state.text) ? "command" : "prompt";
}
