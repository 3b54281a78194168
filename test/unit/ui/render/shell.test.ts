import { expect, it } from "vitest";
import { entryLines } from "../../../../src/ui/render/entry.ts";
import type { Entry } from "../../../../src/ui/store/entry.ts";

const told = (exit: number | null): string => {
  const event = { type: "shell.ran", operationId: "op_1", command: "sleep 9", outside: false, exit, output: "" };
  const entry = { kind: "shell", event } as unknown as Entry;
  const facts = {
    state: () => {
      throw new Error("not asked for");
    },
    diffs: () => undefined,
  };
  return (entryLines(entry, facts, 80)[1] ?? []).map((span) => span.text).join("");
};

it("UX-IN-11: a line of the person's own tells how it ended: nothing, its code, or that it was stopped", () => {
  expect([told(0), told(3), told(null)]).toEqual(["! sleep 9", "! sleep 9 · exit 3", "! sleep 9 · stopped"]);
});
