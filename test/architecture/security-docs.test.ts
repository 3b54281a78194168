import { existsSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { describe, expect, it } from "vitest";

const root = resolve(import.meta.dirname, "../..");
const page = readFileSync(join(root, "docs/security.md"), "utf8");
const areas = new Map<string, number>();
for (const line of readFileSync(join(root, "test/corpus/security.jsonl"), "utf8").trim().split("\n")) {
  const { area } = JSON.parse(line) as { area: string };
  areas.set(area, (areas.get(area) ?? 0) + 1);
}

/** Rows of the table of promises: name, promise, what tests it. */
const promises = page.split("\n").flatMap((line) => {
  const [, name = "", words = "", tests = ""] = line.split("|").map((cell) => cell.trim());
  return /^S\d+$/.test(name) ? [{ name, words, tests }] : [];
});

describe("docs/security.md", () => {
  it("every promise is numbered, once, and names a test", () => {
    expect(promises.map((p) => p.name)).toEqual(promises.map((_, n) => `S${n + 1}`));
    expect(promises.length).toBeGreaterThan(15);
    for (const { name, tests } of promises) expect([name, /`[^`]+\.test\.tsx?`/.test(tests)]).toEqual([name, true]);
  });

  it("every file it names is there, every area of the corpus too, with its number of cases", () => {
    const files = [...page.matchAll(/`([\w./-]+\.test\.tsx?)`/g)].map((m) => m[1] ?? "");
    expect(files.filter((file) => !existsSync(join(root, "test", file)))).toEqual([]);
    const named = promises.flatMap((p) =>
      (/corpus: (.*)$/.exec(p.tests)?.[1] ?? "").split(", ").filter((w) => w !== ""),
    );
    expect(named.filter((area) => !areas.has(area))).toEqual([]);
    const table = [...page.matchAll(/^\| ([a-z-]+) \| (\d+) \|/gm)].map((m): [string, number] => [
      m[1] ?? "",
      Number(m[2]),
    ]);
    expect(new Map(table)).toEqual(areas);
  });
});
