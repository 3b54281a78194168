import { describe, expect, it } from "vitest";
import { EMPTY, type EditorState } from "../../../../../src/ui/input/editor/buffer.ts";
import { edit } from "../../../../../src/ui/input/editor/edit.ts";
import { layout } from "../../../../../src/ui/input/editor/layout.ts";

function draft(marked: string): EditorState {
  return { ...EMPTY, text: marked.replace("|", ""), cursor: marked.indexOf("|") };
}
const rows = (marked: string, width: number) => layout(draft(marked), width).rows.map((r) => r.text);

describe("layout", () => {
  it("UX-IN-1: wraps behind blanks, in long words anywhere, around wide characters anywhere", () => {
    expect(rows("the quick brown fox|", 11)).toEqual(["the quick ", "brown fox"]);
    expect(rows("abcdefghijklm|", 6)).toEqual(["abcde", "fghij", "klm"]);
    expect(rows("日本語日本語|", 7)).toEqual(["日本語", "日本語"]);
    expect(rows("ab 日本語|", 7)).toEqual(["ab 日", "本語"]);
    expect(rows("a\n\nb|", 10)).toEqual(["a", "", "b"]);
    expect(rows("|", 10)).toEqual([""]);
  });
  it("blanks hang over the edge instead of beginning a row", () => {
    expect(rows("abcde   fg|", 6)).toEqual(["abcde", "fg"]);
  });
  it("UX-N-9: narrow widths don't break it", () => {
    for (const width of [-3, 0, 1, 2]) expect(layout(draft("日本 ab|"), width).rows.length).toBeGreaterThan(0);
  });
  it("the caret stands where the next character comes, and always inside", () => {
    const at = (marked: string, width: number) => {
      const { row, x } = layout(draft(marked), width);
      return [row, x];
    };
    expect(at("日本|", 10)).toEqual([0, 4]);
    expect(at("abcde|", 6)).toEqual([0, 5]);
    expect(at("abcde|fgh", 6)).toEqual([1, 0]);
    expect(at("a\n|b", 6)).toEqual([1, 0]);
    expect(at("abcde     |", 6)).toEqual([0, 5]);
  });
  it("UX-IN-8: Up and Down go by visual rows and keep the column; at the edge nothing moves", () => {
    const go = (marked: string, ...by: (1 | -1)[]) => {
      const state = by.reduce((s, b) => edit(s, { op: "row", by: b }, { at: 0, width: 11 }), draft(marked));
      return `${state.text.slice(0, state.cursor)}|${state.text.slice(state.cursor)}`;
    };
    expect(go("the quick brown f|ox", -1)).toBe("the qui|ck brown fox");
    expect(go("the quick brown fox\n\nabcdefg|", -1, -1)).toBe("the quick brown f|ox\n\nabcdefg");
    expect(go("ab|c", -1)).toBe("ab|c");
    expect(go("ab|c", 1)).toBe("ab|c");
    expect(go("日本|\nabcdef", 1)).toBe("日本\nabcd|ef");
  });
});
