import { describe, expect, it } from "vitest";
import type { Answer, Question } from "../../../../src/permissions/asker.ts";
import { makeKey } from "../../../../src/ui/input/key.ts";
import { layoutPrompt } from "../../../../src/ui/prompt/layout.ts";
import { openPermission, permissionKey, type PermissionPrompt } from "../../../../src/ui/prompt/permission.ts";
import { paint } from "../../../../src/ui/render/spans.ts";
import { plainTheme } from "../../../../src/ui/theme.ts";
import { entry, oneLineDiff, question, summary } from "../../../support/questions.ts";

const OFFER = { session: "Edit(src/a.ts)", always: "Edit(src/a.ts)" };
const EDIT = question({ changes: summary([entry("src/a.ts")]), diffs: [oneLineDiff("src/a.ts")], offer: OFFER });
const DELETES = question({
  tool: "Bash",
  risk: "high",
  reason: "deletes 40 files",
  command: { text: "rm -rf old", cwd: "/p", exit: 0, output: "" },
  changes: summary(Array.from({ length: 40 }, (_, at) => entry(`old/${at}.ts`, { op: "delete", marks: ["delete"] }))),
});
const MANY = question({
  changes: summary([entry("a"), entry("b"), entry("c", { op: "delete", marks: ["delete"] })]),
  offer: OFFER,
});

const BASE = { changes: summary([entry("src/a.ts")]), diffs: [oneLineDiff("src/a.ts")], offer: OFFER };
const PUSH = question({
  tool: "Bash",
  subject: "git push",
  risk: "high",
  needs: [{ kind: "unsandboxed", words: "git push" }],
  command: { text: "git push", cwd: "/p" },
  also: ["edit", "self"],
});
const SIGHT = { rows: 1, window: 1, unseen: [] };

/** One key after the first frame was seen. */
function step(of: Question, name: string, rows = 20) {
  const fresh = openPermission(of);
  const seen = new Set(layoutPrompt(fresh, 80, rows, true).visible);
  const { sight } = layoutPrompt({ ...fresh, seen }, 80, rows, true);
  return permissionKey({ ...fresh, seen }, makeKey(name, { text: name }), sight);
}

/** Plays keys as the screen does: a frame is drawn and seen before each of them. */
function play(q: Question, keys: readonly string[], rows = 20): { prompt: PermissionPrompt; answer?: Answer } {
  let prompt = openPermission(q);
  for (const name of keys) {
    const before = layoutPrompt(prompt, 80, rows, true);
    prompt = { ...prompt, scroll: before.scroll, seen: new Set([...prompt.seen, ...before.visible]) };
    const { sight } = layoutPrompt(prompt, 80, rows, true);
    const key = name.startsWith("shift+")
      ? makeKey(name.slice(6), { shift: true })
      : makeKey(name, name.length === 1 ? { text: name } : {});
    const step = permissionKey(prompt, key, sight);
    if (step.answer !== undefined) return { prompt: step.prompt, answer: step.answer };
    prompt = step.prompt;
  }
  return { prompt };
}
const shown = (prompt: PermissionPrompt, rows = 20) => paint(layoutPrompt(prompt, 80, rows, true).rows, plainTheme);

