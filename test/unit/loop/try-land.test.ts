import { describe, expect, it } from "vitest";
import { tryLand } from "../../../src/loop/try-land.ts";
import type { ChangeSet } from "../../../src/workspace/change.ts";
import type { JournalStep, Workspace } from "../../../src/workspace/workspace.ts";

const set: ChangeSet = { operationId: "op_1", changes: [], stepFolder: "/s", since: "0" };
const landed = { ok: true, operationId: "op_1", changes: [], merged: [] } as const;

function workspace(code: string, known: JournalStep["status"] | undefined): Workspace {
  let calls = 0;
  const step = {
    operationId: "op_1",
    sessionId: "s",
    at: "",
    by: "s",
    turnedAt: "",
    kept: true,
    bytes: 0,
    changes: [],
  };
  const fake: Pick<Workspace, "land" | "journal"> = {
    land: () =>
      calls++ === 0 ? Promise.reject(Object.assign(new Error("refused"), { code })) : Promise.resolve(landed),
    journal: () => Promise.resolve(known === undefined ? [] : [{ ...step, status: known }]),
  };
  return fake as Workspace;
}
const tried = (code: string, known?: JournalStep["status"]) => tryLand(set, [], { workspace: workspace(code, known) });

describe("tryLand", () => {
  it("W3 L8: what the folder refuses is an answer; what is our own mistake is thrown", async () => {
    for (const code of ["EROFS", "EACCES", "ENOSPC"])
      expect(await tried(code)).toMatchObject({ ok: false, refused: expect.stringContaining(code) as unknown });
    expect(await tried("EROFS", "rolled-back")).toHaveProperty("refused");
    await expect(tried("EINVAL")).rejects.toThrow("refused");
  });
  it("W8: what the journal completed meanwhile has landed", async () => {
    expect(await tried("ENOSPC", "landed")).toEqual(landed);
  });
});
