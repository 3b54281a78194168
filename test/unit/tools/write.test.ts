import { chmodSync, mkdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { scratch } from "../../support/scratch.ts";
import { toolBench, type ToolBench } from "../../support/tool-context.ts";

const textOf = (bench: ToolBench, name: string): string => readFileSync(join(bench.folder, name), "utf8");

describe("Write", () => {
  it("T1: makes a file and its folders, and touches nothing itself", async () => {
    const bench = toolBench();
    const called = await bench.call("Write", { file_path: "src/deep/a.ts", content: "x\n" }, false);
    expect(called.outcome.changes?.operationId).toBe("op_1");
    expect(() => textOf(bench, "src/deep/a.ts")).toThrow();
    expect(called.needs).toEqual([{ kind: "change", paths: ["src/deep/a.ts"] }]);
    expect((await bench.call("Write", { file_path: "src/deep/a.ts", content: "x\n" })).text).toBe(
      "Made src/deep/a.ts (2 bytes).",
    );
    expect(textOf(bench, "src/deep/a.ts")).toBe("x\n");
  });
  it("T4: an existing file must have been read, and be as it was", async () => {
    const bench = toolBench();
    writeFileSync(join(bench.folder, "a.txt"), "old");
    expect((await bench.call("Write", { file_path: "a.txt", content: "new" })).text).toMatch(/^Read a\.txt first/);
    await bench.call("Read", { file_path: "a.txt" });
    writeFileSync(join(bench.folder, "a.txt"), "person's");
    expect((await bench.call("Write", { file_path: "a.txt", content: "new" })).text).toMatch(
      /changed since it was read/,
    );
    expect(textOf(bench, "a.txt")).toBe("person's");
  });
  it("T4: of a file that was read in part the rest is not overwritten, until all of it was read", async () => {
    const bench = toolBench();
    const lines = Array.from({ length: 30 }, (_, n) => `line ${n + 1}\n`);
    writeFileSync(join(bench.folder, "a.txt"), lines.join(""));
    const write = async (): Promise<string> =>
      (await bench.call("Write", { file_path: "a.txt", content: "short\n" })).text;
    await bench.call("Read", { file_path: "a.txt", limit: 10 });
    expect(await write()).toMatch(/^Only a part of a\.txt was read/);
    await bench.call("Read", { file_path: "a.txt", offset: 21, limit: 10 });
    expect(await write()).toMatch(/^Only a part/);
    await bench.call("Edit", { file_path: "a.txt", old_string: "line 1\n", new_string: "line one\n" });
    expect(await write()).toMatch(/^Only a part/);
    await bench.call("Read", { file_path: "a.txt", offset: 1, limit: 12 });
    await bench.call("Read", { file_path: "a.txt", offset: 20, limit: 11 });
    await bench.call("Read", { file_path: "a.txt", offset: 10, limit: 10 });
    await bench.call("Read", { file_path: "a.txt", offset: 3, limit: 2 });
    expect(await write()).toMatch(/^Replaced a\.txt/);
    expect(textOf(bench, "a.txt")).toBe("short\n");
  });
  it("T4: keeps mode, mark and line ends of the file that it replaces, and says so", async () => {
    const bench = toolBench();
    writeFileSync(join(bench.folder, "a.sh"), "\uFEFFa\r\nb\r\n");
    chmodSync(join(bench.folder, "a.sh"), 0o755);
    await bench.call("Read", { file_path: "a.sh" });
    const called = await bench.call("Write", { file_path: "a.sh", content: "a\nc\n" });
    expect(called.text).toMatch(/kept: CRLF line ends, byte order mark/);
    expect(textOf(bench, "a.sh")).toBe("\uFEFFa\r\nc\r\n");
    expect(statSync(join(bench.folder, "a.sh")).mode & 0o777).toBe(0o755);
  });
  it("says when there is nothing to change", async () => {
    const bench = toolBench();
    await bench.call("Write", { file_path: "a.txt", content: "same" });
    const called = await bench.call("Write", { file_path: "a.txt", content: "same" });
    expect(called.text).toMatch(/already has exactly this content/);
    expect(called.outcome.changes).toBeUndefined();
  });
  it("L8: folders, endless names and half letters are told", async () => {
    const bench = toolBench();
    mkdirSync(join(bench.folder, "src"));
    const text = async (file_path: string, content = "x"): Promise<string> =>
      (await bench.call("Write", { file_path, content })).text;
    expect(await text("src")).toMatch(/not a regular file: it is a folder/);
    expect(await text("src/")).toMatch(/names a folder/);
    expect(await text("x".repeat(300))).toMatch(/names end at 255/);
    expect(await text("a.txt", "\uD800")).toMatch(/half of a character pair/);
    writeFileSync(join(bench.folder, "f"), "x");
    expect((await bench.call("Write", { file_path: "f/g", content: "x" }, false)).text).toMatch(
      /f.* is a file, not a folder/,
    );
  });
  it("SEC-9 T1: links out of the folder, dangling ones too, are refused without a question, with what can be done", async () => {
    const bench = toolBench();
    const outside = scratch("outside");
    symlinkSync(join(outside, "MARK"), join(bench.folder, "new.txt"));
    symlinkSync(outside, join(bench.folder, "d"));
    for (const file_path of ["new.txt", "d/sub/MARK", join(outside, "MARK"), `${bench.folder}-evil/MARK`]) {
      const called = await bench.call("Write", { file_path, content: "x" });
      expect(called.needs.map((need) => need.kind)).toEqual(["change"]);
      expect(called.text).toMatch(/outside the folder, and nothing was asked.*Bash and outside/);
      expect(called.outcome.status).toBe("error");
      expect(called.outcome.changes).toBeUndefined();
    }
  });
});

describe("Delete", () => {
  it("T1: a file, a link alone, a folder only when told", async () => {
    const bench = toolBench();
    mkdirSync(join(bench.folder, "d"));
    writeFileSync(join(bench.folder, "d/a.txt"), "x");
    symlinkSync("d/a.txt", join(bench.folder, "link"));
    expect((await bench.call("Delete", { file_path: "link" })).text).toBe("Deleted link link.");
    expect(textOf(bench, "d/a.txt")).toBe("x");
    const refused = await bench.call("Delete", { file_path: "d" });
    expect(refused.text).toMatch(/folder with 1 entry\. Set recursive/);
    const called = await bench.call("Delete", { file_path: "d", recursive: true });
    expect(called.text).toBe("Deleted folder d.");
    expect(called.needs).toEqual([{ kind: "change", paths: ["d"] }]);
    expect(() => textOf(bench, "d/a.txt")).toThrow();
  });
  it("L8: what is not there, and the folder itself", async () => {
    const bench = toolBench();
    writeFileSync(join(bench.folder, "notes.md"), "x");
    expect((await bench.call("Delete", { file_path: "note.md" })).text).toBe("No note.md. Near: notes.md.");
    expect((await bench.call("Delete", { file_path: "." })).text).toMatch(/folder itself can't be deleted/);
    expect((await bench.call("Delete", { file_path: ".." })).text).toMatch(/folder itself can't be deleted/);
  });
  it("SEC-9: through a linked folder it asks nothing and deletes nothing", async () => {
    const bench = toolBench();
    const outside = scratch("outside");
    writeFileSync(join(outside, "keep.txt"), "x");
    symlinkSync(outside, join(bench.folder, "d"));
    const called = await bench.call("Delete", { file_path: "d/keep.txt" });
    expect(called.needs.map((need) => need.kind)).toEqual(["change"]);
    expect(called.outcome.status).toBe("error");
    expect(readFileSync(join(outside, "keep.txt"), "utf8")).toBe("x");
  });
});
