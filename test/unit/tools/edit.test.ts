import { chmodSync, readFileSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import iconv from "iconv-lite";
import { describe, expect, it } from "vitest";
import { editTool } from "../../../src/tools/edit.ts";
import { hashOf } from "../../../src/tools/text-file.ts";
import { scratch } from "../../support/scratch.ts";
import { toolBench, type Called, type ToolBench } from "../../support/tool-context.ts";

/** A file that was read, ready to be edited. */
async function withFile(content: string | Uint8Array, name = "a.txt"): Promise<ToolBench> {
  const bench = toolBench();
  writeFileSync(join(bench.folder, name), content);
  await bench.call("Read", { file_path: name });
  return bench;
}
const edit = (bench: ToolBench, old_string: string, new_string: string, more = {}): Promise<Called> =>
  bench.call("Edit", { file_path: "a.txt", old_string, new_string, ...more });
const bytesOf = (bench: ToolBench, name = "a.txt"): Buffer => readFileSync(join(bench.folder, name));

/** What an edit makes of a file's content. */
async function edited(before: string, old_string: string, new_string: string): Promise<string> {
  const bench = await withFile(before);
  const called = await edit(bench, old_string, new_string);
  return called.outcome.status === "ok" ? bytesOf(bench).toString("utf8") : called.text;
}

describe("Edit keeps what it was not asked to change", () => {
  it("T4: finds text given with LF in CRLF files and ends new lines as the file does", async () => {
    expect(await edited("a\r\nb\r\nc\r\n", "a\nb", "a\nnew\nb2")).toBe("a\r\nnew\r\nb2\r\nc\r\n");
    expect(await edited("one\r\ntwo\r\n", "one", "one\nand a half")).toBe("one\r\nand a half\r\ntwo\r\n");
  });
  it("T4: in a file of mixed line ends every untouched line keeps its own", async () => {
    expect(await edited("a\r\nb\nc\r\nd\n", "a\nb\nc\nd\n", "A\nb\nc\nD\n")).toBe("A\r\nb\nc\r\nD\n");
    expect(await edited("a\r\nb\nc\n", "b", "b\nx")).toBe("a\r\nb\nx\nc\n");
    expect(await edited("a\nb\r\nc\n", "b", "b\nx")).toBe("a\nb\r\nx\r\nc\n");
  });
  it("T4: a file whose lines end in CR alone stays so", async () => {
    expect(await edited("a\rb\rc", "a\nb", "a\nx\nb")).toBe("a\rx\rb\rc");
  });
  it("T4: a lone CR inside a line is a letter like others", async () => {
    expect(await edited("a\rb\nc\n", "a\rb", "a\rB")).toBe("a\rB\nc\n");
  });
  it("T4: keeps the byte order mark and the final newline, or its absence", async () => {
    expect(await edited("\uFEFFa=1\nb=2", "b=2", "b=3")).toBe("\uFEFFa=1\nb=3");
    expect(await edited("a=1\n", "a=1", "a=2")).toBe("a=2\n");
  });
  it("T4: keeps the file's mode", async () => {
    const bench = await withFile("echo 1\n");
    chmodSync(join(bench.folder, "a.txt"), 0o750);
    await edit(bench, "1", "2");
    expect(statSync(join(bench.folder, "a.txt")).mode & 0o7777).toBe(0o750);
  });
  it("T4: $ has no meaning, with replace_all neither", async () => {
    expect(await edited("x", "x", "$& $1 $$ $` $'")).toBe("$& $1 $$ $` $'");
    const bench = await withFile("x x");
    await edit(bench, "x", "$&", { replace_all: true });
    expect(bytesOf(bench).toString()).toBe("$& $&");
  });
  it("T4: edits through a link change the file that it leads to, not the link", async () => {
    const bench = await withFile("one\n");
    symlinkSync("a.txt", join(bench.folder, "link.txt"));
    await bench.call("Read", { file_path: "link.txt" });
    await bench.call("Edit", { file_path: "link.txt", old_string: "one", new_string: "two" });
    expect(bytesOf(bench).toString()).toBe("two\n");
    expect(bytesOf(bench, "link.txt").toString()).toBe("two\n");
  });
});

describe("Edit and encodings", () => {
  it.each([
    ["utf-16le", Buffer.from([0xff, 0xfe])],
    ["utf-16be", Buffer.from([0xfe, 0xff])],
    ["utf-32le", Buffer.from([0xff, 0xfe, 0, 0])],
  ])("T4: %s with its mark", async (name, mark) => {
    const write = (text: string): Buffer => Buffer.concat([mark, iconv.encode(text, name, { addBOM: false })]);
    const bench = await withFile(write("größe = 1\r\nende\r\n"));
    expect((await edit(bench, "größe = 1\nende", "größe = 2 €\nende")).outcome.status).toBe("ok");
    expect(bytesOf(bench).equals(write("größe = 2 €\r\nende\r\n"))).toBe(true);
  });
  it.each(["shift_jis", "euc-jp", "gb18030", "euc-kr", "koi8-r", "windows-1251"])(
    "T4: %s text takes new letters of its own",
    async (name) => {
      const words: Record<string, string> = {
        koi: "Привет, это проверка.",
        win: "Привет, это проверка.",
        gb1: "你好，这是一个测试。",
      };
      const text =
        words[name.slice(0, 3)] ?? (name === "euc-kr" ? "안녕하세요 이것은 시험입니다." : "これは日本語のテストです。");
      const bench = await withFile(iconv.encode(`${text}\n`.repeat(20) + "name=abc\n", name));
      const called = await edit(bench, "name=abc", `name=${text.slice(0, 3)}`);
      expect(called.text).toMatch(/^Edited/);
      expect(bytesOf(bench).equals(iconv.encode(`${text}\n`.repeat(20) + `name=${text.slice(0, 3)}\n`, name))).toBe(
        true,
      );
    },
  );
  it("T4: names the letters that an encoding can't hold, and changes nothing", async () => {
    const before = iconv.encode(`${"Привет, это проверка.\n".repeat(20)}x\n`, "windows-1251");
    const bench = await withFile(before);
    const called = await edit(bench, "x", "日");
    expect(called.outcome.status).toBe("error");
    expect(called.text).toMatch(/windows-1251, which can't hold "日" \(U\+65E5\)/);
    expect(bytesOf(bench).equals(before)).toBe(true);
  });
  it("T4: where the encoding is a guess, only letters that the file uses already are written", async () => {
    const bench = await withFile(Buffer.from("x = \xe9\n", "latin1"));
    const refused = await edit(bench, "x", "ö");
    expect(refused.text).toMatch(/only a guess, so "ö" \(U\+00F6\)/);
    expect((await edit(bench, "x = é", "y = éé")).outcome.status).toBe("ok");
    expect(bytesOf(bench).toString("latin1")).toBe("y = \xe9\xe9\n");
  });
  it("T4: stray bytes in UTF-8 stay, and text around them can be edited", async () => {
    const bench = await withFile(
      Buffer.from("caf\xc3\xa9 na\xc3\xafve \xc3\xbc\xc3\xa4\xc3\xb6\xc3\xb1 \xff\xfe end\nx=1\n", "latin1"),
    );
    expect((await edit(bench, "café", "CAFÉ")).outcome.status).toBe("ok");
    const after = Buffer.from(
      "CAF\xc3\x89 na\xc3\xafve \xc3\xbc\xc3\xa4\xc3\xb6\xc3\xb1 \xff\xfe end\nx=1\n",
      "latin1",
    );
    expect(bytesOf(bench).equals(after)).toBe(true);
  });
  it("T4: half of a character pair is refused, as it would become a stray byte", async () => {
    const bench = await withFile("x é\n");
    const called = await edit(bench, "x", "\uDC80");
    expect(called.text).toMatch(/can't hold U\+DC80/);
  });
  it("T4: a binary file is refused", async () => {
    const bench = toolBench();
    writeFileSync(join(bench.folder, "a.txt"), Buffer.from([0, 1, 2, 3, 0, 5, 9]));
    expect((await bench.call("Read", { file_path: "a.txt" })).outcome.touched).toBeUndefined();
    const path = join(bench.folder, "a.txt");
    bench.touched.set(path, { path, hash: hashOf(bytesOf(bench)), how: "read" });
    expect((await edit(bench, "a", "b")).text).toBe("a.txt is binary (7 bytes): use Bash.");
  });
});

describe("Edit refuses", () => {
  it("T4: every place of a text in a file that was not read", async () => {
    const bench = toolBench();
    writeFileSync(join(bench.folder, "a.txt"), "x x");
    const called = await bench.call("Edit", {
      file_path: "a.txt",
      old_string: "x",
      new_string: "y",
      replace_all: true,
    });
    expect(called.text).toBe("Read a.txt first: it was not read in this session (what Bash printed does not count).");
  });
  it("T4: a file that an undo changed since it was read, whatever the text", async () => {
    const bench = await withFile("x1");
    const path = join(bench.folder, "a.txt");
    // As the fold leaves it.
    bench.touched.set(path, { path, hash: "", how: "read" });
    expect((await edit(bench, "x1", "y")).text).toMatch(/changed since it was read .*an undo/);
  });
  it("T4: a file that changed since, also when its size and time are the same", async () => {
    const bench = await withFile("x1");
    const { atime, mtime } = statSync(join(bench.folder, "a.txt"));
    writeFileSync(join(bench.folder, "a.txt"), "x2");
    const { utimesSync } = await import("node:fs");
    utimesSync(join(bench.folder, "a.txt"), atime, mtime);
    expect((await edit(bench, "x", "y")).text).toMatch(/changed since it was read/);
  });
  it("T4: text that is not there, naming the nearest and its line", async () => {
    const bench = await withFile("alpha\nconst limit = 10;\nomega\n");
    const called = await edit(bench, "const limits = 10;", "x");
    expect(called.text).toBe("old_string is not in the file. Nearest, line 2:\nconst limit = 10;");
    expect(called.outcome.changes).toBeUndefined();
  });
  it("T4: text that is not unique, naming the lines; overlapping places count", async () => {
    const bench = await withFile("a\nb\na\n");
    expect((await edit(bench, "a", "c")).text).toMatch(/2 times, at lines 1, 3\..*replace_all/);
    expect((await edit(await withFile("aaa"), "aa", "b")).text).toMatch(/2 times/);
  });
  it("T4: identical and empty text", async () => {
    const bench = await withFile("a\r\n");
    expect((await edit(bench, "a", "a")).text).toMatch(/identical/);
    expect((await edit(bench, "a\n", "a\r\n")).text).toMatch(/line ends alone/);
    expect((await edit(bench, "", "x")).text).toMatch(/use Write/);
  });
  it("L8: a file that is not there, naming what is near", async () => {
    const bench = await withFile("x", "abc.tsx");
    const called = await bench.call("Edit", { file_path: "abc.ts", old_string: "x", new_string: "y" });
    expect(called.text).toMatch(/^No abc\.ts\. Near: abc\.tsx\./);
  });
  it("T4: a result that would grow without bound", async () => {
    const bench = await withFile("a".repeat(5000));
    expect((await edit(bench, "a", "x".repeat(5_000_000), { replace_all: true })).text).toMatch(/would grow beyond/);
  });
});

describe("Edit with several replacements", () => {
  it("T4: names the lines where they stand afterwards", async () => {
    const bench = await withFile("a\nb\nc\nd\n");
    const edits = [
      { old_string: "c", new_string: "c1\nc2" },
      { old_string: "a\n", new_string: "a1\na2\na3\n" },
      { old_string: "d", new_string: "D" },
    ];
    expect((await bench.call("Edit", { file_path: "a.txt", edits })).text).toBe(
      "Edited a.txt: 3 places, lines 5-6, 1-3, 7.",
    );
    expect((await edit(bench, "b\n", "b1\nb2\n")).text).toBe("Edited a.txt: 1 place, lines 4-5.");
  });
  it("T4: a file that was not read may be edited by a text that is there once; the rest of it stays unread", async () => {
    const bench = toolBench();
    writeFileSync(join(bench.folder, "a.txt"), "x y");
    const called = await edit(bench, "x", "z");
    expect([called.text, called.outcome.touched]).toEqual([
      "Edited a.txt: 1 place, line 1.",
      [expect.objectContaining({ how: "written", partial: true })],
    ]);
  });
  it("T1: applies them in order, each on what the one before left", async () => {
    const bench = await withFile("one two\n");
    const edits = [
      { old_string: "one", new_string: "1" },
      { old_string: "1 two", new_string: "1 2" },
    ];
    expect((await bench.call("Edit", { file_path: "a.txt", edits })).text).toBe("Edited a.txt: 2 places, lines 1, 1.");
    expect(bytesOf(bench).toString()).toBe("1 2\n");
  });
  it("T4: all or none", async () => {
    const bench = await withFile("one two\n");
    const edits = [
      { old_string: "one", new_string: "1" },
      { old_string: "three", new_string: "3" },
    ];
    const called = await bench.call("Edit", { file_path: "a.txt", edits });
    expect(called.text).toMatch(/^Edit 2 of 2: old_string is not in the file/);
    expect(called.outcome.changes).toBeUndefined();
    expect(bytesOf(bench).toString()).toBe("one two\n");
  });
  it("L8: a wrong input names its field", () => {
    const paths = (input: unknown): unknown =>
      editTool.input.safeParse(input).error?.issues.map((i) => i.path.join("."));
    expect(paths({ file_path: "a", old_string: "x" })).toEqual(["new_string"]);
    expect(paths({ file_path: "a", edits: [{ old_string: "x", new_string: "y" }], old_string: "x" })).toEqual([
      "old_string",
    ]);
    expect(paths({ file_path: "a", edits: [{ old_string: "x" }] })).toEqual(["edits.0.new_string"]);
    expect(paths({ old_string: "a", new_string: "b" })).toEqual(["file_path"]);
  });
});

describe("Edit's needs", () => {
  it("P1: it says that it would change the folder, before it runs", async () => {
    const bench = await withFile("x");
    expect((await edit(bench, "x", "y")).needs).toEqual([{ kind: "change", paths: ["a.txt"] }]);
  });
  it("SEC-9: through a link out of the folder nothing is asked, read out or written", async () => {
    const bench = toolBench();
    const outside = scratch("outside");
    writeFileSync(join(outside, "secret.txt"), "CANARY\n");
    symlinkSync(join(outside, "secret.txt"), join(bench.folder, "a.txt"));
    const called = await edit(bench, "CANARY", "GONE");
    expect(called.needs.map((need) => need.kind)).toEqual(["change"]);
    expect(called.text).not.toContain("CANARY");
    expect(called.text).toMatch(/outside the folder/);
    expect(readFileSync(join(outside, "secret.txt"), "utf8")).toBe("CANARY\n");
  });
});
