import { describe, expect, it } from "vitest";
import { EMPTY, type EditorState } from "../../../../../src/ui/input/editor/buffer.ts";
import { edit } from "../../../../../src/ui/input/editor/edit.ts";
import type { InputEvent } from "../../../../../src/ui/input/key.ts";
import { createTokenizer } from "../../../../../src/ui/input/tokenizer.ts";
import { freshVim, type Vim, vimWords } from "../../../../../src/ui/input/vim/state.ts";
import { vimKey } from "../../../../../src/ui/input/vim/vim.ts";

interface Desk {
  vim: Vim;
  editor: EditorState;
}
const env = { at: 0, width: 60 };

/** Keys as bytes, one read each; what Vim has no use for is typed. */
function press(desk: Desk, keys: string): Desk {
  const t = createTokenizer();
  const events: InputEvent[] = Array.from(keys).flatMap((key, i) => [
    ...t.feed(Buffer.from(key), i * 100),
    ...t.flush(i * 100 + 90),
  ]);
  return events.reduce((at, event) => {
    if (event.kind !== "key") return at;
    const step = vimKey(at.vim, at.editor, event.key, env);
    if (step?.pass !== undefined) {
      const by = step.pass === "row-up" ? -1 : 1;
      return { vim: step.vim, editor: edit(step.editor, { op: "row", by }, env) };
    }
    if (step !== undefined) return { vim: step.vim, editor: step.editor };
    const { text, name } = event.key;
    if (name === "backspace") return { ...at, editor: edit(at.editor, { op: "delete", to: "left" }, env) };
    return text === undefined ? at : { ...at, editor: edit(at.editor, { op: "insert", text }, env) };
  }, desk);
}
/** `|` marks the cursor. */
function desk(marked: string): Desk {
  const editor = { ...EMPTY, text: marked.replace("|", ""), cursor: marked.indexOf("|") };
  return { vim: { ...freshVim(), mode: "normal" }, editor };
}
function show({ editor: { text, cursor } }: Desk): string {
  return `${text.slice(0, cursor)}|${text.slice(cursor)}`;
}
const after = (marked: string, keys: string) => show(press(desk(marked), keys));

