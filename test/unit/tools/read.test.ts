import { createHash } from "node:crypto";
import { closeSync, ftruncateSync, mkdirSync, openSync, symlinkSync, writeFileSync, writeSync } from "node:fs";
import { join } from "node:path";
import iconv from "iconv-lite";
import { describe, expect, it } from "vitest";
import { scratch } from "../../support/scratch.ts";
import { settings, toolBench, type Called, type ToolBench } from "../../support/tool-context.ts";

const read = (bench: ToolBench, file_path: string, more = {}): Promise<Called> =>
  bench.call("Read", { file_path, ...more });
function withFile(content: string | Uint8Array, name = "a.txt", options = {}): ToolBench {
  const bench = toolBench(options);
  writeFileSync(join(bench.folder, name), content);
  return bench;
}
const numbers = (n: number): string => Array.from({ length: n }, (_, k) => `line ${k + 1}\n`).join("");

describe("Read: text", () => {
  it("T3: lines with their numbers, and the hash of what was read", async () => {
    const called = await read(withFile("one\n\ttwo\n"), "a.txt");
    expect(called.text).toBe("1\tone\n2\t\ttwo");
    expect(called.needs).toEqual([]);
    const hash = createHash("sha256").update("one\n\ttwo\n").digest("hex");
    expect(called.outcome.touched).toEqual([expect.objectContaining({ hash, how: "read" })]);
  });
  it("T5: a range says where it stands and how to go on", async () => {
    const bench = withFile(numbers(10));
    expect((await read(bench, "a.txt", { offset: 3, limit: 2 })).text).toBe(
      "3\tline 3\n4\tline 4\n\nLines 3-4 of 10. Next: offset 5.",
    );
    expect((await read(bench, "a.txt", { offset: 9 })).text).toBe("9\tline 9\n10\tline 10\n\nLines 9-10 of 10.");
    const behind = await read(bench, "a.txt", { offset: 11 });
    expect(behind.outcome.status).toBe("error");
    expect(behind.text).toMatch(/has 10 lines; offset 11/);
  });
  it("T5: no more lines and letters than the settings say", async () => {
    const few = { settings: { read: { ...settings.read, maxLines: 3 } } };
    expect((await read(withFile(numbers(10), "a.txt", few), "a.txt", { limit: 9 })).text).toMatch(
      /Lines 1-3 of 10\. Next: offset 4\.$/,
    );
    const short = { settings: { read: { ...settings.read, maxChars: 40 } } };
    expect((await read(withFile(numbers(10), "a.txt", short), "a.txt")).text).toMatch(
      /Lines 1-4 of 10\. Next: offset 5\.$/,
    );
  });
  it("T5: a long line is cut and said, its end is not lost to the count", async () => {
    const called = await read(withFile(`${"x".repeat(5000)}\nlast`), "a.txt");
    expect(called.text).toContain("… [3,000 more characters]\n2\tlast");
    expect(called.text).toMatch(/longer than 2000 characters are cut/);
  });
  it("T5: an empty file, a last line without end, CRLF and old Mac line ends", async () => {
    expect((await read(withFile(""), "a.txt")).text).toBe("a.txt is empty (0 bytes).");
    expect((await read(withFile("a\r\nb"), "a.txt")).text).toBe("1\ta\n2\tb");
    expect((await read(withFile("a\rb\r"), "a.txt")).text).toBe("1\ta\n2\tb");
    expect((await read(withFile("\n\n"), "a.txt")).text).toBe("1\t\n2\t");
  });
  it.each(["utf-16le", "utf-16be", "shift_jis", "gb18030", "windows-1251", "euc-kr"])("T5: %s", async (name) => {
    const words: Record<string, string> = {
      shift_jis: "これは日本語のテストです。",
      gb18030: "你好，这是一个测试。",
      "euc-kr": "안녕하세요 이것은 시험입니다.",
    };
    const text = words[name] ?? "Привет, это проверка.";
    const bench = withFile(iconv.encode(`${text}\n`.repeat(30), name, { addBOM: name.startsWith("utf") }));
    const called = await read(bench, "a.txt", { limit: 1 });
    expect(called.text).toMatch(new RegExp(`^1\t${text}\n`));
    expect(called.text).toMatch(/Encoding: [\w-]+\.$/);
  });
  it("T5: UTF-16 without a mark is known by its zeros", async () => {
    expect((await read(withFile(iconv.encode("plain words\n", "utf-16le")), "a.txt")).text).toMatch(
      /^1\tplain words\n/,
    );
  });
  it("T5: letters cut by the edge of a chunk come out whole", async () => {
    const text = `${"é".repeat(150)}\n`.repeat(2000);
    const called = await read(withFile(Buffer.concat([Buffer.from("x"), Buffer.from(text)])), "a.txt", {
      offset: 860,
      limit: 100,
    });
    expect(called.text).not.toContain("\uFFFD");
  });
  it("T5: binary is said, not dumped", async () => {
    const called = await read(withFile(Buffer.from([0x7f, 0x45, 0x4c, 0x46, 0, 0, 1, 2])), "a.txt");
    expect(called.outcome.status).toBe("error");
    expect(called.text).toBe(
      "a.txt is binary (8 bytes, begins 7f 45 4c 46 00 00 01 02): not shown. Use Bash (file, xxd, strings) to look into it.",
    );
  });
  it("T5: a huge file is read by range, in bounded memory", async () => {
    const bench = toolBench();
    const fd = openSync(join(bench.folder, "big.txt"), "w");
    const block = Buffer.from("0123456789abcde\n".repeat(1 << 16));
    for (let n = 0; n < 300; n++) writeSync(fd, block);
    closeSync(fd);
    const before = process.memoryUsage().rss;
    const called = await read(bench, "big.txt", { offset: 19_000_000, limit: 2 });
    expect(called.text).toMatch(
      /^19000000\t0123456789abcde\n19000001\t.*\n\nLines 19000000-19000001 of 19,660,800\. Next: offset 19000002\.$/,
    );
    expect(called.outcome.touched).toEqual([]);
    const head = await read(bench, "big.txt", { limit: 1 });
    expect(head.text).toMatch(/^1\t0123456789abcde\n\nLines 1-1 of more than [\d,]+\. Next: offset 2\.$/);
    expect(process.memoryUsage().rss - before).toBeLessThan(150 << 20);
  });
  it("T5: three gigabytes of nothing are binary at once", async () => {
    const bench = toolBench();
    const fd = openSync(join(bench.folder, "big.bin"), "w");
    ftruncateSync(fd, 3 * 2 ** 30);
    closeSync(fd);
    expect((await read(bench, "big.bin")).text).toMatch(/is binary/);
  });
  it("S7: a read that is interrupted ends", async () => {
    const bench = withFile(numbers(10), "a.txt", { signal: AbortSignal.abort() });
    expect((await read(bench, "a.txt")).outcome.status).toBe("interrupted");
  });
});

