import { describe, expect, it } from "vitest";
import { EMPTY, expanded, labelled, type EditorState } from "../../../../../src/ui/input/editor/buffer.ts";
import { continued, edit, fresh, prefixMode, type EditorOp } from "../../../../../src/ui/input/editor/edit.ts";
import type { Motion } from "../../../../../src/ui/input/editor/motion.ts";

/** `|` marks the cursor. */
function draft(marked: string): EditorState {
  return { ...EMPTY, text: marked.replace("|", ""), cursor: marked.indexOf("|") };
}
function show(state: EditorState): string {
  return `${state.text.slice(0, state.cursor)}|${state.text.slice(state.cursor)}`;
}
function run(state: EditorState, ops: readonly EditorOp[], step = 10): EditorState {
  return ops.reduce((s, op, i) => edit(s, op, { at: i * step, width: 40 }), state);
}
const after = (marked: string, ...ops: EditorOp[]) => show(run(draft(marked), ops));
const move = (to: Motion): EditorOp => ({ op: "move", to });
const kill = (to: Motion): EditorOp => ({ op: "kill", to });
const del = (to: Motion): EditorOp => ({ op: "delete", to });
const typed = (text: string): EditorOp[] => Array.from(text, (c) => ({ op: "insert", text: c }) as const);

