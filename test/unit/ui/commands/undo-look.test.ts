import { expect, it } from "vitest";
import type { CommandContext } from "../../../../src/ui/commands/command.ts";
import { undoCommand } from "../../../../src/ui/commands/undo.ts";
import { textOfLine } from "../../../../src/ui/render/spans.ts";
import type { StepPreview } from "../../../../src/session/session.ts";
import { oneLineDiff } from "../../../support/questions.ts";

/** `/undo look` where nothing is in the way; `answer`: what the person chooses. */
async function look(args: string, answer: string | undefined) {
  const alone = { steps: [], diffs: [oneLineDiff("src/a.ts")], conflicts: [], merged: [] };
  const undone: unknown[] = [];
  const previewed: unknown[] = [];
  const shown: string[] = [];
  const context = {
    session: {
      previewStep: async (kind: string, id?: string) => {
        previewed.push([kind, id]);
        return { kind, asked: ["op_1"], alone } as unknown as StepPreview;
      },
      undo: async (id?: string) => {
        undone.push(id);
        return { ok: true, text: "Undone: src/a.ts", paths: [] };
      },
    },
    choose: async (panel: { body(width: number): Parameters<typeof textOfLine>[0][] }) => {
      shown.push(...panel.body(80).map(textOfLine));
      return answer;
    },
    say: (rows: (width: number) => Parameters<typeof textOfLine>[0][]) => void shown.push(...rows(80).map(textOfLine)),
  } as unknown as CommandContext;
  await undoCommand.run(args, context);
  return { undone, previewed, shown: shown.join("\n") };
}

it("UX-Q-6: /undo look shows what would change before anything does", async () => {
  const left = await look("look op_1", undefined);
  expect(left).toMatchObject({ undone: [], previewed: [["undo", "op_1"]] });
  expect(left.shown).toContain("src/a.ts");
  expect(left.shown).toContain("Nothing was undone.");
  const done = await look("look", "go on");
  expect(done.undone).toEqual([undefined]);
  expect(done.shown).toContain("Undone: src/a.ts");
});