/** The draft before, keys, the draft after. */
type Rows = readonly (readonly [before: string, keys: string, after: string])[];
const TABLES: Readonly<Record<string, Rows>> = {
  "UX-IN-7: motions by sign and line": [
    ["ab|cd", "h", "a|bcd"],
    ["ab|cd", "9h", "|abcd"],
    ["|abcd", "2l", "ab|cd"],
    ["|abcd", "9l", "abc|d"],
    ["|日本語x", "2l", "日本|語x"],
    ["  foo b|ar", "0", "|  foo bar"],
    ["  foo b|ar", "^", "  |foo bar"],
    ["|foo\nbar", "$", "fo|o\nbar"],
    ["|foo\nbar", "2$", "foo\nba|r"],
    ["|foo  ", "g_", "fo|o  "],
    ["a\nb\n  c|", "gg", "|a\nb\n  c"],
    ["|a\nb\n  c", "G", "a\nb\n  |c"],
    ["|a\nb\nc", "2G", "a\n|b\nc"],
    ["|a\nb\nc", "2j", "a\nb\n|c"],
    ["a\nb\n|c", "2k", "|a\nb\nc"],
    ["|a\nb\n\nc", "}", "a\nb\n|\nc"],
    ["a\n\nb|c", "{", "a\n|\nbc"],
    ["f|(a[1])", "%", "f(a[1]|)"],
    ["f(a[1]|)", "%", "f|(a[1])"],
  ],
  "UX-IN-7: w b e ge and their WORDs, over lines, empty ones and scripts without blanks": [
    ["|foo-bar baz", "w", "foo|-bar baz"],
    ["|foo-bar baz", "3w", "foo-bar |baz"],
    ["|foo-bar baz", "W", "foo-bar |baz"],
    ["|foo\n\nbar", "w", "foo\n|\nbar"],
    ["|foo\n\nbar", "2w", "foo\n\n|bar"],
    ["foo-bar |baz", "b", "foo-|bar baz"],
    ["foo-bar |baz", "B", "|foo-bar baz"],
    ["a\n\n|b", "b", "a\n|\nb"],
    ["|foo-bar", "e", "fo|o-bar"],
    ["|foo-bar x", "E", "foo-ba|r x"],
    ["fo|o bar", "e", "foo ba|r"],
    ["foo b|ar", "ge", "fo|o bar"],
    ["foo-x b|ar", "2gE", "|foo-x bar"],
    ["|日本語ひらがな", "w", "日本語|ひらがな"],
    ["|x", "w", "|x"],
  ],
  "UX-IN-7: f F t T and ; , stay in their line": [
    ["|a.b.c", "f.", "a|.b.c"],
    ["|a.b.c", "2f.", "a.b|.c"],
    ["|a.b.c", "f.;", "a.b|.c"],
    ["|a.b.c", "f.;,", "a|.b.c"],
    ["|a.b.c", "t.", "|a.b.c"],
    ["|ab.c.d", "t.;", "ab.|c.d"],
    ["a.b.|c", "F.", "a.b|.c"],
    ["a.b.c|d", "T.", "a.b.|cd"],
    ["|ab\n.", "f.", "|ab\n."],
    ["|a 日 b", "f日", "a |日 b"],
    ["|a b", "f ", "a| b"],
  ],
  "UX-IN-7: d c y with motions and counts": [
    ["|foo bar baz", "dw", "|bar baz"],
    ["|foo bar baz", "2dw", "|baz"],
    ["|foo bar baz", "d2w", "|baz"],
    ["foo |bar\nbaz", "dw", "foo| \nbaz"],
    ["|foo bar", "de", "| bar"],
    ["foo |bar", "db", "|bar"],
    ["foo b|ar", "d0", "|ar"],
    ["foo |bar baz", "d$", "foo| "],
    ["foo |bar baz", "D", "foo| "],
    ["|a.b.c", "dt.", "|.b.c"],
    ["|a.b.c", "d2f.", "|c"],
    ["a\n|b\nc", "dd", "a\n|c"],
    ["a\n|b", "dd", "|a"],
    ["|only", "dd", "|"],
    ["|a\nb\nc", "2dd", "|c"],
    ["|a\nb\nc", "dj", "|c"],
    ["a\nb\n|c", "dgg", "|"],
    ["a\n|b\nc", "dG", "|a"],
    ["|a\nb", "9dd", "|a\nb"],
    ["|foo bar", "cwx\x1b", "|x bar"],
    ["fo|o bar", "cwx\x1b", "fo|x bar"],
    ["|foo bar baz", "c2wx\x1b", "|x baz"],
    ["foo| bar", "cwx\x1b", "foo|xbar"],
    ["a\n|b\nc", "ccx\x1b", "a\n|x\nc"],
    ["a\n|b\nc", "Sx\x1b", "a\n|x\nc"],
    ["fo|o bar", "Cx\x1b", "fo|x"],
    ["|abc", "sx\x1b", "|xbc"],
    ["|abc", "2sx\x1b", "|xc"],
    ["|foo bar", "ywP", "foo| foo bar"],
  ],
  "UX-IN-7: text objects": [
    ["foo b|ar baz", "diw", "foo | baz"],
    ["foo b|ar baz", "daw", "foo |baz"],
    ["foo b|ar", "daw", "fo|o"],
    ["a foo-b|ar x", "diW", "a | x"],
    ['say "hi y|ou" now', 'di"', 'say "|" now'],
    ['say "hi y|ou" now', 'da"', "say |now"],
    ['|say "hi you"', 'ci"x\x1b', 'say "|x"'],
    ["x 'a|b' y", "ci'q\x1b", "x '|q' y"],
    ["f(a, |b)", "di(", "f(|)"],
    ["f(a, |b) x", "da(", "f| x"],
    ["f(g(|a))", "d2i(", "f(|)"],
    ["f(|a)", "dib", "f(|)"],
    ["a[|1]", "ci[2\x1b", "a[|2]"],
    ["{\n  |a\n}", "di{", "{\n|\n}"],
    ["<a|b>", "di<", "<|>"],
    ["a\nb|b\n\nc", "dip", "|\nc"],
    ["a\nb|b\n\nc", "dap", "|c"],
    ["a|b", "di(", "a|b"],
  ],
  "UX-IN-7: x X r ~ J >> << and counts": [
    ["a|bc", "x", "a|c"],
    ["ab|c", "x", "a|b"],
    ["|abcd", "3x", "|d"],
    ["|👩‍👩‍👧b", "x", "|b"],
    ["ab|c", "X", "a|c"],
    ["a|bc", "rx", "a|xc"],
    ["|abc", "2rx", "x|xc"],
    ["a|b", "3rx", "a|b"],
    ["|abc", "~", "A|bc"],
    ["|abC", "3~", "AB|c"],
    ["|a\n  b", "J", "a| b"],
    ["|a\nb\nc", "3J", "a b| c"],
    ["a\n|b", ">>", "a\n  |b"],
    ["  |a\n  b", "2<<", "|a\nb"],
    ["|a\nb", ">j", "  |a\n  b"],
  ],
  "UX-IN-7: i a I A o O, and their counts": [
    ["a|b", "ix\x1b", "a|xb"],
    ["a|b", "ax\x1b", "ab|x"],
    ["  a|b", "Ix\x1b", "  |xab"],
    ["|ab", "Ax\x1b", "ab|x"],
    ["|ab", "ox\x1b", "ab\n|x"],
    ["|ab", "Ox\x1b", "|x\nab"],
    ["a|b", "3ix\x1b", "axx|xb"],
    ["|ab", "2ox\x1b", "ab\nx\n|x"],
    ["a|b", "i\x1b", "|ab"],
  ],
  "UX-IN-7: p and P put back what was cut, signs or lines": [
    ["|ab", "xp", "b|a"],
    ["|a\nb", "ddp", "b\n|a"],
    ["a\n|b", "yyP", "a\n|b\nb"],
    ["|a\nb", "Y2p", "a\n|a\na\nb"],
    ["|foo x", "yw3P", "foo foo foo| foo x"],
    ["|foo bar", "dwA!\x1bp", "bar!foo| "],
  ],
  "UX-IN-7: . does the last change again, u and Ctrl-R go back and forth": [
    ["|a b c", "dw.", "|c"],
    ["|a b c d", "dw2.", "|d"],
    ["|foo bar", "cwx\x1bw.", "x |x"],
    ["|a\nb", "A;\x1bj.", "a;\nb|;"],
    ["|a b", "x.u", "| b"],
    ["|abc", "xxu\x12", "|c"],
    ["|ab", "iold new\x1bu", "|ab"],
    ["|foo bar", "cwone two\x1bu", "|foo bar"],
    ["|abcdef", "vld.", "|ef"],
    ["|a\nb\nc\nd", "Vjd.", "|"],
    ["|foo bar", "~.", "FO|o bar"],
  ],
  "UX-IN-7: visual and V-line": [
    ["|foo bar", "ved", "| bar"],
    ["foo |bar", "vbd", "|ar"],
    ["|foo bar", "vey$p", "foo barfo|o"],
    ["|foo bar", "vecx\x1b", "|x bar"],
    ["a\n|b\nc", "Vd", "a\n|c"],
    ["|a\nb\nc", "Vjd", "|c"],
    ["|a\nb", "Vyp", "a\n|a\nb"],
    ["|abc", "vlrx", "|xxc"],
    ["|abC", "v$~", "|ABc"],
    ["|abC", "v$U", "|ABC"],
    ["|a\nb\nc", "VjJ", "a| b\nc"],
    ["|a\nb", "Vj>", "  |a\n  b"],
    ["foo b|ar baz", "viwd", "foo | baz"],
    ["ab|cd", "vohd", "a|d"],
    ["|foo bar", "yiwwviwp", "foo |foo"],
    ["|abc", "v\x1bx", "|bc"],
    ["|abc", "vvx", "|bc"],
  ],
};

