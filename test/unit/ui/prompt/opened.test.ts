import { describe, expect, it } from "vitest";
import type { OpenedFile, Question } from "../../../../src/permissions/asker.ts";
import { makeKey } from "../../../../src/ui/input/key.ts";
import { layoutPrompt } from "../../../../src/ui/prompt/layout.ts";
import { openPermission, permissionKey, type PermissionPrompt } from "../../../../src/ui/prompt/permission.ts";
import { mayRemember } from "../../../../src/ui/render/question.ts";
import { paint } from "../../../../src/ui/render/spans.ts";
import { plainTheme } from "../../../../src/ui/theme.ts";
import { entry, oneLineDiff, question, summary } from "../../../support/questions.ts";

const OFFER = { session: "Edit(logo.png)", always: "Edit(logo.png)" };
const hidden = (path: string) => ({ ...oneLineDiff(path), hunks: [], added: 0, removed: 0, hidden: "PNG image" });
const base = question({ changes: summary([entry("logo.png")]), diffs: [hidden("logo.png")], offer: OFFER });
const BINARY: Question = { ...base, open: () => Promise.reject(new Error("not in this test")) };
const FILE: OpenedFile = {
  what: "diff",
  rows: ["+a\u202eb", "-\tc", ...Array.from({ length: 50 }, (_, n) => `+row ${n}`)],
};

function press(prompt: PermissionPrompt, name: string, rows = 12) {
  const seen = new Set([...prompt.seen, ...layoutPrompt(prompt, 60, rows, true).visible]);
  const { sight } = layoutPrompt({ ...prompt, seen }, 60, rows, true);
  return permissionKey({ ...prompt, seen }, makeKey(name, name.length === 1 ? { text: name } : {}), sight);
}
const rowsOf = (prompt: PermissionPrompt, width = 60, rows = 12) =>
  paint(layoutPrompt(prompt, width, rows, true).rows, plainTheme);

describe("a file that a question tells by size, type and hash", () => {
  it("P5: opens on a key, scrolls, and no key answers meanwhile", () => {
    expect(rowsOf(openPermission(BINARY)).join("\n")).toContain("o opens 1 file not shown");
    const step = press(openPermission(BINARY), "o");
    expect(step.open).toBe(0);
    expect(rowsOf(step.prompt).join("\n")).toContain("reading …");
    let prompt: PermissionPrompt = { ...step.prompt, opened: { at: 0, scroll: 0, file: FILE } };
    expect(rowsOf(prompt).join("\n")).toContain("+a\\u{202e}b\n-→   c");
    for (const key of ["1", "y", "2", "return", "n", "3"]) {
      const none = press(prompt, key);
      expect(none.answer).toBeUndefined();
      expect(none.prompt.opened).toBeDefined();
    }
    prompt = press(prompt, "end").prompt;
    expect(rowsOf(prompt).join("\n")).toContain("+row 49");
    prompt = press(prompt, "escape").prompt;
    expect(prompt.opened).toBeUndefined();
    expect(press(prompt, "y").answer).toEqual({ kind: "yes" });
  });
  it("P5: fits any screen, and says why it can't be read", () => {
    for (const rows of [1, 2, 3, 5, 40])
      for (const width of [20, 40, 140]) {
        const prompt = { ...openPermission(BINARY), opened: { at: 0, scroll: 9, file: FILE } };
        expect(rowsOf(prompt, width, rows).length).toBeLessThanOrEqual(rows);
      }
    const failed = { ...openPermission(BINARY), opened: { at: 0, scroll: 0, failed: "gone\u001b[2J" } };
    expect(rowsOf(failed).join("\n")).toContain("gone\\u{1b}[2J");
  });
  it("UX-P-2: where it can't be opened nothing is remembered, and that is told", () => {
    expect(mayRemember(BINARY)).toBe(true);
    expect(mayRemember(base)).toBe(false);
    expect(rowsOf(openPermission(base)).join("\n")).toContain("1 file can't be shown here");
  });
  it("P5: where it goes is told: the folder, and another root by its path", () => {
    const both = { ...question({ changes: summary([entry("a"), entry("b", { root: 1 })]) }), where: ["/p", "/other"] };
    const text = rowsOf(openPermission(both)).join("\n");
    expect(text).toContain("2 files · into /p · can be undone");
    expect(text).toContain("in /other: ~ b");
  });
  it("UX-P-1, P5: a rule that its row can't hold is shown whole, and has to have been seen", () => {
    const rule = `Bash(${"npm run a-rather-long-name && ".repeat(6)}true)`;
    const q = {
      ...question({ changes: summary([entry("a")]), diffs: [oneLineDiff("a")] }),
      offer: { session: rule, always: rule },
    };
    const text = rowsOf(openPermission(q), 60, 40).join("\n").replaceAll(/\n */g, "");
    expect(text).toContain(`answer 2 would save${rule}`.replaceAll(" ", " "));
    expect(layoutPrompt(openPermission(q), 60, 7, true).sight.unseen).toContain("rule");
  });
  it("P3, P5: an edited rule that doesn't cover this call says so once; one that lifts high risk is refused", () => {
    const q = question({
      changes: summary([entry("a.ts")]),
      diffs: [oneLineDiff("a.ts")],
      offer: { session: "Edit(/a.ts)", always: "Edit(/a.ts)" },
    });
    const typed = (text: string): PermissionPrompt => ({
      ...openPermission(q),
      row: 1,
      typing: { what: "rule", field: { text, at: text.length } },
    });
    const once = press(typed("Edit(/b.ts)"), "return").prompt;
    expect(once.hint).toContain("doesn't cover this call");
    expect(press(once, "return").prompt.rules.session).toBe("Edit(/b.ts)");
    const high = press(press(typed("Delete(/a.ts)"), "return").prompt, "return").prompt;
    expect(high.hint).toContain("lifts high risk");
    expect(high.rules.session).toBe("Edit(/a.ts)");
    expect(press(typed("Edit(/*.ts)"), "return").prompt.rules.session).toBe("Edit(/*.ts)");
  });
});
