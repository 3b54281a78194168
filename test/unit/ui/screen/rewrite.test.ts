import { describe, expect, it, onTestFinished } from "vitest";
import type { Answer } from "../../../../src/permissions/asker.ts";
import type { Edited } from "../../../../src/ui/term/editor.ts";
import { fakeScreen } from "../../../support/fake-screen.ts";
import { entry, oneLineDiff, question, summary } from "../../../support/questions.ts";

const EDIT = {
  ...question({ changes: summary([entry("src/a.ts")]), diffs: [oneLineDiff("src/a.ts")] }),
  proposed: { path: "src/a.ts", text: () => Promise.resolve("new\n") },
};

/** The question on a screen whose editor gives back `edited`. */
async function asked(edited: (text: string) => Edited) {
  const answers: Answer[] = [];
  const opened: unknown[] = [];
  const screen = fakeScreen({
    cols: 160,
    script: async function* (stage) {
      yield* stage.reply("I edit.", []);
      answers.push(await stage.asker.ask(EDIT, stage.signal));
      return "done";
    },
    desk: { env: {}, edit: (...given: unknown[]) => (opened.push(given), Promise.resolve(edited(String(given[0])))) },
  });
  onTestFinished(() => (screen.controller.leave(), screen.ended.then(() => {})));
  const has = (text: string) => () => screen.region().join("\n").includes(text);
  await screen.type("edit");
  await screen.type("\r");
  await screen.settle(has("e edit file"));
  return { ...screen, answers, opened, has };
}

describe("a proposed file in the person's own editor", () => {
  it("UX-P-3: e opens it under its name, and what comes back is the answer, with words of before", async () => {
    const screen = await asked((text) => ({ text: `${text}more\n` }));
    await screen.type("e");
    await screen.settle(() => screen.answers.length > 0);
    expect(screen.opened).toEqual([["new\n", "src/a.ts"]]);
    expect(screen.answers).toEqual([{ kind: "rewrite", text: "new\nmore\n" }]);
  });
  it.each([
    ["as it was", (text: string): Edited => ({ text }), "The file came back as it was"],
    ["not at all", (): Edited => ({ failed: "vi ended with 1" }), "vi ended with 1"],
  ])("UX-P-3: one that comes back %s answers nothing, and says so", async (_, edited, words) => {
    const screen = await asked(edited);
    await screen.type("e");
    await screen.settle(screen.has(words));
    expect(screen.answers).toEqual([]);
  });
  it("UX-P-4: e out of a fast row of keys opens nothing", async () => {
    const screen = await asked((text) => ({ text: `${text}x` }));
    await screen.type("re");
    await screen.settle(screen.has("re"));
    expect(screen.opened).toEqual([]);
  });
  it("UX-P-3: e in the review does the same", async () => {
    const screen = await asked((text) => ({ text: `${text}x` }));
    await screen.type("\x0f");
    await screen.settle(() => (screen.cover() ?? []).join("\n").includes("e edit the file"));
    await screen.type("e");
    await screen.settle(() => screen.answers.length > 0);
    expect(screen.answers).toEqual([{ kind: "rewrite", text: "new\nx" }]);
  });
});
