import { describe, expect, it } from "vitest";
import type { Answer, Question, ReviewConflict } from "../../../../src/permissions/asker.ts";
import { makeKey } from "../../../../src/ui/input/key.ts";
import { layoutPrompt } from "../../../../src/ui/prompt/layout.ts";
import { openPermission, permissionKey, type PermissionPrompt } from "../../../../src/ui/prompt/permission.ts";
import { paint } from "../../../../src/ui/render/spans.ts";
import { plainTheme } from "../../../../src/ui/theme.ts";
import { entry, question, summary } from "../../../support/questions.ts";

const TEXT: ReviewConflict = {
  root: 0,
  path: "a.txt",
  why: "it was changed meanwhile in the same lines",
  ways: ["take", "beside"],
  hunks: [
    { oldStart: 1, newStart: 1, lines: [" one", "-two", "+ours two"] },
    { oldStart: 9, newStart: 9, lines: ["-mine nine", "+ours\u{1b}[31m nine"], was: ["nine"] },
  ],
};
const FOLDER: ReviewConflict = {
  root: 0,
  path: "d",
  why: "something in it was changed meanwhile",
  ways: [],
  hunks: [],
};

function review(names: readonly string[], conflicts: readonly ReviewConflict[]): Question {
  return { ...question({ changes: summary(names.map((n) => entry(n))) }), review: { conflicts, merged: [] } };
}

function play(q: Question, keys: readonly string[]): { prompt: PermissionPrompt; answer?: Answer } {
  let prompt = openPermission(q);
  for (const name of keys) {
    const before = layoutPrompt(prompt, 80, 40, true);
    prompt = { ...prompt, scroll: before.scroll, seen: new Set([...prompt.seen, ...before.visible]) };
    const { sight } = layoutPrompt(prompt, 80, 40, true);
    const step = permissionKey(prompt, makeKey(name, name.length === 1 ? { text: name } : {}), sight);
    if (step.answer !== undefined) return { prompt: step.prompt, answer: step.answer };
    prompt = step.prompt;
  }
  return { prompt };
}
const shown = (prompt: PermissionPrompt): string =>
  paint(layoutPrompt(prompt, 80, 40, true).rows, plainTheme).join("\n");

describe("conflicts of a review", () => {
  const both = review(["b.txt"], [TEXT, FOLDER]);

  it("W6: are shown from both sides, with what the lines were, and nothing that steers the terminal", () => {
    const text = shown(play(both, []).prompt);
    expect(text).toContain("stays pending: a.txt: it was changed meanwhile in the same lines");
    expect(text).toMatch(/mine nine\n.*ours.*nine\n\s+was: nine/);
    expect(text).toContain("stays pending: d: something in it was changed meanwhile");
    expect(text).not.toContain("\u{1b}[31m nine");
  });

  it("W6: stay pending unless they are settled; Space takes one, its hunks along", () => {
    expect(play(both, ["1"]).answer).toEqual({ kind: "yes" });
    const taken = play(both, ["p", "space", "return"]).prompt;
    expect(shown(taken)).toContain("[x] the rehearsed version lands over yours: a.txt");
    expect(shown(taken)).toContain("yes, once, 1 conflict settled");
    expect(shown(play(both, []).prompt)).toContain("p settles 2 conflicts, picks parts · Esc no");
    expect(play(both, ["p", "space", "return", "1"]).answer).toEqual({
      kind: "yes",
      settled: [{ at: 0, how: "take" }],
    });
    expect(play(both, ["p", "space", "space", "return", "1"]).answer).toEqual({ kind: "yes" });
  });

  it("W6: one hunk lands by itself, the others stay pending; both together are the whole", () => {
    const one = play(both, ["p", "down", "down", "space"]).prompt;
    expect(shown(one)).toContain("lands in part, the rest stays pending: a.txt");
    expect(play(both, ["p", "down", "down", "space", "return", "1"]).answer).toEqual({
      kind: "yes",
      settled: [{ at: 0, how: { take: [1], drop: [] } }],
    });
    expect(play(both, ["p", "down", "space", "down", "space", "return", "1"]).answer).toMatchObject({
      settled: [{ at: 0, how: "take" }],
    });
  });

  it("W6: d drops one, b puts both into a file; once more and it stays pending; what can't be taken is not", () => {
    expect(play(both, ["p", "b", "return", "1"]).answer).toMatchObject({ settled: [{ at: 0, how: "beside" }] });
    expect(play(both, ["p", "space", "d", "return", "1"]).answer).toMatchObject({ settled: [{ at: 0, how: "drop" }] });
    expect(play(both, ["p", "d", "space", "return", "1"]).answer).toMatchObject({ settled: [{ at: 0, how: "take" }] });
    expect(play(both, ["p", "d", "d", "return", "1"]).answer).toEqual({ kind: "yes" });
    const folder = ["p", "down", "down", "down"];
    expect(play(both, [...folder, "space", "b", "return", "1"]).answer).toEqual({ kind: "yes" });
    expect(play(both, [...folder, "d", "return", "1"]).answer).toMatchObject({ settled: [{ at: 1, how: "drop" }] });
    expect(shown(play(both, ["p"]).prompt)).toContain(
      "Space: rehearsed over yours · d drops it · b both in a new file",
    );
  });

  it("W6: changes that can land are left out as ever beside them", () => {
    const q = review(["b.txt", "c.txt"], [FOLDER]);
    expect(play(q, ["p", "d", "down", "space", "return", "1"]).answer).toEqual({
      kind: "yes",
      left: [{ root: 0, path: "b.txt" }],
      settled: [{ at: 0, how: "drop" }],
    });
  });

  it("W6: a review of conflicts alone takes no yes before one is settled", () => {
    const q = review([], [TEXT]);
    const { prompt, answer } = play(q, ["1"]);
    expect(answer).toBeUndefined();
    expect(prompt.hint).toBe("Nothing can land yet: settle a conflict (p), or choose no");
    expect(play(q, ["p", "d", "return", "1"]).answer).toMatchObject({ settled: [{ at: 0, how: "drop" }] });
  });
});
