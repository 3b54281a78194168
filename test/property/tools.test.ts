import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import fc from "fast-check";
import iconv from "iconv-lite";
import { describe, expect, it } from "vitest";
import { globToolWith } from "../../src/tools/glob.ts";
import { grepToolWith } from "../../src/tools/grep.ts";
import { findRipgrep } from "../../src/tools/ripgrep.ts";
import { scratch } from "../support/scratch.ts";
import { toolBench } from "../support/tool-context.ts";

/** Long enough in each language that its encoding is no guess. */
const alphabets = [
  { name: "utf-8", words: ["größe", "x = 1;", "日本", "𝒳𝒴", "$&", "  tab\t", ""] },
  { name: "utf-16le", words: ["größe", "x = 1;", "日本", "𝒳"] },
  { name: "utf-16be", words: ["größe", "x = 1;", "日本"] },
  { name: "windows-1251", words: ["Привет, это проверка", "x = 1;", "строка номер"] },
  { name: "shift_jis", words: ["これは日本語のテストです", "x = 1;", "設定ファイル"] },
] as const;

interface Case {
  name: string;
  word: string;
  mark: boolean;
  lines: { text: string; end: string }[];
  last: string;
  at: number;
  count: number;
  fresh: string[];
}
const ends = fc.oneof(fc.constant(["\n"]), fc.constant(["\r\n"]), fc.constant(["\n", "\r\n"]));
const cases: fc.Arbitrary<Case> = fc.constantFrom(...alphabets).chain(({ name, words }) =>
  ends.chain((some) =>
    fc.record({
      name: fc.constant(name),
      word: fc.constant(words[0]),
      mark: fc.boolean().map((mark) => mark || name.startsWith("utf-16")),
      lines: fc.array(fc.record({ text: fc.constantFrom(...words), end: fc.constantFrom(...some) }), {
        minLength: 3,
        maxLength: 12,
      }),
      last: fc.constantFrom("", "without end"),
      at: fc.nat({ max: 20 }),
      count: fc.nat({ max: 3 }),
      fresh: fc.array(fc.constantFrom(...words, "$1 $& $$"), { maxLength: 4 }),
    }),
  ),
);

function encode(text: string, one: Case): Buffer {
  return iconv.encode(text, one.name, { addBOM: one.mark && one.name.startsWith("utf") });
}

describe("Edit over random files", () => {
  it("T4: changes nothing but the replaced range, whatever encoding and line ends", async () => {
    await fc.assert(
      fc.asyncProperty(cases, async (one) => {
        const bench = toolBench();
        const path = join(bench.folder, "f.txt");
        // Each line is unique, so that any range of them is.
        const enough = one.name.startsWith("utf")
          ? []
          : Array.from({ length: 10 }, () => ({ text: one.word, end: one.lines[0]?.end ?? "\n" }));
        const lines = [...one.lines, ...enough].map((line, n) => ({ ...line, text: `<${n}>${line.text}` }));
        const [from, to] = [one.at % lines.length, Math.min(lines.length - 1, (one.at % lines.length) + one.count)];
        const whole = (some: readonly { text: string; end: string }[]): string =>
          some.map((l) => l.text + l.end).join("");
        writeFileSync(path, encode(whole(lines) + one.last, one));
        await bench.call("Read", { file_path: "f.txt" });
        const old_string = lines
          .slice(from, to + 1)
          .map((l) => l.text)
          .join("\n");
        const new_string = ["first", ...one.fresh].join("\n");
        const called = await bench.call("Edit", { file_path: "f.txt", old_string, new_string });
        expect(called.text).toMatch(/^Edited/);
        const after = iconv.decode(readFileSync(path), one.name, { stripBOM: false });
        const mark = one.mark && one.name.startsWith("utf") ? "\uFEFF" : "";
        const [head, tail] = [
          mark + whole(lines.slice(0, from)),
          (lines[to]?.end ?? "") + whole(lines.slice(to + 1)) + one.last,
        ];
        expect(after.startsWith(head)).toBe(true);
        expect(after.endsWith(tail)).toBe(true);
        const middle = after.slice(head.length, after.length - tail.length);
        expect(middle.replaceAll("\r\n", "\n")).toBe(new_string);
        const kinds = new Set(lines.map((l) => l.end));
        if (kinds.size === 1) expect(middle).toBe(new_string.replaceAll("\n", [...kinds][0] ?? "\n"));
        expect(readFileSync(path).equals(iconv.encode(after, one.name, { addBOM: false }))).toBe(true);
      }),
      { numRuns: 100 },
    );
  });
});

const name = fc.constantFrom("a", "b.ts", "c.md", "dir", "x.log", ".env", "out", "[id]");
const path = fc.array(name, { minLength: 1, maxLength: 3 }).map((parts) => parts.join("/"));
const content = fc
  .array(fc.constantFrom("foo", "bar foo", "Foo(1)", "", "é foo", "foo\r"), { maxLength: 5 })
  .map((l) => l.join("\n"));
const rules = fc
  .array(fc.constantFrom("*.log", "out/", "/a", "!x.log", "dir/*.md", "**/c.md"), { maxLength: 3 })
  .map((l) => l.join("\n"));
const tree = fc.record({
  files: fc.dictionary(path, content, { maxKeys: 12 }),
  ignore: rules,
  nested: rules,
  repository: fc.boolean(),
});