describe("Read: other kinds", () => {
  it("T5: folders list their entries, hidden ones left out", async () => {
    const bench = toolBench({ hidden: (path) => path.endsWith("/secret.txt") });
    mkdirSync(join(bench.folder, "src/inner"), { recursive: true });
    for (const name of ["src/b.ts", "src/a.ts", "src/secret.txt"]) writeFileSync(join(bench.folder, name), "x");
    symlinkSync("a.ts", join(bench.folder, "src/link"));
    expect((await read(bench, "src")).text).toBe("src/\na.ts\nb.ts\ninner/\nlink@");
    expect((await read(bench, "src", { limit: 1 })).text).toBe("src/\na.ts\n\nEntries 1-1 of 4. Next: offset 2.");
    expect((await read(bench, "src/inner")).text).toMatch(/empty folder/);
  });
  it("T5: notebooks as cells with their output", async () => {
    const cells = [
      { cell_type: "markdown", source: ["# Title\n", "words"] },
      {
        cell_type: "code",
        id: "c2",
        source: "print(1)",
        outputs: [
          { output_type: "stream", text: ["1\n"] },
          { output_type: "display_data", data: { "image/png": "AAAA", "text/plain": "<Figure>" } },
        ],
      },
    ];
    const called = await read(withFile(JSON.stringify({ cells, nbformat: 4 }), "n.ipynb"), "n.ipynb");
    expect(called.text).toMatch(
      /^# Cell 1 \[markdown\]\n# Title\nwords\n\n# Cell 2 \[code\] id c2\nprint\(1\)\n# Output\n1\n# Output\n<Figure>\n\[also: image\/png\]/,
    );
    expect((await read(withFile("no json", "n.ipynb"), "n.ipynb")).text).toBe("1\tno json");
  });
  it("T5: a PDF is a document block; cut off, encrypted or too large it is told", async () => {
    const pdf = "%PDF-1.4\n1 0 obj\n<<>>\nendobj\ntrailer<<>>\n%%EOF\n";
    const called = await read(withFile(pdf, "d.pdf"), "d.pdf");
    expect(called.outcome.content).toEqual([
      {
        type: "document",
        source: { type: "base64", media_type: "application/pdf", data: Buffer.from(pdf).toString("base64") },
        title: "d.pdf",
      },
    ]);
    expect((await read(withFile("%PDF-1.4\n1 0 obj", "d.pdf"), "d.pdf")).text).toMatch(/cut off/);
    expect(
      (await read(withFile(pdf.replace("trailer<<>>", "trailer<</Encrypt 2 0 R>>"), "d.pdf"), "d.pdf")).text,
    ).toMatch(/encrypted/);
    const small = { settings: { read: { ...settings.read, maxBytes: 20 } } };
    const long = pdf.replace("<<>>", "<< /Type /Pages /Count 240 >>");
    expect((await read(withFile(long, "d.pdf"), "d.pdf")).text).toMatch(/240 pages; up to 100.*pdftotext/);
    expect((await read(withFile(pdf, "d.pdf", small), "d.pdf")).text).toMatch(/up to 0 MB.*pdftotext/);
  });
  it("T5: special files and files of /proc", async () => {
    const bench = toolBench();
    const called = await read(bench, "/proc/self/status");
    expect(called.needs).toEqual([{ kind: "outside", access: "read", path: `/proc/${process.pid}/status` }]);
    expect(called.text).toMatch(/^1\tName:/);
    expect((await read(bench, "/dev/null")).text).toMatch(/not a regular file: it is a character device/);
  });
  it("L9: long results are readable unasked, what lies beside them is not", async () => {
    const bench = toolBench();
    mkdirSync(bench.ctx.resultsDir, { recursive: true });
    writeFileSync(join(bench.ctx.resultsDir, "op.txt"), "whole output\n");
    const called = await read(bench, join(bench.ctx.resultsDir, "op.txt"));
    expect(called.needs).toEqual([]);
    expect(called.text).toBe("1\twhole output");
    writeFileSync(`${bench.ctx.resultsDir}-evil`, "x");
    expect((await read(bench, `${bench.ctx.resultsDir}-evil`)).needs).toHaveLength(1);
  });
  it("P6: what a deny rule hides can't be read, through a link neither", async () => {
    const bench = withFile("CANARY", "secret.txt", { hidden: (path: string) => path.endsWith("/secret.txt") });
    symlinkSync("secret.txt", join(bench.folder, "link"));
    for (const name of ["secret.txt", "link"])
      expect((await read(bench, name)).text).toMatch(/kept from you by a deny rule/);
  });
});

