import { mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, it } from "vitest";
import { grepToolWith } from "../../../src/tools/grep.ts";
import { findRipgrep } from "../../../src/tools/ripgrep.ts";
import { spawnSync } from "node:child_process";
import { needs } from "../../support/runnable.ts";
import { scratch } from "../../support/scratch.ts";
import { settings, toolBench, type BenchOptions, type Called, type ToolBench } from "../../support/tool-context.ts";

function withFiles(files: Record<string, string>, options: BenchOptions = {}): ToolBench {
  const bench = toolBench(options);
  write(bench.folder, files);
  return bench;
}
function write(folder: string, files: Record<string, string>): void {
  for (const [name, content] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, name)), { recursive: true });
    writeFileSync(join(folder, name), content, "latin1");
  }
}
/** Makes what an overlay leaves for a deleted file, or says why it can't be made. */
function whiteout(path: string): string | undefined {
  return spawnSync("mknod", [path, "c", "0", "0"]).status === 0 ? undefined : "whiteouts can't be made here";
}
const engines = [
  ["ripgrep", grepToolWith({ ripgrep: findRipgrep })],
  ["the fallback", grepToolWith({ ripgrep: () => Promise.resolve(undefined) })],
] as const;

describe.each(engines)("Grep with %s", (_name, tool) => {
  const grep = (bench: ToolBench, input: Record<string, unknown>): Promise<Called> => bench.call(tool, input);

  it("T6: groups lines by file, sorted by path", async () => {
    const bench = withFiles({ "b.txt": "x1\nno\nx2\n", "a/z.txt": "x\n", "a.txt": "x" });
    expect((await grep(bench, { pattern: "x\\d?" })).text).toBe("a/z.txt\n1:x\n\na.txt\n1:x\n\nb.txt\n1:x1\n3:x2");
  });
  it("T6: names and counts", async () => {
    const bench = withFiles({ "a.txt": "x\nx\n", "b.txt": "x\n", "c.txt": "y" });
    expect((await grep(bench, { pattern: "x", output_mode: "files_with_matches" })).text).toBe("a.txt\nb.txt");
    expect((await grep(bench, { pattern: "x", output_mode: "count" })).text).toBe(
      "a.txt:2\nb.txt:1\n\n3 matches in 2 files.",
    );
  });
  it("T6: lines around a match, gaps marked", async () => {
    const bench = withFiles({ "a.txt": "1\n2\nhit\n4\n5\n6\nhit\n8\n" });
    expect((await grep(bench, { pattern: "hit", "-C": 1 })).text).toBe("a.txt\n2-2\n3:hit\n4-4\n--\n6-6\n7:hit\n8-8");
    expect((await grep(bench, { pattern: "hit", "-B": 1, "-A": 0 })).text).toBe("a.txt\n2-2\n3:hit\n--\n6-6\n7:hit");
  });
  it("T6: ignores case, spans lines, ends lines at CRLF", async () => {
    const bench = withFiles({ "a.txt": "Foo\r\nbar\r\n" });
    expect((await grep(bench, { pattern: "foo$", "-i": true })).text).toBe("a.txt\n1:Foo");
    expect((await grep(bench, { pattern: "o$.*^b", multiline: true })).text).toBe("a.txt\n1:Foo\n2:bar");
    expect((await grep(bench, { pattern: "foo" })).text).toBe('No matches for "foo".');
  });
  it("T6: a pattern without matches is told as it was searched", async () => {
    const bench = withFiles({ "a.txt": "3.0.2" });
    expect((await grep(bench, { pattern: "3\\.0\\.3" })).text).toBe('No matches for "3\\.0\\.3".');
    expect((await grep(bench, { pattern: "a\nb", multiline: true })).text).toBe('No matches for "a\\nb".');
  });
  it("T6: a glob narrows by name anywhere, by path, or turned round; it does not lift .gitignore", async () => {
    const bench = withFiles({
      ".gitignore": "*.log\n",
      "a.ts": "x",
      "src/b.ts": "x",
      "src/c.md": "x",
      "src/d.log": "x",
    });
    const names = async (glob: string, more = {}): Promise<string> =>
      (await grep(bench, { pattern: "x", glob, output_mode: "files_with_matches", ...more })).text;
    expect(await names("*.ts")).toBe("a.ts\nsrc/b.ts");
    expect(await names("src/**/*.{ts,md}")).toBe("src/b.ts\nsrc/c.md");
    expect(await names("!*.ts")).toBe("src/c.md");
    expect(await names("*.log")).toBe('No matches for "x".');
    expect(await names("*.log", { include_ignored: true })).toBe("src/d.log");
    expect(await names("src/*.ts", { path: "src" })).toBe("src/b.ts");
    expect(await names("*.ts", { path: "src" })).toBe("src/b.ts");
  });
  it("T6: .gitignore files count at every level, with and without a repository, from above too; a path below an ignored folder is searched", async () => {
    const files = {
      ".gitignore": "out/\n/top.txt\n",
      "pkg/.gitignore": "*.tmp\n!keep.tmp\n",
      "pkg/a.tmp": "x",
      "pkg/keep.tmp": "x",
      "out/o.txt": "x",
      "top.txt": "x",
      "pkg/top.txt": "x",
    };
    const names = async (bench: ToolBench, more = {}): Promise<string> =>
      (await grep(bench, { pattern: "^x$", output_mode: "files_with_matches", ...more })).text;
    const bench = withFiles(files);
    expect(await names(bench)).toBe("pkg/keep.tmp\npkg/top.txt");
    expect(await names(bench, { path: "pkg" })).toBe("pkg/keep.tmp\npkg/top.txt");
    expect(await names(bench, { path: "out" })).toBe("out/o.txt");
    const repository = withFiles({ ...files, ".git/HEAD": "x", ".git/info/exclude": "pkg/top.txt\n" });
    expect(await names(repository)).toBe("pkg/keep.tmp");
    const folder = join(repository.folder, "pkg");
    const inner = toolBench({ folder });
    write(folder, { "out/x.txt": "x" });
    expect(await names(inner)).toBe("keep.tmp");
  });
  it("T6: the nearest ignore file decides, and a repository inside starts anew", async () => {
    const bench = withFiles({
      ".gitignore": "*.log\n",
      "sub/.gitignore": "!keep.log\n",
      "sub/keep.log": "hit",
      "sub/other.log": "hit",
      "inner/.git/HEAD": "hit",
      "inner/a.log": "hit",
      ".git/HEAD": "ref",
    });
    const called = await grep(bench, { pattern: "hit", output_mode: "files_with_matches" });
    expect(called.text).toBe("inner/a.log\nsub/keep.log");
  });
  it("SEC-9: an ignore file above a folder without a repository has no say", async () => {
    const above = scratch("above");
    write(above, { ".gitignore": "*\n", "p/sub/a.txt": "x" });
    const bench = toolBench({ folder: join(above, "p") });
    const repository = scratch("repository");
    write(repository, { ".gitignore": "*\n", "p/.git/HEAD": "ref", "p/a.txt": "x" });
    expect((await grep(toolBench({ folder: join(repository, "p") }), { pattern: "x" })).text).toBe("a.txt\n1:x");
    expect((await grep(bench, { pattern: "x" })).text).toBe("sub/a.txt\n1:x");
    expect((await grep(bench, { pattern: "x", path: "sub" })).text).toBe("sub/a.txt\n1:x");
  });
  it("T6: sees kept layers: what they add, replace and delete", async (ctx) => {
    const bench = withFiles({ ".gitignore": "dist/\n", "a.txt": "x old\n", "b.txt": "x gone\n", "c.txt": "x stays\n" });
    const layer = scratch("layer");
    write(layer, { "u0/a.txt": "x new\n", "u0/src/n.txt": "x added\n", "u0/dist/o.txt": "x built\n" });
    needs(ctx, whiteout(join(layer, "u0/b.txt")));
    const layered = toolBench({ folder: bench.folder, layers: [layer] });
    expect((await grep(layered, { pattern: "x" })).text).toBe(
      "a.txt\n1:x new\n\nc.txt\n1:x stays\n\nsrc/n.txt\n1:x added",
    );
    expect((await grep(layered, { pattern: "x", path: "src" })).text).toBe("src/n.txt\n1:x added");
    expect((await grep(layered, { pattern: "built", path: "dist" })).text).toBe("dist/o.txt\n1:x built");
    expect((await grep(layered, { pattern: "x", path: "src/n.txt" })).text).toBe("src/n.txt\n1:x added");
    expect((await grep(layered, { pattern: "built", include_ignored: true })).text).toBe("dist/o.txt\n1:x built");
  });
  it("T6: bounded, and says what was left out", async () => {
    const bench = withFiles({ "a.txt": "x\n".repeat(300), "b.txt": "x\n".repeat(300) });
    const called = await grep(bench, { pattern: "x" });
    expect(called.text.split("\n").filter((line) => /^\d+:x$/.test(line))).toHaveLength(settings.grep.maxMatches);
    expect(called.text).toMatch(/\n\n100 of 600 matching lines in 2 files shown\. Narrow/);
    expect((await grep(bench, { pattern: "x", output_mode: "files_with_matches", head_limit: 1 })).text).toMatch(
      /^a\.txt\n\n1 of 2 files shown/,
    );
  });
  it("T6: a long line is cut around the match", async () => {
    const bench = withFiles({ "m.js": `${"a".repeat(300_000)}NEEDLE${"b".repeat(300_000)}\n` });
    const { text } = await grep(bench, { pattern: "NEEDLE" });
    expect(text).toMatch(/^m\.js\n1:\[299,880 characters\]…a+NEEDLEb+…\[[\d,]+ characters\]$/);
    expect(text.length).toBeLessThan(600);
  });
  it("T6: binary files and links are left out, hidden files searched, .git never", async () => {
    const bench = withFiles({ "a.bin": "x\0x", ".env": "x", ".git/config": "x", "sub/.git": "x" });
    const outside = scratch("outside");
    writeFileSync(join(outside, "o.txt"), "x");
    symlinkSync(outside, join(bench.folder, "d"));
    expect((await grep(bench, { pattern: "x" })).text).toBe(".env\n1:x");
  });
  it("P6: files that a deny rule hides give no results", async () => {
    const bench = withFiles({ "open.txt": "x", "secret.txt": "x" }, { hidden: (path) => path.endsWith("secret.txt") });
    expect((await grep(bench, { pattern: "x" })).text).toBe("open.txt\n1:x");
    expect((await grep(bench, { pattern: "x", path: "secret.txt" })).outcome.status).toBe("error");
  });
  it("SEC-9: a search outside is a need", async () => {
    const bench = toolBench();
    const outside = scratch("outside");
    writeFileSync(join(outside, "o.txt"), "x");
    const called = await grep(bench, { pattern: "x", path: outside });
    expect(called.needs).toEqual([{ kind: "outside", access: "read", path: outside }]);
    expect(called.text).toBe(`${outside}/o.txt\n1:x`);
    symlinkSync(join(outside, "o.txt"), join(bench.folder, "link"));
    expect((await grep(bench, { pattern: "x", path: "link" })).needs).toHaveLength(1);
  });
  it("L8: wrong patterns and paths are told", async () => {
    const bench = withFiles({ "a.txt": "x" });
    expect((await grep(bench, { pattern: "f(" })).text).toMatch(/no valid regular expression: .*unclosed group/);
    expect((await grep(bench, { pattern: "x", path: "nope" })).text).toBe("No nope.");
    expect((await grep(bench, { pattern: "x", glob: "*a*b*c*d*e*f*g*" })).text).toMatch(/^glob: .*stars/);
  });
  it("T6: a hostile pattern ends", async () => {
    const bench = withFiles({ "a.txt": `${"a".repeat(40)}!\n` });
    const quick =
      _name === "ripgrep" ? tool : grepToolWith({ ripgrep: () => Promise.resolve(undefined), scriptMs: 300 });
    const called = await bench.call(quick, { pattern: "(a+)+$" });
    expect(called.text).toMatch(/No matches|took longer than/);
  });
});

describe("Grep", () => {
  it("SEC-9: a ripgrep configuration in the environment or the folder is not read", async () => {
    const bench = withFiles({ "a.txt": "x", rc: "--files\n" });
    process.env["RIPGREP_CONFIG_PATH"] = join(bench.folder, "rc");
    try {
      expect((await bench.call("Grep", { pattern: "x", path: "a.txt" })).text).toBe("a.txt\n1:x");
    } finally {
      delete process.env["RIPGREP_CONFIG_PATH"];
    }
  });
  it("L8: a type narrows, an unknown one is told", async () => {
    const bench = withFiles({ "a.ts": "x", "a.py": "x" });
    expect((await bench.call("Grep", { pattern: "x", type: "py" })).text).toBe("a.py\n1:x");
    expect((await bench.call("Grep", { pattern: "x", type: "zzz" })).text).toMatch(/unrecognized file type: zzz/);
  });
  it("S7: an interrupted search ends", async () => {
    const bench = withFiles({ "a.ts": "x" }, { signal: AbortSignal.abort() });
    expect((await bench.call("Grep", { pattern: "x" })).outcome.status).toBe("interrupted");
  });
});