describe("edit", () => {
  it("UX-IN-1: moves and deletes by graphemes", () => {
    expect(after("a👩‍👩‍👧e\u0301|", move("left"), move("left"))).toBe("a|👩‍👩‍👧e\u0301");
    expect(after("a👩‍👩‍👧e\u0301|", del("left"), del("left"))).toBe("a|");
    expect(after("|🇩🇪🇫🇷", del("right"))).toBe("|🇫🇷");
    expect(after("日|本", move("right"), move("right"))).toBe("日本|");
    expect(after("a\n|b", del("left"))).toBe("a|b");
    // What is typed before a lone accent becomes one sign with it.
    expect(after("|\u0301", { op: "insert", text: "e" })).toBe("e\u0301|");
  });
  it("UX-IN-4: the Emacs motions", () => {
    expect(after("one two|\nthree", move("line-start"))).toBe("|one two\nthree");
    expect(after("one| two\nthree", move("line-end"))).toBe("one two|\nthree");
    expect(after("foo-bar  baz|", move("word-left"), move("word-left"))).toBe("foo-|bar  baz");
    expect(after("|foo-bar baz", move("word-right"), move("word-right"))).toBe("foo-bar| baz");
    expect(after("|\na", move("line-start"))).toBe("|\na");
    expect(after("a\nb|c", move("start"))).toBe("|a\nbc");
    expect(after("a|b\nc", move("end"))).toBe("ab\nc|");
  });
  it("UX-IN-4: kills, and what they leave", () => {
    expect(after("one |two\nthree", kill("line-end"))).toBe("one |\nthree");
    expect(after("one|\nthree", kill("line-end"))).toBe("one|three");
    expect(after("one two|", kill("line-start"))).toBe("|");
    expect(after("cd src/foo-bar|", kill("blank-left"))).toBe("cd |");
    expect(after("cd src/foo-bar|", kill("word-left"))).toBe("cd src/foo-|");
    expect(after("|foo bar", kill("word-right"))).toBe("| bar");
  });
  it("UX-IN-4: transpose and jump", () => {
    expect(after("ab|c", { op: "transpose" })).toBe("acb|");
    expect(after("abc|", { op: "transpose" })).toBe("acb|");
    expect(after("|a", { op: "transpose" })).toBe("|a");
    expect(after("|one two", { op: "jump" }, { op: "insert", text: "t" })).toBe("one |two");
    expect(after("|one", { op: "jump" }, { op: "insert", text: "z" })).toBe("|one");
    expect(after("|one", { op: "jump" }, { op: "insert", text: "n" }, { op: "insert", text: "x" })).toBe(
      "o|xne".replace("|x", "x|"),
    );
  });
  it("UX-IN-5: undo takes typing by words or by a second's rest, and every other edit alone", () => {
    const words = run(EMPTY, typed("hello big world"));
    const undo = (s: EditorState, n: number) =>
      run(
        s,
        Array.from({ length: n }, () => ({ op: "undo" }) as const),
      );
    expect(show(undo(words, 1))).toBe("hello big |");
    expect(show(undo(words, 2))).toBe("hello |");
    expect(show(undo(words, 3))).toBe("|");
    expect(show(run(undo(words, 3), [{ op: "redo" }, { op: "redo" }, { op: "redo" }]))).toBe("hello big world|");
    const slow = run(EMPTY, typed("ab"), 1001);
    expect(show(undo(slow, 1))).toBe("a|");
    for (const op of [
      { op: "paste", text: "x" },
      { op: "set", text: "recalled" },
      { op: "set", text: "" },
    ] as const) {
      expect(show(run(words, [op, { op: "undo" }]))).toBe("hello big world|");
    }
    expect(show(run(draft("ab|"), [kill("line-start"), { op: "undo" }]))).toBe("ab|");
  });
  it("UX-IN-6: kills in a row join, yank-pop goes round the ring of 20", () => {
    const joined = run(draft("one two three|"), [kill("blank-left"), kill("blank-left"), { op: "yank" }]);
    expect(joined.kills).toEqual(["two three"]);
    expect(show(joined)).toBe("one two three|");
    const forward = run(draft("|a b c"), [kill("word-right"), kill("word-right")]);
    expect(forward.kills).toEqual(["a b"]);
    const ring = run(draft("x y|"), [
      kill("blank-left"),
      move("left"),
      kill("line-start"),
      { op: "yank" },
      { op: "yank-pop" },
    ]);
    expect(ring.kills).toEqual(["x", "y"]);
    expect(show(ring)).toBe("y| ");
    expect(show(run(ring, [{ op: "yank-pop" }]))).toBe("x| ");
    const many = run(
      EMPTY,
      Array.from({ length: 30 }, (_, i) => [...typed(`w${i}`), kill("line-start"), move("end")]).flat(),
    );
    expect(many.kills.length).toBe(20);
  });
  it("UX-IN-14: a long paste is one glyph with a label; the same paste again spreads it out", () => {
    const long = Array.from({ length: 10_000 }, (_, i) => `line ${i}`).join("\n");
    const chip = run(draft("see |."), [{ op: "paste", text: long }]);
    expect(labelled(chip)).toBe("see [Pasted #1 · 10,000 lines].");
    expect(expanded(chip)).toBe(`see ${long}.`);
    expect(show(run(chip, [del("left")]))).toBe("see |.");
    expect(run(chip, [{ op: "paste", text: long }]).text).toBe(`see ${long}.`);
    expect(run(chip, [{ op: "expand" }]).text).toBe(`see ${long}.`);
    expect(run(chip, [{ op: "paste", text: `${long}\nmore` }]).text.length).toBe("see .".length + 4);
    expect(labelled(run(EMPTY, [{ op: "paste", text: "x".repeat(501) }]))).toBe("[Pasted #1 · 501 characters]");
    expect(run(EMPTY, [{ op: "paste", text: "1\n2\n3\n4\n5" }]).text).toBe("1\n2\n3\n4\n5");
    expect(labelled(run(EMPTY, [{ op: "paste", text: "1\n2\n3\n4\n5\n6" }]))).toBe("[Pasted #1 · 6 lines]");
  });
  it("UX-IN-14: controls are taken out of a paste, tabs stay, and it is said", () => {
    const state = run(EMPTY, [{ op: "paste", text: "a\x1b[31mred\x1b[0m\x07\tb\r\nc\x1b]0;title\x07" }]);
    expect(state.text).toBe("ared\tb\nc");
    expect(state.notice).toBe("4 control sequences were taken out of the paste");
  });
  it("UX-IN-14: text that looks like a glyph is none", () => {
    const forged = run(EMPTY, [
      { op: "paste", text: "\u{10f001}" },
      { op: "insert", text: "\u{10f001}" },
    ]);
    expect(forged.text).toBe("\ufffd\ufffd");
    expect(run(EMPTY, [{ op: "set", text: "\u{10f001}" }]).text).toBe("\ufffd");
    // Icons of a font that lie in private planes are text.
    expect(run(EMPTY, [{ op: "paste", text: "\u{f0001}" }]).text).toBe("\u{f0001}");
  });
  it("UX-IN-8: a recalled text brings its pastes along under fresh numbers", () => {
    const long = "x\n".repeat(10);
    const used = run(EMPTY, [{ op: "paste", text: "y\n".repeat(9) }]);
    const state = run(used, [{ op: "set", text: "a \u{f0001}", chips: { "\u{f0001}": long } }]);
    expect(labelled(state)).toBe("a [Pasted #2 · 10 lines]");
    expect(expanded(state)).toBe(`a ${long}`);
  });
  it("UX-IN-2: a backslash before Enter makes a line end", () => {
    const env = { at: 0, width: 40 };
    expect(show(continued(draft("a\\|"), env) ?? EMPTY)).toBe("a\n|");
    expect(continued(draft("a|"), env)).toBeUndefined();
  });
  it("a fresh draft keeps the kill ring and goes on numbering", () => {
    const chip = run(EMPTY, [{ op: "paste", text: "x\n".repeat(9) }, kill("line-start")]);
    const next = run(fresh(chip), [{ op: "yank" }, { op: "paste", text: "z\n".repeat(9) }]);
    expect(labelled(next)).toBe("[Pasted #1 · 9 lines][Pasted #2 · 9 lines]");
    expect(fresh(run(EMPTY, [{ op: "paste", text: "x\n".repeat(9) }])).chips.size).toBe(0);
  });
  it("UX-IN-12: tells what the first characters make a draft", () => {
    const of = (text: string) => prefixMode({ text });
    expect([of("!ls"), of("!!ls"), of("# note"), of("/mo"), of("/model x"), of("/usr/bin/x"), of("hi")]).toEqual([
      "shell",
      "outside",
      "memory",
      "command",
      "command",
      "prompt",
      "prompt",
    ]);
  });
});
