import fc from "fast-check";
import stringWidth from "string-width";
import { describe, expect, it } from "vitest";
import { EMPTY, expanded, type EditorState } from "../../src/ui/input/editor/buffer.ts";
import { edit, type EditorOp } from "../../src/ui/input/editor/edit.ts";
import { layout } from "../../src/ui/input/editor/layout.ts";

const motion = fc.constantFrom(
  ...(["left", "right", "word-left", "word-right", "blank-left", "line-start", "line-end", "start", "end"] as const),
);
const piece = fc.constantFrom(
  "a",
  "b",
  " ",
  "\n",
  "日",
  "é",
  "\u0301",
  "👩‍👩‍👧",
  "🇩🇪",
  "🇫",
  "\t",
  ".",
  "x\ny",
  "\u200d",
  "\x1b[A",
);
const op: fc.Arbitrary<EditorOp> = fc.oneof(
  { weight: 4, arbitrary: piece.map((text) => ({ op: "insert", text }) as const) },
  fc.array(piece, { maxLength: 20 }).map((p) => ({ op: "paste", text: p.join("") }) as const),
  motion.map((to) => ({ op: "move", to }) as const),
  motion.map((to) => ({ op: "delete", to }) as const),
  motion.map((to) => ({ op: "kill", to }) as const),
  fc.constantFrom(1 as const, -1 as const).map((by) => ({ op: "row", by }) as const),
  fc.constantFrom(
    ...(["yank", "yank-pop", "undo", "redo", "transpose", "jump", "expand"] as const).map((o): EditorOp => ({ op: o })),
  ),
  fc.constant<EditorOp>({ op: "set", text: "recalled text" }),
);
const ops = fc.array(fc.tuple(op, fc.nat(1500)), { maxLength: 60 });

function run(list: readonly (readonly [EditorOp, number])[], width: number): EditorState[] {
  let at = 0;
  let state = EMPTY;
  return list.map(([o, wait]) => (state = edit(state, o, { at: (at += wait), width })));
}
function edges(text: string): Set<number> {
  return new Set([...new Intl.Segmenter().segment(text)].map((s) => s.index).concat(text.length));
}

describe("editor", () => {
  it("UX-IN-1: the cursor is always at a grapheme's edge, and no control gets in", () => {
    fc.assert(
      fc.property(ops, fc.integer({ min: 1, max: 30 }), (list, width) => {
        for (const state of run(list, width)) {
          expect(edges(state.text).has(state.cursor)).toBe(true);
          expect(state.text).not.toMatch(/[\x00-\x08\x0b-\x1f\x7f]/);
        }
      }),
      { numRuns: 300 },
    );
  });
  it("UX-IN-5: undo to the bottom gives the first text, redo to the top the last", () => {
    fc.assert(
      fc.property(ops, (list) => {
        const last = run(list, 20).at(-1) ?? EMPTY;
        const all = (state: EditorState, which: "undo" | "redo") =>
          Array.from({ length: 200 }).reduce<EditorState>((s) => edit(s, { op: which }, { at: 0, width: 20 }), state);
        const bottom = all(last, "undo");
        expect(bottom.text).toBe("");
        if (last.redo.length === 0) expect(expanded(all(bottom, "redo"))).toBe(expanded(last));
      }),
      { numRuns: 200 },
    );
  });
  it("UX-IN-1: rows show the whole draft in order, none too wide, the caret inside", () => {
    fc.assert(
      fc.property(ops, fc.integer({ min: 8, max: 30 }), (list, width) => {
        const state = run(list, width).at(-1) ?? EMPTY;
        const { rows, row, x } = layout(state, width);
        let at = 0;
        for (const [i, r] of rows.entries()) {
          expect(r.start).toBe(i > 0 && rows[i - 1]?.soft === false ? at + 1 : at);
          at = r.end;
          expect(r.width).toBeLessThan(width);
          expect(stringWidth(r.text)).toBeLessThan(width);
        }
        expect(at).toBe(state.text.length);
        expect(x).toBeLessThan(width);
        expect(rows[row]).toBeDefined();
      }),
      { numRuns: 300 },
    );
  });
});
