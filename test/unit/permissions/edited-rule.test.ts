import { describe, expect, it } from "vitest";
import type { Effect } from "../../../src/events/effect.ts";
import { checkEdited } from "../../../src/permissions/edited-rule.ts";
import { foreignHosts, unseenIn, untold } from "../../../src/permissions/unseen.ts";
import { entry, oneLineDiff, question, summary } from "../../support/questions.ts";

const EDIT: Effect = {
  tool: "Edit",
  subject: "src/a.ts",
  needs: [],
  contained: true,
  changes: summary([entry("src/a.ts")]),
};
const BASH: Effect = { ...EDIT, tool: "Bash", subject: "npm run fix" };

describe("an edited rule", () => {
  it("P5: says whether it still covers this call", () => {
    expect(checkEdited("Edit(src/**)", EDIT)).toEqual({ covers: true });
    expect(checkEdited("Edit(src/b.ts)", EDIT)).toEqual({ covers: false });
    expect(checkEdited("Bash(npm run:*)", BASH)).toEqual({ covers: true });
    expect(checkEdited("Bash(npm test)", BASH)).toEqual({ covers: false });
  });
  it("P3, P5: never lifts high risk", () => {
    for (const text of ["Delete(src/**)", "Network(*:*)", "Outside(/etc/**)", "Unsandboxed(npm run fix)", "Land(dist)"])
      expect(checkEdited(text, BASH)).toEqual({ wrong: expect.stringContaining("lifts high risk") as string });
  });
  it("P5: what is no rule says so", () => {
    expect(checkEdited("Edt(src/a.ts)", EDIT)).toEqual({
      wrong: expect.stringContaining("did you mean Edit?") as string,
    });
    expect(checkEdited("Bash()", EDIT)).toEqual({ wrong: expect.stringContaining("empty") as string });
  });
});

describe("what a screen would not show", () => {
  it("UX-P-2: is told, in command, paths and lines; tabs, line ends and emoji are none of it", () => {
    const diff = (line: string) => ({ ...oneLineDiff("a", "x", line) });
    expect(unseenIn(question({ command: { text: "ls \u202e", cwd: "/" } }))).toEqual(["the command"]);
    expect(unseenIn(question({ changes: summary([entry("a\u200bb"), entry("c")]) }))).toEqual(["a path"]);
    for (const hidden of ["a\u200bb", "\u2066x", "\u001b[2J", "a\u200db", "\u3164", "a\rb"])
      expect(unseenIn(question({ diffs: [diff(hidden)] }))).toEqual(["a line"]);
    for (const plain of ["\tx", "x\r", "👩‍🔬", "👩🏽‍🔬", "❤️‍🔥", "héllo", "日本"])
      expect(unseenIn(question({ diffs: [diff(plain)] }))).toEqual([]);
  });
  it("UX-P-2: hosts in a command that only look like others are told as they really are", () => {
    expect(foreignHosts("curl https://аpple.com/x && git clone ssh://git@exаmple.org:22/a")).toEqual([
      { shown: "аpple.com", real: "xn--pple-43d.com" },
      { shown: "exаmple.org", real: "xn--exmple-4nf.org" },
    ]);
    expect(foreignHosts("curl https://apple.com/ü")).toEqual([]);
  });
  it("P5: a file that is neither shown nor can be opened is untold", () => {
    const hidden = { ...oneLineDiff("a"), hunks: [], hidden: "binary" };
    expect(untold(question({ diffs: [hidden] }))).toEqual([hidden]);
    expect(untold({ diffs: [hidden], open: () => Promise.reject(new Error("no")) })).toEqual([]);
  });
});
