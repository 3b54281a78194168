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

/** The plainest editor there can be: a list of signs that never melt into each other, and a place in it. */
interface Plain {
  signs: readonly string[];
  at: number;
}
const SIGNS = ["a", "Z", "7", "_", " ", "-", "\n", "日", "👩‍👩‍👧", "🇩🇪", "e\u0301"];
const isWord = (sign = "") => /^(?:a|Z|7|_|日|e\u0301)$/u.test(sign);
const isBlank = (sign = "") => sign === " " || sign === "\n";

function plainTarget({ signs, at }: Plain, to: string): number {
  const back = (from: number, while_: (sign: string | undefined) => boolean) => {
    let i = from;
    while (i > 0 && while_(signs[i - 1])) i--;
    return i;
  };
  const on = (from: number, while_: (sign: string | undefined) => boolean) => {
    let i = from;
    while (i < signs.length && while_(signs[i])) i++;
    return i;
  };
  const targets: Record<string, number> = {
    left: Math.max(0, at - 1),
    right: Math.min(signs.length, at + 1),
    "word-left": back(
      back(at, (s) => !isWord(s)),
      isWord,
    ),
    "word-right": on(
      on(at, (s) => !isWord(s)),
      isWord,
    ),
    "blank-left": back(back(at, isBlank), (s) => !isBlank(s)),
    "line-start": back(at, (s) => s !== "\n"),
    "line-end": on(at, (s) => s !== "\n"),
    start: 0,
    end: signs.length,
  };
  return targets[to] ?? at;
}

function plainEdit(plain: Plain, [kind, what]: readonly [string, string]): Plain {
  const { signs, at } = plain;
  if (kind === "insert") return { signs: [...signs.slice(0, at), what, ...signs.slice(at)], at: at + 1 };
  const to = plainTarget(plain, what);
  if (kind === "move") return { signs, at: to };
  const edge = kind === "kill" && to === at ? { "line-end": at + 1, "line-start": at - 1 }[what] : to;
  const [from, until] = [Math.max(0, Math.min(at, edge ?? to)), Math.max(at, edge ?? to)];
  return { signs: [...signs.slice(0, from), ...signs.slice(until)], at: from };
}

describe("editor", () => {
  it("UX-IN-1 UX-IN-4: typing, moving, deleting and killing do what they do to a plain list of signs", () => {
    const moves = fc.constantFrom(
      ...([
        "left",
        "right",
        "word-left",
        "word-right",
        "blank-left",
        "line-start",
        "line-end",
        "start",
        "end",
      ] as const),
    );
    const step = fc.oneof(
      { weight: 3, arbitrary: fc.tuple(fc.constant("insert" as const), fc.constantFrom(...SIGNS)) },
      { weight: 2, arbitrary: fc.tuple(fc.constantFrom(...(["move", "delete", "kill"] as const)), moves) },
    );
    fc.assert(
      fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
        let plain: Plain = { signs: [], at: 0 };
        let state = EMPTY;
        for (const [kind, what] of steps) {
          // Two flags that touch are read in pairs from the left: deleting can't make others of them here.
          plain = plainEdit(plain, [kind, what]);
          const op = (kind === "insert" ? { op: kind, text: what } : { op: kind, to: what }) as EditorOp;
          state = edit(state, op, { at: 0, width: 30 });
          expect([state.text, state.cursor]).toEqual([
            plain.signs.join(""),
            plain.signs.slice(0, plain.at).join("").length,
          ]);
        }
      }),
      { numRuns: 300 },
    );
  });
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
