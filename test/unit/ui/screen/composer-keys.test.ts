import { describe, expect, it } from "vitest";
import { expanded, labelled } from "../../../../src/ui/input/editor/buffer.ts";
import { DEFAULT_KEYMAP } from "../../../../src/ui/input/keymap.ts";
import { createTokenizer } from "../../../../src/ui/input/tokenizer.ts";
import { frameRows } from "../../../../src/ui/render/frame.ts";
import { textOfLine } from "../../../../src/ui/render/spans.ts";
import type { Actions } from "../../../../src/ui/screen/actions.ts";
import { screenFrame } from "../../../../src/ui/screen/frame.ts";
import { onInput } from "../../../../src/ui/screen/keys.ts";
import { NO_SCREEN, type ScreenState } from "../../../../src/ui/screen/state.ts";
import { toggledVim } from "../../../../src/ui/screen/vim-keys.ts";

const ESC = "\x1b";
const AROUND = { home: "/", contained: true };

interface Played {
  state: ScreenState;
  /** What was done beyond the state, in order. */
  done: string[];
  /** Text with `|` at the cursor. */
  shown: string;
}

/** Chunks as a terminal sends them, a second apart, on a screen of 60×24. */
function play(from: Partial<ScreenState>, ...chunks: readonly string[]): Played {
  const done: string[] = [];
  const actions = new Proxy({} as Actions, {
    get: (_, name: string) => (words?: unknown) => {
      done.push(typeof words === "string" ? `${name} ${words}` : name);
      return [];
    },
  });
  const t = createTokenizer();
  let state: ScreenState = { ...NO_SCREEN, ...from };
  chunks.forEach((chunk, i) => {
    const at = 1000 * (i + 1);
    for (const event of [...t.feed(Buffer.from(chunk), at), ...t.flush(at + 900)])
      state = onInput(state, event, { actions, at, cols: 60, rows: 24, keymap: DEFAULT_KEYMAP });
  });
  const { text, cursor } = state.editor;
  return { state, done, shown: `${text.slice(0, cursor)}|${text.slice(cursor)}` };
}
const shown = (...chunks: readonly string[]) => play({}, ...chunks).shown;
const rows = (state: ScreenState, cols = 60, height = 24) =>
  frameRows(screenFrame(state, AROUND, cols, height)).map(textOfLine);
const paste = (text: string) => `${ESC}[200~${text}${ESC}[201~`;
const LINES = Array.from({ length: 30 }, (_, i) => `line ${i}`).join("\n");

