import { describe, expect, it } from "vitest";
import { areWords, countWords, nameWords, stepNamed } from "../../../src/session/step-words.ts";
import type { Change, Fingerprint } from "../../../src/workspace/change.ts";

const of = {
  roots: [
    { path: "/p", kind: "folder" as const },
    { path: "/q", kind: "added" as const },
    { path: "/p.git", kind: "git" as const },
  ],
};
const print = (type: Fingerprint["type"]): Fingerprint => ({
  type,
  mode: 0o644,
  size: 1,
  mtime: "1",
  ctime: "1",
  ino: "1",
  nlink: 1,
});
const made = (path: string, type: Fingerprint["type"] = "file", root = 0): Change => ({
  root,
  path,
  op: "create",
  after: print(type),
});

describe("words for steps", () => {
  it("W4: every file is named once, folders by what is in them, git's own as one, another root by its whole path", () => {
    const all = [
      made("lib", "folder"),
      made("lib/x"),
      made("lib/x"),
      made("y", "file", 1),
      made(".git/HEAD"),
      made("HEAD", "file", 2),
    ];
    expect(nameWords(all, of)).toBe("lib/x, /q/y and git's state");
    expect(areWords([made("lib", "folder"), made("lib/x")], of)).toBe("lib/x is");
    expect(areWords(all, of)).toBe("lib/x, /q/y and git's state are");
    expect(countWords(all, of)).toBe("2 files and git's state");
    expect(
      nameWords(
        ["a", "b", "c"].map((p) => made(p)),
        of,
        2,
      ),
    ).toBe("a, b and 1 more");
    expect(nameWords([made("a\u202eb\nc")], of)).not.toMatch(/[\u202e\n]/);
    expect(nameWords([], of)).toBe("nothing");
  });
  it("W4: the beginning of an id is enough, where only one begins so", () => {
    const steps = ["op_abc", "op_abd", "op_x"].map((operationId) => ({ operationId }));
    expect(["op_abc", "op_abd", "x", "op_ab", "", "op_none"].map((id) => stepNamed(steps, id)?.operationId)).toEqual([
      "op_abc",
      "op_abd",
      "op_x",
      undefined,
      undefined,
      undefined,
    ]);
  });
});
