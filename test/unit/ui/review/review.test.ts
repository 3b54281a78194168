import { describe, expect, it } from "vitest";
import { makeKey } from "../../../../src/ui/input/key.ts";
import { paint } from "../../../../src/ui/render/spans.ts";
import { reviewOf, reviewOfQuestion } from "../../../../src/ui/review/text.ts";
import { reviewView } from "../../../../src/ui/review/view.ts";
import { plainTheme } from "../../../../src/ui/theme.ts";
import type { FullView } from "../../../../src/ui/screen/full.ts";
import { entry, oneLineDiff, question, summary } from "../../../support/questions.ts";

const SIZE = { cols: 60, rows: 12 };
const key = (name: string) =>
  name.length === 1
    ? makeKey(name.toLowerCase(), { text: name, shift: name !== name.toLowerCase() })
    : makeKey(name.replace("ctrl+", ""), {
        ctrl: name.startsWith("ctrl+"),
        ...(name === "space" ? { text: " " } : {}),
      });
function press(view: FullView, ...names: string[]): string[] {
  for (const name of names) view.key(key(name), SIZE);
  return shown(view);
}
const shown = (view: FullView, size = SIZE) => paint(view.draw(size, undefined).rows, plainTheme);

const TWO_HUNKS = {
  ...oneLineDiff("src/a.ts"),
  hunks: [
    { oldStart: 1, newStart: 1, lines: ["-old", "+new"] },
    { oldStart: 40, newStart: 40, lines: [" same", "+more"] },
  ],
  added: 2,
  removed: 1,
};
const GONE = {
  ...oneLineDiff("z-gone.ts"),
  op: "delete" as const,
  hunks: [{ oldStart: 1, newStart: 0, lines: ["-x"] }],
  added: 0,
};
const ASKED = question({
  changes: summary([
    entry("src/a.ts", { added: 2, removed: 1 }),
    entry("z-gone.ts", { op: "delete", marks: ["delete", "own"], removed: 1 }),
  ]),
  diffs: [TWO_HUNKS, GONE],
});

function choosing(left: ReadonlySet<string> = new Set()) {
  const came: { left: string[]; comment: string; seen: number[] }[] = [];
  const view = reviewView(reviewOfQuestion(ASKED), () => {}, {
    question: ASKED,
    left,
    comment: "",
    done: (l, comment, seen) => void came.push({ left: [...l], comment, seen: [...seen] }),
  });
  return { view, came };
}

