import { describe, expect, it } from "vitest";
import { failingRows } from "../../../../src/ui/render/failing.ts";

describe("failingRows", () => {
  it.each([
    ["node's test runner", "ok 1 - a\nnot ok 2 - adds\n  ---\n  x\n# fail 1\n# pass 1", "not ok 2 - adds"],
    ["vitest", " ✓ a.test.ts\n × b > adds\n   → 1 is not 2\n Tests 1 failed | 2 passed", " × b > adds"],
    ["tsc", "a.ts(1,2): error TS2322: no\nFound 1 error.", "a.ts(1,2): error TS2322: no"],
    ["eslint", "/p/a.js\n  1:1  error  no x\n\n✖ 1 problem (1 error)", "  1:1  error  no x"],
    ["pytest", "a.py .F\n=== FAILURES ===\nE   assert 1 == 2\n1 failed, 1 passed", "E   assert 1 == 2"],
    ["go", "=== RUN TestA\n--- FAIL: TestA (0.0s)\n    a_test.go:3: no\nFAIL", "--- FAIL: TestA (0.0s)"],
    ["cargo", "warning: x\nerror[E0308]: mismatched\n --> a.rs:1", "error[E0308]: mismatched"],
    ["gcc", "a.c: In f\na.c:1:2: error: no\na.c:3:1: note: x", "a.c:1:2: error: no"],
  ])("S9: of %s the first failure, not the sum", (_, output, first) => {
    expect(failingRows(output)[0]).toBe(first);
  });
  it("S9: the end where nothing is known to fail; three rows at most, none of them blank", () => {
    expect(failingRows("a\n\nb\nc\n0 errors\n")).toEqual(["b", "c", "0 errors"]);
    expect(failingRows("Error: x\n\na\nb\nc\n")).toEqual(["Error: x", "a", "b"]);
    expect(failingRows("")).toEqual([]);
  });
});