describe("permission prompt", () => {
  it("UX-P-3: 1 and y are yes once, 3, n and Esc are no", () => {
    for (const key of ["1", "y", "return"]) expect(play(EDIT, [key]).answer).toEqual({ kind: "yes" });
    for (const key of ["3", "n", "escape"]) expect(play(EDIT, [key]).answer).toEqual({ kind: "no" });
  });
  it("UX-P-3: 2 remembers the rule that is shown, for the session or always", () => {
    expect(play(EDIT, ["2"]).answer).toEqual({ kind: "yes", remember: { scope: "session", rule: "Edit(src/a.ts)" } });
    expect(play(EDIT, ["right", "2"]).answer).toEqual({
      kind: "yes",
      remember: { scope: "always", rule: "Edit(src/a.ts)" },
    });
    expect(shown(play(EDIT, ["right"]).prompt).join("\n")).toContain(
      "yes, always in your rules for this project: Edit(src/a.ts)",
    );
  });
  it("P5: the rule can be edited before it is saved", () => {
    const { prompt } = play(EDIT, ["e", "backspace", "backspace", "backspace", "backspace", "s", ")", "return"]);
    expect(shown(prompt).join("\n")).toContain("Edit(src/as)");
    expect(play(EDIT, ["e", "backspace", "x", ")", "return", "return", "2"]).answer).toMatchObject({
      remember: { rule: "Edit(src/a.tsx)" },
    });
  });
  it("P5: what is no rule is not taken: the prompt says why and the text can be mended", () => {
    const { prompt, answer } = play(EDIT, ["e", "x", "return", "2"]);
    expect(answer).toBeUndefined();
    expect(prompt.typing?.field.text).toBe("Edit(src/a.ts)x2");
    expect(play(EDIT, ["e", "x", "return"]).prompt.hint).toMatch(/not a rule/);
    expect(play(EDIT, ["e", "x", "return", "backspace", "return", "2"]).answer).toMatchObject({
      remember: { rule: "Edit(src/a.ts)" },
    });
  });
  it("P5: a no with a note goes on, a bare no ends; an empty note answers nothing", () => {
    expect(play(EDIT, ["down", "down", "tab", "w", "h", "y", "return"]).answer).toEqual({ kind: "no", note: "why" });
    expect(play(EDIT, ["tab", "return"]).answer).toBeUndefined();
  });
  it("UX-P-3: Tab opens a word for the answer that the cursor is on, and on the rule the rule", () => {
    expect(play(EDIT, ["tab", "o", "k", "return"]).answer).toEqual({ kind: "yes", note: "ok" });
    expect(play(DELETES, ["tab", "o", "return"]).answer).toEqual({ kind: "no", note: "o" });
    expect(play(EDIT, ["down", "tab"]).prompt.typing?.what).toBe("rule");
    expect(shown(play(EDIT, ["tab", "o"]).prompt).join("\n")).toContain("yes, and: o");
  });
  it("UX-P-3 P5: a word beside a yes counts no more than a yes: all of it must have been seen", () => {
    const { answer, prompt } = play(DELETES, ["up", "up", "tab", "o", "return"], 12);
    expect(answer).toBeUndefined();
    expect(prompt.hint).toMatch(/look at all of it/);
    expect(prompt.typing?.field.text).toBe("o");
  });
  it("UX-P-3: e changes the command before it runs; the same again, or nothing, answers nothing", () => {
    expect(play(PUSH, ["e", "backspace", "x", "return"]).answer).toEqual({ kind: "edit", command: "git pusx" });
    expect(play(PUSH, ["e", "return"])).toMatchObject({ prompt: { hint: "It is the same command" } });
    const empty = play(PUSH, ["e", ...Array.from({ length: 8 }, () => "backspace"), "return"]);
    expect([empty.answer, empty.prompt.typing]).toEqual([undefined, undefined]);
    expect(shown(play({ ...PUSH, command: { text: "a\nb", cwd: "/p" } }, ["e"]).prompt).join("\n")).toContain("$ a⏎b");
  });
  it("U8: s runs it in the person's own shell, once all of it was seen; d says that it is done; neither where it stays in the copy", () => {
    expect(step(PUSH, "s").self).toBe(true);
    const long = { ...PUSH, command: { text: "x\n".repeat(40), cwd: "/p" } };
    expect(step(long, "s", 12)).toMatchObject({ prompt: { hint: expect.stringMatching(/look at all/) as string } });
    expect(step(long, "s", 12).self).toBeUndefined();
    expect(play(PUSH, ["d"]).answer).toEqual({ kind: "self" });
    expect(step(EDIT, "s")).toEqual({ prompt: expect.anything() as PermissionPrompt, used: true });
    expect(shown(openPermission(PUSH)).join("\n")).toContain("s run it myself");
    expect(shown(openPermission(EDIT)).join("\n")).not.toContain("run it myself");
  });
  it("UX-P-3: Ctrl-E tells why above the question, and once more hides it", () => {
    expect(permissionKey(openPermission(EDIT), makeKey("e", { ctrl: true }), SIGHT).explain).toBe(true);
    const told = { ...openPermission(EDIT), explained: () => [[{ text: "because of the rule" }]] };
    expect(shown(told).slice(1, 2)).toEqual(["because of the rule"]);
    expect(shown(told).join("\n")).toContain("Ctrl-E less");
    expect(permissionKey(told, makeKey("e", { ctrl: true }), SIGHT).prompt.explained).toBeUndefined();
  });
  it("UX-P-1: always names the file that it would write, whole where the window is narrow; the sub-agent that asks is named", () => {
    const asked = question({
      ...BASE,
      savedTo: "/home/p/.config/understudy/projects/0123456789abcdef.json",
      agent: "tests",
    });
    const { prompt } = play(asked, ["right"]);
    expect(shown(prompt).join("\n")).toContain("into /home/p/.config/understudy/projects/0123456789abcdef.json");
    const narrow = paint(layoutPrompt(prompt, 30, 30, true).rows, plainTheme).map((row) => row.trim());
    expect(narrow.join("")).toContain("/home/p/.config/understudy/projects/0123456789abcdef.json");
    expect(shown(openPermission(asked))[0]).toContain("asked by tests");
    expect(shown(openPermission(asked)).join("\n")).not.toContain("into /home");
    const { rows, caret } = layoutPrompt({ ...prompt, row: 2 }, 80, 20, true);
    expect(paint(rows, plainTheme)[caret.y]).toMatch(/^› 3 no/);
  });
  it("UX-P-7: Shift+Tab inside a note only closes the note; letters typed there answer nothing", () => {
    const { prompt, answer } = play(EDIT, ["tab", "y", "1", "shift+tab"]);
    expect(answer).toBeUndefined();
    expect(prompt.typing).toBeUndefined();
  });
  it("UX-P-6: high risk preselects nothing, Enter does nothing, and nothing is remembered", () => {
    const high = question({ risk: "high", changes: summary([entry("a")]), offer: OFFER });
    expect(play(high, ["return"]).answer).toBeUndefined();
    expect(play(high, ["2"]).answer).toBeUndefined();
    expect(shown(openPermission(high)).join("\n")).not.toContain("for this session");
    expect(play(high, ["1"]).answer).toEqual({ kind: "yes" });
  });
  it("P5 SEC-G7: yes counts only after every deletion was on screen; Space scrolls and never approves", () => {
    expect(play(DELETES, ["1"]).answer).toBeUndefined();
    expect(play(DELETES, ["space", "1"]).answer).toBeUndefined();
    expect(play(DELETES, ["1", "space", "y", "space", "space", "space", "space", "1"]).answer).toEqual({ kind: "yes" });
    expect(play(DELETES, ["end", "1"]).answer).toBeUndefined();
    expect(play(DELETES, ["n"]).answer).toEqual({ kind: "no" });
    expect(shown(play(DELETES, ["1"]).prompt).at(-1)).toContain("Not answered");
  });
  it("P5: what was seen at one width has to be seen again at another", () => {
    const prompt = openPermission(question({ changes: summary([entry("x", { op: "delete", marks: ["delete"] })]) }));
    const seen = { ...prompt, seen: new Set(layoutPrompt(prompt, 80, 20, true).visible) };
    expect(layoutPrompt(seen, 80, 20, true).sight.unseen).toEqual([]);
    expect(layoutPrompt(seen, 40, 20, true).sight.unseen).toEqual(["entry:0"]);
  });
  it("P5: parts: space leaves an entry out, deletions stand first, nothing left is no answer", () => {
    const { answer } = play(MANY, ["p", "space", "return", "1"]);
    expect(answer).toEqual({ kind: "yes", left: [{ root: 0, path: "c" }] });
    expect(shown(play(MANY, ["p", "space"]).prompt).join("\n")).toContain("› [ ] − c deleted");
    expect(play(MANY, ["p", "space", "down", "space", "down", "space", "return", "1"]).answer).toBeUndefined();
  });
  it("P5: parts: single hunks of a file; all of them is the file itself", () => {
    const hunks = [1, 50].map((n) => ({ oldStart: n, newStart: n, lines: ["-a", "+b"] }));
    const q = question({
      changes: summary([entry("src/a.ts"), entry("b")]),
      diffs: [{ ...oneLineDiff("src/a.ts"), hunks }],
    });
    expect(play(q, ["p", "down", "down", "space", "return", "1"]).answer).toEqual({
      kind: "yes",
      left: [{ root: 0, path: "src/a.ts", hunks: [1] }],
    });
    const both = play(q, ["p", "down", "space", "down", "space", "return"]);
    expect(shown(both.prompt).join("\n")).toContain("yes, once, only 1 of 3 parts");
    expect(play(q, ["p", "down", "space", "down", "space", "return", "1"]).answer).toMatchObject({
      left: [{ path: "src/a.ts" }],
    });
    expect(play(q, ["p", "space", "space", "return", "1"]).answer).toEqual({ kind: "yes" });
    expect(shown(play(q, ["p", "down"]).prompt).join("\n")).toContain("› [x]     at line 1 +1 −1");
  });
  it("P9: regenerable output is a box of its own, preset as the question says", () => {
    const q = question({
      changes: summary([entry("a")]),
      regenerable: { text: "with node_modules: 8,613 files, regenerable", preset: false },
    });
    expect(play(q, ["1"]).answer).toEqual({ kind: "yes", withRegenerable: false });
    expect(play(q, ["r", "1"]).answer).toEqual({ kind: "yes", withRegenerable: true });
    expect(shown(openPermission(q)).join("\n")).toContain("[ ] with node_modules: 8,613 files, regenerable");
  });
});
