import { describe, expect, it } from "vitest";
import { movedShell } from "../../../src/events/shell-state.ts";

describe("E2: where the shell stands, and who gave its variables their value", () => {
  const start = { cwd: "/p", env: {} };

  it("what the model's commands set is theirs until the person sets it or it is gone", () => {
    const one = movedShell(start, { cwd: "/p/s", env: { A: "1", B: "1" } });
    expect(one).toEqual({ cwd: "/p/s", env: { A: "1", B: "1" }, set: ["A", "B"] });
    const two = movedShell(one, { cwd: "/p", env: { A: "2", B: "1" } }, "person");
    expect(two).toEqual({ cwd: "/p", env: { A: "2", B: "1" }, set: ["B"] });
    expect(movedShell(two, { cwd: "/p", env: { A: "2" } })).toEqual({ cwd: "/p", env: { A: "2" } });
    expect(movedShell(two, { cwd: "/p", env: { A: "3", B: "1" } }).set).toEqual(["A", "B"]);
  });
  it("a way back to an earlier point makes nothing the person's", () => {
    const set = movedShell(start, { cwd: "/p", env: { A: "1" } });
    const unset = movedShell(set, start);
    expect(movedShell(unset, { cwd: "/p", env: { A: "1" } }).set).toEqual(["A"]);
  });
});