describe("the composer's keys", () => {
  it("UX-IN-2: Shift+Enter, Alt+Enter, Ctrl+J and a backslash before Enter make a line end; Enter sends", () => {
    for (const key of [`${ESC}[13;2u`, `${ESC}[27;2;13~`, `${ESC}\r`, "\n"]) expect(shown("a", key, "b")).toBe("a\nb|");
    expect(shown("a\\", "\r", "b")).toBe("a\nb|");
    expect(shown("a\\", "\r", "\x1f")).toBe("a\\|");
    expect(play({}, "hello\r")).toMatchObject({ done: ["send hello"], shown: "|" });
    expect(play({ busy: true }, "later", `${ESC}\r`).done).toEqual(["sendLater later"]);
  });
  it("UX-IN-3 UX-IN-14: what is pasted never sends, with brackets or without", () => {
    for (const bytes of [paste("one\ntwo\n"), "one\rtwo\r", paste(LINES), LINES.replaceAll("\n", "\r")])
      expect(play({}, bytes).done).toEqual([]);
  });
  it("UX-IN-4: C-b goes left, C-] jumps and Esc leaves that, C-t changes places", () => {
    expect(shown("abc", "\x02")).toBe("ab|c");
    expect(shown("abc", "\x01", "\x1d", "c")).toBe("ab|c");
    expect(play({ busy: true }, "abc", "\x1d", ESC, "x")).toMatchObject({ done: [], shown: "abcx|" });
    expect(shown("ab", "\x14")).toBe("ba|");
  });
  it("UX-IN-5: undo takes back a paste, a completion, a clear, a recall, a stash, each alone; M-_ brings it again", () => {
    const undone = (...chunks: readonly string[]) => shown(...chunks, "\x1f");
    expect(undone("a", paste("b"))).toBe("a|");
    expect(undone("/he", "\t")).toBe("/he|");
    expect(undone("words", "\x03")).toBe("words|");
    expect(undone("old", "\r", "new", "\x15", `${ESC}[A`)).toBe("|");
    expect(undone("draft", "\x13")).toBe("draft|");
    expect(shown("a", paste("b"), "\x1f", `${ESC}_`)).toBe("ab|");
  });
  it("UX-IN-14: Ctrl-O on a paste spreads it out, elsewhere it is the transcript's", () => {
    const { state, done } = play({}, "see ", paste(LINES), "\x0f");
    expect([state.editor.text, done]).toEqual([`see ${LINES}`, []]);
    expect(play({}, "see ", paste(LINES), " x", "\x0f").done).toEqual(["expand"]);
    expect(labelled(play({}, paste(LINES), "\x1b[D", "\x1b[C", "\x7f").state.editor)).toBe("");
  });
  it("UX-IN-14: a sent paste is whole again when Up brings it back", () => {
    const { state, done } = play({}, paste(LINES), "\r", `${ESC}[A`);
    expect(done).toEqual([`send ${LINES}`, "takeBack"]);
    expect([labelled(state.editor), expanded(state.editor)]).toEqual(["[Pasted #2 · 30 lines]", LINES]);
  });
  it("UX-IN-17: Ctrl-S puts a draft aside and brings it back; two change places; the composer says so", () => {
    const aside = play({}, "first", "\x13");
    expect(aside.shown).toBe("|");
    expect(rows(aside.state).join("\n")).toContain("a draft is put aside · Ctrl-S brings it back");
    expect(play(aside.state, "\x13")).toMatchObject({ shown: "first|", state: { stash: undefined } });
    const swapped = play(aside.state, "second", "\x13");
    expect(swapped.shown).toBe("first|");
    expect(play(swapped.state, "\x13").shown).toBe("second|");
    expect(play(aside.state, "quick", "\r", "\x13")).toMatchObject({ done: ["send quick"], shown: "first|" });
    expect(play({}, "\x13").state.toast?.text).toBe("Nothing is put aside");
  });
  it("UX-IN-16: Ctrl-G and C-x C-e are for the person's own editor", () => {
    expect(play({}, "a", "\x07").done).toEqual(["editDraft"]);
    expect(play({}, "a", "\x18", "\x05").done).toEqual(["editDraft"]);
  });
  it("UX-IN-1: grows to a third of the screen and ten rows, then scrolls inside, arrows where more is", () => {
    const typed = (n: number) => play({}, paste(Array.from({ length: n }, (_, i) => `r${i}`).join("\n")), "\x0f").state;
    const composer = (state: ScreenState, height: number) =>
      rows(state, 60, height).filter((row) => /^. r\d/.test(row));
    expect(composer(typed(5), 24).length).toBe(5);
    expect(composer(typed(30), 24).length).toBe(8);
    expect(composer(typed(30), 60).length).toBe(10);
    const bottom = composer(typed(30), 60);
    expect([bottom[0], bottom.at(-1)]).toEqual(["↑ r20", "  r29"]);
    const middle = composer(play(typed(30), ...Array<string>(15).fill(`${ESC}[A`)).state, 60);
    expect([middle[0], middle.at(-1)]).toEqual(["↑ r9", "↓ r18"]);
    const top = composer(play(typed(30), `${ESC}[1;5H`).state, 60);
    expect([top[0], top.at(-1)]).toEqual(["› r0", "↓ r9"]);
  });
});

describe("the Vim keys on the screen", () => {
  const vim = toggledVim(NO_SCREEN);

  it("UX-IN-7: the mode is shown; Esc leaves insert first, only then it stops", () => {
    const insert = play({ ...vim, busy: true }, "words");
    expect(rows(insert.state).at(-1)).toContain("INSERT");
    const normal = play(insert.state, ESC);
    expect([normal.done, rows(normal.state).at(-1)?.includes("NORMAL")]).toEqual([[], true]);
    expect(play(normal.state, "d", ESC).done).toEqual([]);
    expect(play(normal.state, "v", ESC).done).toEqual([]);
    expect(play(normal.state, ESC).done).toEqual(["stop"]);
  });
  it("UX-IN-7 UX-Q-5: an open menu is nearer than the mode; a sent draft begins in insert again", () => {
    const menu = play(vim, "/mo", ESC);
    expect(menu.state.vim?.mode).toBe("insert");
    expect(play(menu.state, ESC).state.vim?.mode).toBe("normal");
    const sent = play(vim, "go", ESC, "\r");
    expect([sent.done, sent.state.vim?.mode]).toEqual([["send go"], "insert"]);
  });
  it("UX-IN-7: j and k recall at the edges, C-c and C-t keep their meaning, / searches", () => {
    const old = play(vim, "old", "\r", ESC, "k");
    expect(old.shown).toBe("ol|d");
    expect(play(old.state, "j").shown).toBe("|");
    expect(play(old.state, "\x03").shown).toBe("|");
    expect(play(old.state, "/").state.search).toBeDefined();
  });
  it("UX-IN-7: a selection is marked; a paste ends it", () => {
    const selected = play(vim, "one two", ESC, "v", "b");
    const spans = screenFrame(selected.state, AROUND, 60, 24).main[0];
    expect(spans?.filter((span) => span.style === "selection").map((span) => span.text)).toEqual(["two"]);
    expect(play(selected.state, paste("x")).state.vim?.mode).toBe("normal");
  });
  it("UX-IN-7: off again, Esc is what it was", () => {
    const off = toggledVim(vim);
    expect(off.vim).toBeUndefined();
    expect(play({ ...off, busy: true }, "a", ESC).done).toEqual(["stop"]);
  });
});