describe("Vim keys", () => {
  for (const [what, rows] of Object.entries(TABLES)) {
    it(what, () => {
      expect(rows.map(([before, keys]) => [before, keys, after(before, keys)])).toEqual(rows);
    });
  }
  it("UX-IN-7: Esc in insert goes to normal, a half command and a selection are left by it; else it is not taken", () => {
    const mode = (keys: string) => vimWords(press(desk("|ab"), keys).vim);
    expect(["i", "i\x1b", "2d", "2d\x1b", "v", "V", "v\x1b", "g", "zz"].map(mode)).toEqual([
      "INSERT",
      "NORMAL",
      "NORMAL 2d",
      "NORMAL",
      "VISUAL",
      "V-LINE",
      "NORMAL",
      "NORMAL g",
      "NORMAL",
    ]);
    const { vim, editor } = desk("|ab");
    const escape = { name: "escape", ctrl: false, alt: false, shift: false };
    expect(vimKey(vim, editor, escape, env)).toBeUndefined();
    expect(vimKey({ ...vim, mode: "insert" }, editor, escape, env)?.vim.mode).toBe("normal");
    expect(vimKey(vim, editor, { ...escape, name: "return" }, env)).toBeUndefined();
    expect(vimKey(vim, editor, { ...escape, name: "c", ctrl: true }, env)).toBeUndefined();
  });
  it("UX-IN-7: j and k at the first and last row are the composer's, / is the search", () => {
    const pass = (keys: string) =>
      vimKey(
        desk("|ab").vim,
        desk("|ab").editor,
        { name: keys, text: keys, ctrl: false, alt: false, shift: false },
        env,
      )?.pass;
    expect(["j", "k", "/"].map(pass)).toEqual(["row-down", "row-up", "history-search"]);
  });
});
