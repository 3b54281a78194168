import { describe, expect, it } from "vitest";
import { SavedChange, SavedEnd, SavedFingerprint, SavedPass, SavedSet } from "../../../src/workspace/plan.ts";

interface Schema {
  parse(value: unknown): unknown;
}
const print = { type: "file", mode: 420, size: 1, mtime: "1", ctime: "2", ino: "3", nlink: 1, hash: "h", target: "t" };
const change = {
  root: 0,
  path: "p",
  op: "modify",
  before: print,
  after: print,
  tree: { files: 1, bytes: 2 },
  pair: "q",
  late: true,
};
const move = {
  kind: "move",
  root: 0,
  path: "p",
  before: print,
  after: print,
  in: "i",
  out: "o",
  store: "s",
  plain: true,
  indexKey: "k",
};
const mode = { kind: "mode", root: 0, path: "p", type: "file", from: 1, to: 2, before: print };
const pass = {
  v: 1,
  kind: "land",
  number: 0,
  order: 1,
  behind: 2,
  group: "g",
  operationId: "op",
  sessionId: "s",
  pid: 3,
  at: "a",
  roots: ["/r"],
  ready: true,
  ops: [move, mode],
  temps: ["t"],
  lifts: [{ root: 0, path: "p", mode: 5 }],
  changes: [change],
  merged: [{ root: 0, path: "p" }],
};
const end = { done: true, at: "a", prints: [print, null], changes: [change], bytes: 6 };
const set = { operationId: "op", stepFolder: "/s", since: "1", changes: [change] };
const inPass = (ops: Schema, wrap: (op: unknown) => unknown): Schema => ({ parse: (op) => ops.parse(wrap(op)) });
const asOp = inPass(SavedPass, (op) => ({ ...pass, ops: [op] }));
const asLift = inPass(SavedPass, (lift) => ({ ...pass, lifts: [lift] }));
const asMerged = inPass(SavedPass, (merged) => ({ ...pass, merged: [merged] }));
const asTree = inPass(SavedChange, (tree) => ({ ...change, tree }));

const saved: readonly [string, Schema, Record<string, unknown>, readonly string[]][] = [
  ["a fingerprint", SavedFingerprint, print, ["hash", "target"]],
  ["a change", SavedChange, change, ["before", "after", "tree", "pair", "late"]],
  ["a change set", SavedSet, set, []],
  ["a plan", SavedPass, pass, ["behind", "group"]],
  ["an end", SavedEnd, end, []],
];
const inner: readonly [string, Schema, Record<string, unknown>, readonly string[]][] = [
  ["a move", asOp, move, ["before", "after", "in", "out", "store", "plain", "indexKey"]],
  ["a mode", asOp, mode, ["before"]],
  ["a lift", asLift, pass.lifts[0] ?? {}, []],
  ["a merged file", asMerged, pass.merged[0] ?? {}, []],
  ["a folder's size", asTree, change.tree, []],
];

describe("what the journal saves", () => {
  it.each(saved)("E4: %s is read as it was written", (_name, schema, whole) => {
    expect(schema.parse(JSON.parse(JSON.stringify(whole)))).toEqual(whole);
  });
  it.each([...saved, ...inner])(
    "W5: %s that misses a part, or has another in its place, is refused",
    (_name, schema, whole, optional) => {
      expect(() => schema.parse(whole)).not.toThrow();
      for (const key of Object.keys(whole)) {
        const { [key]: value, ...rest } = whole;
        if (optional.includes(key)) expect(() => schema.parse(rest)).not.toThrow();
        else expect(() => schema.parse(rest)).toThrow();
        const other = typeof value === "string" ? 7 : "seven";
        expect(() => schema.parse({ ...rest, [key]: other })).toThrow();
        if (Array.isArray(value)) expect(() => schema.parse({ ...rest, [key]: [7n] })).toThrow();
      }
    },
  );
  it("E4: each type, kind and op is known", () => {
    for (const type of ["file", "folder", "link", "fifo", "socket", "char", "block"]) {
      expect(SavedFingerprint.parse({ ...print, type }).type).toBe(type);
      expect(() => asOp.parse({ ...mode, type })).not.toThrow();
    }
    for (const op of ["create", "modify", "delete", "type", "chmod"])
      expect(SavedChange.parse({ ...change, op }).op).toBe(op);
    for (const kind of ["land", "undo", "redo"]) expect(SavedPass.parse({ ...pass, kind }).kind).toBe(kind);
    expect(() => asOp.parse({ ...move, kind: "copy" })).toThrow();
    expect(() => SavedPass.parse({ ...pass, v: 2 })).toThrow();
    expect(() => SavedPass.parse({ ...pass, kind: "" })).toThrow();
  });
});