/** Writes a random tree; a name that would have to be both file and folder is left out. */
function grow(
  folder: string,
  one: { files: Record<string, string>; ignore: string; nested: string; repository: boolean },
): void {
  const files = {
    ...one.files,
    ".gitignore": one.ignore,
    "dir/.gitignore": one.nested,
    ...(one.repository ? { ".git/HEAD": "foo" } : {}),
  };
  for (const [file, text] of Object.entries(files)) {
    try {
      mkdirSync(dirname(join(folder, file)), { recursive: true });
      writeFileSync(join(folder, file), text);
    } catch {
      continue;
    }
  }
}

describe("searches over random trees", () => {
  const none = { ripgrep: () => Promise.resolve(undefined) };
  it("T6: Grep's fallback finds what ripgrep finds", async () => {
    const [rg, js] = [grepToolWith({ ripgrep: findRipgrep }), grepToolWith(none)];
    const inputs = fc.record(
      {
        pattern: fc.constantFrom("foo", "^foo$", "o+", "bar.foo", "Foo\\(", "\\bfoo", "zzz"),
        output_mode: fc.constantFrom("content", "files_with_matches", "count"),
        "-i": fc.boolean(),
        "-C": fc.nat({ max: 2 }),
        glob: fc.constantFrom("*.ts", "!*.md", "dir/**", "{a,dir}/*", "*.log"),
        path: fc.constantFrom("dir", "out", "."),
        include_ignored: fc.boolean(),
      },
      { requiredKeys: ["pattern"] },
    );
    await fc.assert(
      fc.asyncProperty(tree, inputs, async (one, input) => {
        const bench = toolBench();
        grow(bench.folder, one);
        const [left, right] = [await bench.call(rg, input), await bench.call(js, input)];
        expect(right.text).toBe(left.text);
      }),
      { numRuns: 60 },
    );
  });
  it("T6: Glob's fallback lists what ripgrep lists", async () => {
    const [rg, js] = [globToolWith({ ripgrep: findRipgrep }), globToolWith(none)];
    const pattern = fc.constantFrom("**", "*", "**/*.ts", "dir/**", "**/[id]", "{a,b.ts}", "**/.*", "out/*");
    await fc.assert(
      fc.asyncProperty(tree, pattern, fc.boolean(), async (one, wanted, include_ignored) => {
        const bench = toolBench();
        grow(bench.folder, one);
        const input = { pattern: wanted, include_ignored };
        const [left, right] = [await bench.call(rg, input), await bench.call(js, input)];
        expect(right.text).toBe(left.text);
      }),
      { numRuns: 60 },
    );
  });
});

describe("paths", () => {
  it("SEC-9: what lies outside is never read, listed, found or written without a need that names it", async () => {
    const top = scratch("paths");
    const [folder, outside] = [join(top, "project"), join(top, "outside")];
    for (const dir of [join(folder, "src"), `${folder}-evil`, outside]) mkdirSync(dir, { recursive: true });
    for (const file of [join(outside, "s.txt"), `${folder}-evil/s.txt`]) writeFileSync(file, "CANARY");
    writeFileSync(join(folder, "src/s.txt"), "inner");
    symlinkSync("../outside", join(folder, "d"));
    symlinkSync("../../outside/s.txt", join(folder, "src/link"));
    symlinkSync("d", join(folder, "dd"));
    const part = fc.constantFrom(
      "..",
      ".",
      "src",
      "d",
      "dd",
      "link",
      "s.txt",
      "outside",
      "project",
      "project-evil",
      "",
      "~",
      "proc",
      "self",
      "root",
    );
    const paths = fc
      .tuple(
        fc.constantFrom("", "/", `${folder}/`, `${top}/`, "/proc/self/root/", `/proc/self/cwd/`),
        fc.array(part, { maxLength: 6 }),
      )
      .map(([head, parts]) => head + parts.join("/"));
    const tools = fc.constantFrom("Read", "Grep", "Glob", "Write", "Delete", "Edit");
    const bench = toolBench({ folder });
    await fc.assert(
      fc.asyncProperty(paths, tools, async (given, tool) => {
        const inputs: Record<string, Record<string, unknown>> = {
          Grep: { pattern: "CANARY", path: given },
          Glob: { pattern: given === "" ? "*" : `${given}/*` },
          Write: { file_path: given, content: "x" },
          Edit: { file_path: given, old_string: "CANARY", new_string: "x" },
        };
        // A search of the whole machine proves nothing more, and takes its time.
        const start = resolve(folder, given);
        if (["Grep", "Glob"].includes(tool) && start !== top && !start.startsWith(`${top}/`)) return;
        const called = await bench.call(tool, inputs[tool] ?? { file_path: given }, false);
        const outsideNeeds = called.needs.filter((need) => need.kind === "outside");
        if (/CANARY/.test(called.text.replaceAll('"CANARY"', ""))) expect(outsideNeeds).toHaveLength(1);
        if (called.outcome.changes !== undefined) expect(outsideNeeds).toEqual([]);
        for (const touch of called.outcome.touched ?? []) {
          const isInside = touch.path.startsWith(`${folder}/`);
          expect(isInside || outsideNeeds.some((need) => need.path === touch.path)).toBe(true);
        }
      }),
      { numRuns: 250 },
    );
    expect(readFileSync(join(outside, "s.txt"), "utf8")).toBe("CANARY");
  });
});
