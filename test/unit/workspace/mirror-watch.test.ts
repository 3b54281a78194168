import { mkdirSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { systemClock } from "../../../src/util/system.ts";
import type { Changed } from "../../../src/workspace/mirror.ts";
import { watchRoots } from "../../../src/workspace/mirror-watch.ts";
import { until } from "../../support/group-bench.ts";
import { scratch } from "../../support/scratch.ts";

async function watching(rounds: boolean): Promise<{ folder: string; seen: Changed[]; at: (path: string) => string }> {
  const folder = scratch("watch");
  const at = (path: string): string => join(folder, path);
  for (const dir of ["src/deep", ".git", "node_modules/p"]) mkdirSync(at(dir), { recursive: true });
  for (const path of ["a.txt", "src/deep/b.txt", "gone.txt", ".git/HEAD"]) writeFileSync(at(path), "old");
  const seen: Changed[] = [];
  const watch = watchRoots({
    roots: [{ path: folder, kind: "folder" }],
    clock: systemClock,
    changed: (paths) => Promise.resolve(void seen.push(...paths)),
    rounds,
  });
  onTestFinished(() => watch.close());
  await watch.ready;
  return { folder, seen, at };
}

describe.each([
  ["by the system's watches", false],
  ["in rounds", true],
])("what somebody changes in the folder is told %s", (_, rounds) => {
  it("in place, by rename, new, gone, in folders that are new; git's own and regenerable folders are left out", async () => {
    const { seen, at } = await watching(rounds);
    const paths = (): Set<string> => new Set(seen.map((c) => c.path));
    // The first round has to be over before there is a change.
    if (rounds) await new Promise((done) => setTimeout(done, 100));
    writeFileSync(at("a.txt"), "new");
    writeFileSync(at("src/deep/b.new"), "new");
    renameSync(at("src/deep/b.new"), at("src/deep/b.txt"));
    rmSync(at("gone.txt"));
    mkdirSync(at("fresh/inner"), { recursive: true });
    writeFileSync(at("fresh/inner/c.txt"), "new");
    for (const path of [".git/HEAD", "node_modules/p/x.js", ".understudy-op-1"]) writeFileSync(at(path), "new");
    const wanted = ["a.txt", "src/deep/b.txt", "gone.txt", "fresh"];
    await until(() => wanted.every((path) => paths().has(path)), [...paths()].join(" "));
    expect(seen.every((c) => c.maybe === true && c.root === 0)).toBe(true);
    // A folder that came with something in it is looked at as a whole, unless each entry is told.
    const whole = (): boolean => seen.some((c) => c.path === "fresh" && c.deep === true);
    await until(() => whole() || paths().has("fresh/inner/c.txt"));
    seen.length = 0;
    writeFileSync(at("fresh/inner/c.txt"), "newer");
    await until(() => paths().has("fresh/inner/c.txt"));
    expect([...paths()].filter((path) => /^\.git|node_modules|understudy/.test(path))).toEqual([]);
  });
});
