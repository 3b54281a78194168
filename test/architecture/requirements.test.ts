import { readdirSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { describe, expect, it } from "vitest";

const root = resolve(import.meta.dirname, "../..");
const list = readFileSync(join(root, "docs/requirements.md"), "utf8");
const titles = readdirSync(join(root, "test"), { recursive: true, encoding: "utf8" })
  .filter((f) => /\.test\.tsx?$/.test(f))
  .flatMap((f) => [
    ...readFileSync(join(root, "test", f), "utf8").matchAll(
      /\b(?:it|test|describe)(?:\.each)?\b[^"'`\n]*["'`]([^"'`\n]*)/g,
    ),
  ])
  .map((m) => m[1] ?? "");

describe("requirements", () => {
  it("lists every item once", () => {
    const ids = [...list.matchAll(/^- \[[ x]\] ([A-Z]\d+) /gm)].map((m) => m[1]);
    expect(new Set(ids).size).toBe(ids.length);
    expect(ids.length).toBeGreaterThan(80);
  });
  it("every claimed item is named by a test", () => {
    const claimed = [...list.matchAll(/^- \[x\] ([A-Z]\d+) /gm)].map((m) => m[1] ?? "");
    const unproven = claimed.filter(
      (id) => !titles.some((t) => new RegExp(`(^|[^-A-Za-z0-9])${id}([^0-9]|$)`).test(t)),
    );
    expect(unproven).toEqual([]);
  });
});