describe("the review of a change set", () => {
  it("P5: lists every file with its lines, deletions first, and none is ever left away", () => {
    const { view } = choosing();
    expect(shown(view).slice(0, 3)).toEqual([
      "› [x] − z-gone.ts −1 deleted, made in this session",
      "  [x] ~ src/a.ts +2 −1",
      "",
    ]);
    const many = Array.from({ length: 300 }, (_, at) => ({
      ...oneLineDiff(`f${at}.ts`),
      op: at % 100 === 99 ? ("delete" as const) : ("modify" as const),
    }));
    const all = reviewView(reviewOf("changes", many), () => {});
    const names = new Set<string>();
    for (let n = 0; n < 60; n++)
      for (const row of press(all, "pagedown").concat(shown(all))) names.add(/f\d+\.ts/.exec(row)?.[0] ?? "");
    press(all, "home");
    for (const row of shown(all)) names.add(/f\d+\.ts/.exec(row)?.[0] ?? "");
    expect(names.size).toBe(301);
    expect(
      shown(all)
        .slice(0, 4)
        .map((row) => /f\d+/.exec(row)?.[0]),
    ).toEqual(["f99", "f199", "f299", "f0"]);
  });
  it("P-3: Space leaves out a file or a hunk, a takes all, n none; what is chosen goes back to the question", () => {
    const { view, came } = choosing();
    expect(press(view, "tab", "tab", "down", "space").join("\n")).toContain("[ ] line 1 +1 −1");
    expect(press(view).at(-1)).toContain("2 of 3 parts land");
    expect(press(view, "down", "space").join("\n")).toContain("[ ] ~ src/a.ts");
    expect(press(view, "n").at(-1)).toContain("0 of 3 parts land");
    expect(press(view, "a").at(-1)).toContain("3 of 3 parts land");
    press(view, "home", "space");
    expect(view.key(key("q"), SIZE)).toBe("leave");
    expect(came).toEqual([{ left: ["1"], comment: "", seen: [1, 0] }]);
  });
  it("P-4: no key answers; a word to the model is written and goes back with the rest", () => {
    const { view, came } = choosing();
    press(view, "1", "y", "3", "return", "2");
    expect(press(view, "c", ..."why q?".split("")).at(-1)).toBe("to the model: why q?");
    press(view, "return");
    view.key(key("ctrl+o"), SIZE);
    expect(came.map(({ comment }) => comment)).toEqual(["why q?"]);
  });
  it("P5: an entry counts as seen only when all rows of its name were on screen", () => {
    const long = question({
      changes: summary([entry("a".repeat(200), { op: "delete", marks: ["delete"] })]),
      diffs: [],
    });
    let seen: number[] = [];
    const view = reviewView(reviewOfQuestion(long), () => {}, {
      question: long,
      left: new Set(),
      comment: "",
      done: (_l, _c, s) => (seen = [...s]),
    });
    const low = { cols: 40, rows: 4 };
    shown(view, low);
    view.key(key("q"), low);
    expect(seen).toEqual([]);
    shown(view, { cols: 40, rows: 20 });
    view.key(key("q"), SIZE);
    expect(seen).toEqual([0]);
  });
  it("UX-T-2: hunks stand side by side from 120 columns on, one below the other in less", () => {
    const { view } = choosing();
    press(view, "tab", "tab");
    expect(shown(view).join("\n")).toContain("1 − old\n1 + new");
    expect(shown(view, { cols: 120, rows: 30 }).join("\n")).toMatch(/ 1 − old {40,}1 \+ new/);
  });
  it("UX-T-2: what is only read has no boxes, and Space turns the page", () => {
    const view = reviewView(reviewOf("what this session changed", [TWO_HUNKS, GONE]), () => {});
    expect(shown(view).join("\n")).not.toMatch(/\[[x ]\]/);
    expect(press(view, "return").join("\n")).toContain("› z-gone.ts deleted −1");
    const before = shown(view).join("\n");
    expect(press(view, "home").join("\n")).not.toBe(before);
    expect(shown(reviewView(reviewOf("nothing", []), () => {}))[0]).toBe("nothing changed");
  });
  it("P5: a file that is told by size opens on Enter, in its exact bytes", async () => {
    const hidden = { ...oneLineDiff("logo.png"), hunks: [], hidden: "PNG image" };
    const text = {
      ...reviewOf("x", []),
      files: [{ diff: hidden, opens: 0, parts: [] }],
      open: async () => ({ what: "bytes", rows: ["89 50\u001b[2J"] }),
    };
    let drawn = () => {};
    const ready = new Promise<void>((resolve) => (drawn = resolve));
    const view = reviewView(text, drawn);
    expect(press(view, "tab").join("\n")).toContain("Enter opens it");
    press(view, "return");
    await ready;
    expect(shown(view).join("\n")).toContain("89 50\\u{1b}[2J");
  });
  it("UX-N-9: fits every size, whatever is pressed", () => {
    for (const cols of [1, 10, 40, 120, 200])
      for (const rows of [1, 2, 5, 40]) {
        const { view } = choosing();
        for (const name of [
          "down",
          "down",
          "space",
          "pagedown",
          "tab",
          "end",
          "up",
          "home",
          "G",
          "g",
          "ctrl+d",
          "ctrl+u",
        ]) {
          view.key(key(name), { cols, rows });
          const out = shown(view, { cols, rows });
          expect(out.length).toBeLessThanOrEqual(Math.max(2, rows));
          for (const row of out) expect(row.length).toBeLessThanOrEqual(cols);
        }
      }
  });
});
