import { expect, it } from "vitest";
import type { LogEvent } from "../../../../src/events/event.ts";
import { changeList } from "../../../../src/ui/render/changes.ts";
import { textOfLine } from "../../../../src/ui/render/spans.ts";
import { factLines } from "../../../../src/ui/render/transcript.ts";
import { entry, summary } from "../../../support/questions.ts";

const FACT = { v: 1, seq: 1, at: "2026-01-01T00:00:00.000Z", prev: "", mac: "" };

it("W5: one file in the way keeps back the whole step, and the row says so", () => {
  const rows = (files: number | undefined, ...conflicts: { root: number; path: string; why: string }[]) =>
    (
      factLines(
        {
          ...FACT,
          type: "changes.conflicted",
          operationId: "op_1",
          conflicts,
          ...(files === undefined ? {} : { files }),
        } as LogEvent,
        200,
      ) ?? []
    ).map(textOfLine);
  const changed = { root: 0, path: "a.txt", why: "it was changed meanwhile" };
  expect(rows(17, changed)).toEqual(["✗ nothing of this step landed (17 files): a.txt was changed meanwhile"]);
  expect(rows(undefined, changed, { root: 0, path: "b", why: "somebody else made it meanwhile" })).toEqual([
    "✗ nothing of this step landed: a.txt was changed meanwhile, b: somebody else made it meanwhile",
  ]);
});

it("UX-T-1: a renamed file is shown with where it was", () => {
  const rows = changeList(summary([entry("q/-rf", { op: "rename", from: "a" })]), 60, 5);
  expect(rows.map(textOfLine)).toEqual(["→ a → q/-rf"]);
});
