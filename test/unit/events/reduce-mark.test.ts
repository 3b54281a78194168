import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { LogBody, Touch } from "../../../src/events/event.ts";
import { NO_MARKS, stateMark } from "../../../src/events/reduce-mark.ts";
import { NO_CHANGES, stateOf } from "../../support/event-log.ts";

type Op = "create" | "modify" | "delete";
const entry = (path: string, op: Op = "modify") => ({ root: 0, path, op, type: "file" as const, marks: [] });
const touch = (path: string, hash: string): Touch => ({
  path: `/p/${path}`,
  hash,
  how: hash === "" ? "deleted" : "written",
});

function step(operationId: string, files: Record<string, string>, type: "landed" | "pended" = "landed"): LogBody {
  const entries = Object.keys(files).map((path) => entry(path));
  const touched = Object.entries(files).map(([path, hash]) => touch(path, hash));
  const summary = { ...NO_CHANGES, entries };
  return type === "landed"
    ? { type: "changes.landed", operationId, summary, by: "person", touched }
    : { type: "changes.pended", operationId, summary, touched };
}
const undone = (operationId: string): LogBody => ({ type: "changes.undone", operationId, by: "person", paths: [] });
const files = (...bodies: LogBody[]) => stateOf(...bodies).marks.files;

describe("the mark of what a session changed", () => {
  it("S5: is of the content, whatever way led there", () => {
    expect(files()).toBe(NO_MARKS.files);
    const a = files(step("1", { a: "x", b: "y" }));
    expect(files(step("1", { a: "x" }), step("2", { b: "y" }))).toBe(a);
    expect(files(step("1", { b: "z" }), step("2", { a: "x", b: "y" }))).toBe(a);
    expect(files(step("1", { a: "y", b: "x" }))).not.toBe(a);
    expect(files(step("1", { a: "", b: "y" }))).not.toBe(a);
  });

  it("S9: undo takes a step's part away, of a file that an earlier step changed too", () => {
    const first = files(step("1", { a: "x" }));
    expect(files(step("1", { a: "x" }), undone("1"))).toBe(NO_MARKS.files);
    expect(files(step("1", { a: "x" }), step("2", { a: "y", b: "z" }), undone("2"))).toBe(first);
    expect(files(step("1", { a: "x" }), step("2", { a: "y" }), undone("1"))).toBe(files(step("2", { a: "y" })));
    const again: LogBody = { type: "changes.redone", operationId: "1", by: "person", paths: [] };
    expect(files(step("1", { a: "x" }), undone("1"), again)).not.toBe(NO_MARKS.files);
  });

  it("S9, W6: what waits counts, what is dropped of it doesn't, and landing it makes no other state", () => {
    const waits = step("1", { a: "x" }, "pended");
    expect(files(waits)).toBe(files(step("1", { a: "x" })));
    expect(files(waits, step("2", { a: "x" }))).toBe(files(waits));
    expect(files(waits, { type: "changes.dropped", operationId: "1", reason: "no" })).toBe(NO_MARKS.files);
    const squashed = (pended: boolean): LogBody => ({
      type: "changes.squashed",
      operationId: "3",
      from: ["1", "2"],
      pended,
      kept: false,
      summary: { ...NO_CHANGES, entries: [entry("a")] },
    });
    const two = [waits, step("2", { b: "y" }, "pended")];
    expect(files(...two, squashed(true))).toBe(files(waits));
    expect(files(...two, squashed(false))).toBe(NO_MARKS.files);
  });

  it("S5: what has no hash of its own is told apart by its step: links, modes, whole folders, git", () => {
    const landed = (manifestHash: string, more: object): LogBody => ({
      type: "changes.landed",
      operationId: "1",
      summary: { ...NO_CHANGES, entries: [], ...more, manifestHash },
      by: "person",
      touched: [],
    });
    const folder = { entries: [{ ...entry("d", "create"), files: 3 }] };
    expect(files(landed("m1", folder))).not.toBe(files(landed("m2", folder)));
    expect([...stateOf(landed("m1", folder)).changed.keys()]).toEqual(["/p/d/"]);
    const git = { git: [{ text: "commit", high: false }] };
    expect([...stateOf(landed("m1", git)).changed.keys()]).toEqual(["git"]);
  });

  it("S5: any order of the same last contents gives the same mark, and others another", () => {
    const contents = fc.dictionary(fc.constantFrom("a", "b", "c", "d"), fc.constantFrom("x", "y", ""), { minKeys: 1 });
    fc.assert(
      fc.property(fc.array(contents, { minLength: 1, maxLength: 6 }), (steps) => {
        const last: Record<string, string> = Object.assign({}, ...steps);
        const one = files(...steps.map((s, n) => step(String(n), s)));
        expect(one).toBe(files(step("z", last)));
        expect(one).not.toBe(files(step("z", { ...last, e: "x" })));
      }),
    );
  });

  it("S5: a call's mark knows the shell's place and exports, and the shells that run", () => {
    const of = (...bodies: LogBody[]) => stateMark(stateOf(...bodies));
    const moved = (cwd: string, env: Record<string, string>): LogBody => ({ type: "shell.moved", cwd, env });
    const group: LogBody = {
      type: "group.started",
      groupId: "g",
      callId: "c",
      operationId: "o",
      command: "x",
      cwd: "/p",
    };
    const ended: LogBody = {
      type: "group.ended",
      groupId: "g",
      how: { reason: "exit", code: 0, signal: null },
      told: true,
    };
    expect(of()).toBe(of());
    expect(of(moved("/p/a", {}))).not.toBe(of());
    expect(of(moved("/p", { B: "1", A: "2" }))).toBe(of(moved("/p", { A: "2", B: "1" })));
    expect(of(moved("/p", { A: "1" }))).not.toBe(of());
    expect(of(group)).not.toBe(of());
    expect(of(group, ended)).toBe(of());
    const kept: LogBody = { type: "changes.kept", operationId: "k", files: 1, bytes: 9, paths: ["node_modules/x"] };
    expect(of(kept)).not.toBe(of());
    expect(of(kept, { ...kept, operationId: "l", bytes: 10 })).toBe(of(kept));
  });
});
