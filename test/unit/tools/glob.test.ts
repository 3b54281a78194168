import { mkdirSync, symlinkSync, utimesSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, it } from "vitest";
import { globToolWith } from "../../../src/tools/glob.ts";
import { findRipgrep } from "../../../src/tools/ripgrep.ts";
import { scratch } from "../../support/scratch.ts";
import { settings, toolBench, type BenchOptions, type Called, type ToolBench } from "../../support/tool-context.ts";

/** Files, all of the same age, so that order is by path. */
function withFiles(names: readonly string[], options: BenchOptions = {}): ToolBench {
  const bench = toolBench(options);
  for (const name of names) {
    const path = join(bench.folder, name);
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, "x");
    utimesSync(path, 1000, 1000);
  }
  return bench;
}
const engines = [
  ["ripgrep", globToolWith({ ripgrep: findRipgrep })],
  ["the fallback", globToolWith({ ripgrep: () => Promise.resolve(undefined) })],
] as const;

describe.each(engines)("Glob with %s", (_name, tool) => {
  const glob = (bench: ToolBench, pattern: string, more = {}): Promise<Called> =>
    bench.call(tool, { pattern, ...more });
  const names = async (bench: ToolBench, pattern: string, more = {}): Promise<string[]> =>
    (await glob(bench, pattern, more)).text.split("\n");

  it("T6: * stays in a folder, ** goes through, braces and ? work", async () => {
    const bench = withFiles(["a.ts", "b.tsx", "src/c.ts", "src/deep/d.ts"]);
    expect(await names(bench, "*.ts")).toEqual(["a.ts"]);
    expect(await names(bench, "**/*.ts")).toEqual(["a.ts", "src/c.ts", "src/deep/d.ts"].toSorted());
    expect(await names(bench, "*.{ts,tsx}")).toEqual(["a.ts", "b.tsx"]);
    expect(await names(bench, "src/?.ts")).toEqual(["src/c.ts"]);
    expect(await names(bench, "*.ts", { path: "src" })).toEqual(["src/c.ts"]);
    expect(await names(bench, join(bench.folder, "src/**"))).toEqual(["src/c.ts", "src/deep/d.ts"]);
    expect(await names(bench, "a.ts")).toEqual(["a.ts"]);
  });
  it("T6: newest first, equal times by path", async () => {
    const bench = withFiles(["a", "b", "c"]);
    utimesSync(join(bench.folder, "b"), 2000, 2000);
    expect(await names(bench, "*")).toEqual(["b", "a", "c"]);
  });
  it("T6: honours .gitignore, shows dot files, never .git; a folder named in the pattern is looked into", async () => {
    const bench = withFiles(["node_modules/m/i.js", ".git/x.js", ".env.js", "a.js"]);
    writeFileSync(join(bench.folder, ".gitignore"), "node_modules\n");
    expect(await names(bench, "**/*.js")).toEqual([".env.js", "a.js"]);
    expect(await names(bench, "node_modules/m/*.js")).toEqual(["node_modules/m/i.js"]);
    expect(await names(bench, "**/*.js", { include_ignored: true })).toEqual([
      ".env.js",
      "a.js",
      "node_modules/m/i.js",
    ]);
  });
  it("T6: brackets mean a file of that very name too", async () => {
    const bench = withFiles(["app/[id]/page.tsx", "app/i/page.tsx", "app/x/[slug].tsx"]);
    expect(await names(bench, "app/[id]/*.tsx")).toEqual(["app/[id]/page.tsx"]);
    expect(await names(bench, "app/[h-j]/page.tsx")).toEqual(["app/i/page.tsx"]);
    expect(await names(bench, "**/[slug].tsx")).toEqual(["app/x/[slug].tsx"]);
  });
  it("T6: bounded and said", async () => {
    const bench = withFiles(
      Array.from({ length: settings.glob.maxFiles + 20 }, (_, n) => `f${String(n).padStart(4, "0")}`),
    );
    const lines = await names(bench, "**");
    expect(lines.slice(0, -2)).toHaveLength(settings.glob.maxFiles);
    expect(lines.at(-1)).toBe("100 of 120 files shown, the newest. Narrow the pattern.");
  });
  it("T6: sees kept layers", async () => {
    const bench = withFiles(["a.txt"]);
    const layer = scratch("layer");
    mkdirSync(join(layer, "u0/new"), { recursive: true });
    writeFileSync(join(layer, "u0/new/b.txt"), "x");
    utimesSync(join(layer, "u0/new/b.txt"), 500, 500);
    const layered = toolBench({ folder: bench.folder, layers: [layer] });
    expect(await names(layered, "**/*.txt")).toEqual(["a.txt", "new/b.txt"]);
    expect(await names(layered, "new/*")).toEqual(["new/b.txt"]);
  });
  it("P6: hidden files are left out", async () => {
    const bench = withFiles(["a.txt", "secret.txt"], { hidden: (path) => path.endsWith("secret.txt") });
    expect(await names(bench, "*")).toEqual(["a.txt"]);
  });
  it("SEC-9: patterns that lead outside are needs; hidden climbs find nothing", async () => {
    const bench = withFiles(["src/a.ts"]);
    const outside = scratch("outside");
    writeFileSync(join(outside, "CANARY"), "x");
    symlinkSync(outside, join(bench.folder, "d"));
    for (const pattern of ["d/*", `${outside}/*`, `../${outside.split("/").at(-1)}/*`]) {
      expect((await glob(bench, pattern)).needs).toEqual([{ kind: "outside", access: "read", path: outside }]);
    }
    for (const pattern of [`{src,../${outside.split("/").at(-1)}}/*`, "src/**/../../../*", "**/*"]) {
      const called = await glob(bench, pattern);
      expect(called.needs).toEqual([]);
      expect(called.text).not.toContain("CANARY");
    }
  });
  it("T6: circles of links, forty double stars and bombs of braces end", async () => {
    const bench = withFiles(["a/b/c.txt"]);
    symlinkSync("../..", join(bench.folder, "a/b/up"));
    expect(await names(bench, "**/*")).toEqual(["a/b/c.txt"]);
    expect(await names(bench, `${"**/".repeat(40)}*`)).toEqual(["a/b/c.txt"]);
    expect((await glob(bench, "{a,b}".repeat(20))).text).toMatch(/No files match/);
    expect((await glob(bench, "*a".repeat(30))).text).toMatch(/stars in one name/);
  });
  it("L8: nothing found, a missing folder, a folder named", async () => {
    const bench = withFiles(["src/a.ts"]);
    expect(await names(bench, "*.rs")).toEqual([
      'No files match "*.rs". This looks in one folder; "**/*.rs" goes through all below.',
    ]);
    expect((await glob(bench, "*", { path: "nope" })).outcome.status).toBe("error");
    expect(await names(bench, "src")).toEqual(["src/ is a folder: Read lists it."]);
  });
});
