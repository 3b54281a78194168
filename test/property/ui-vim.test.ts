import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { EMPTY, type EditorState } from "../../src/ui/input/editor/buffer.ts";
import { edit } from "../../src/ui/input/editor/edit.ts";
import type { Key } from "../../src/ui/input/key.ts";
import { settled } from "../../src/ui/input/vim/operate.ts";
import { selection } from "../../src/ui/input/vim/visual.ts";
import { freshVim, type Vim } from "../../src/ui/input/vim/state.ts";
import { vimKey } from "../../src/ui/input/vim/vim.ts";

const env = { at: 0, width: 20 };
const none = { ctrl: false, alt: false, shift: false };
const typed = (text: string): Key => ({ name: text.toLowerCase(), text, ...none });
const named = (name: string): Key => ({ name, ...none });

const key: fc.Arbitrary<Key> = fc.oneof(
  {
    weight: 12,
    arbitrary: fc
      .constantFrom(...Array.from("hjkl0^$wbeWBEG;,{}%gfFtTdcy<>xXsSrJuUpPDCYoOaAiIvV~./23 (\"'[p"))
      .map(typed),
  },
  { weight: 2, arbitrary: fc.constantFrom("a", "日", "👩‍👩‍👧", "(", '"', "é", "\u0301").map(typed) },
  {
    weight: 2,
    arbitrary: fc
      .constantFrom("escape", "left", "right", "up", "down", "home", "end", "backspace", "delete")
      .map(named),
  },
  fc.constant<Key>({ name: "r", ...none, ctrl: true }),
);
const text = fc
  .array(fc.constantFrom("a", "bc", " ", "  ", "\n", "日本", "👩‍👩‍👧", "e\u0301", "(", ")", '"', ".", "🇩🇪", "\u0301"), {
    maxLength: 25,
  })
  .map((pieces) => pieces.join(""));

interface Desk {
  vim: Vim;
  editor: EditorState;
}
function press({ vim, editor }: Desk, one: Key): Desk {
  const step = vimKey(vim, editor, one, env);
  if (step?.pass === "row-up") return { vim: step.vim, editor: settled(edit(step.editor, { op: "row", by: -1 }, env)) };
  if (step !== undefined) return { vim: step.vim, editor: step.editor };
  if (one.name === "backspace") return { vim, editor: edit(editor, { op: "delete", to: "left" }, env) };
  return one.text === undefined
    ? { vim, editor }
    : { vim, editor: edit(editor, { op: "insert", text: one.text }, env) };
}
const start = (of: string): Desk => ({
  vim: freshVim(),
  editor: { ...edit(EMPTY, { op: "set", text: of, cursor: 0 }, env), undo: [] },
});
function edges(of: string): Set<number> {
  return new Set([...new Intl.Segmenter().segment(of)].map((s) => s.index).concat(of.length));
}
const ESCAPE = named("escape");

describe("Vim keys", () => {
  it("UX-IN-7: any keys leave a valid draft, a cursor at a sign's edge and a selection within it", () => {
    fc.assert(
      fc.property(text, fc.array(key, { maxLength: 50 }), (before, keys) => {
        let desk = press(start(before), ESCAPE);
        for (const one of keys) {
          desk = press(desk, one);
          const { vim, editor } = desk;
          expect(edges(editor.text).has(editor.cursor)).toBe(true);
          expect(editor.text).not.toMatch(/[\x00-\x08\x0b-\x1f\x7f]/);
          const range = selection(vim, editor) ?? { from: 0, to: 0 };
          expect(range.from).toBeGreaterThanOrEqual(0);
          expect(range.to).toBeGreaterThanOrEqual(range.from);
          expect(range.to).toBeLessThanOrEqual(editor.text.length);
          // In normal mode no cursor stands behind its line.
          const line = editor.text.slice(editor.text.lastIndexOf("\n", editor.cursor - 1) + 1, editor.cursor);
          if (vim.mode === "normal" && line !== "") expect(editor.text[editor.cursor] ?? "\n").not.toBe("\n");
        }
      }),
      { numRuns: 300 },
    );
  });
  it("UX-IN-7: u to the bottom gives the first draft, Ctrl-R to the top the last", () => {
    fc.assert(
      fc.property(text, fc.array(key, { maxLength: 40 }), (before, keys) => {
        const first = start(before);
        let last = [ESCAPE, ...keys, ESCAPE, ESCAPE].reduce(press, first);
        while (last.vim.mode !== "normal") last = press(last, ESCAPE);
        const many = (one: Key, from: Desk) => Array.from({ length: 60 }).reduce<Desk>((at) => press(at, one), from);
        const bottom = many(typed("u"), last);
        expect(bottom.editor.text).toBe(first.editor.text);
        if (last.editor.redo.length === 0) {
          expect(many({ name: "r", ...none, ctrl: true }, bottom).editor.text).toBe(last.editor.text);
        }
      }),
      { numRuns: 200 },
    );
  });
});