describe("Read: paths", () => {
  it("SEC-9: what leads outside is a need with the real path; the same path is refused where another was allowed", async () => {
    const outside = scratch("outside");
    writeFileSync(join(outside, "s.txt"), "CANARY\n");
    const bench = toolBench();
    symlinkSync(join(outside, "s.txt"), join(bench.folder, "link"));
    const real = { kind: "outside", access: "read", path: join(outside, "s.txt") };
    for (const path of ["link", join(outside, "s.txt"), `/proc/self/root${outside}/s.txt`]) {
      expect((await read(bench, path)).needs).toEqual([real]);
    }
    const { readTool } = await import("../../../src/tools/read.ts");
    const run = await readTool
      .run({ file_path: "link" }, { ...bench.ctx, allowed: [{ kind: "outside", access: "read", path: "/other" }] })
      .next();
    expect(JSON.stringify(run)).toMatch(/nobody allowed/);
    expect(JSON.stringify(run)).not.toContain("CANARY");
  });
  it("L8: NUL, empty, ~, circles and missing files are told in words", async () => {
    const bench = withFile("x", "index.ts");
    symlinkSync("loop", join(bench.folder, "loop"));
    const text = async (path: string): Promise<string> => (await read(bench, path)).text;
    expect(await text("a\0b")).toMatch(/NUL/);
    expect(await text("")).toMatch(/empty/);
    expect(await text("~/x")).toMatch(/"~" is not expanded/);
    expect(await text("loop")).toMatch(/circle of links/);
    expect(await text("index.tsx")).toBe("No index.tsx. Near: index.ts.");
    expect(await text("no/such/file")).toMatch(/Its folder no\/such does not exist/);
    expect(await text("index.ts/x")).toMatch(/No index\.ts\/x|file, not a folder/);
  });
  it("L8: a path that starts where the shell stands is named as it is meant", async () => {
    const folder = scratch("shell");
    mkdirSync(join(folder, "src"));
    writeFileSync(join(folder, "src", "a.ts"), "a\n");
    const bench = toolBench({ folder, cwd: join(folder, "src") });
    expect((await read(bench, "a.ts")).text).toBe(
      "No a.ts. Paths start at the folder, not where the shell stands: src/a.ts.",
    );
    const hiding = toolBench({ folder, cwd: join(folder, "src"), hidden: (path) => path.endsWith("/a.ts") });
    expect((await read(hiding, "b.ts")).text).toBe("No b.ts.");
  });
});
