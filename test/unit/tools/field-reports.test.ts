import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { bash, fieldReports, type FieldReport } from "../../support/corpus.ts";
import { toolBench, type Called, type ToolBench } from "../../support/tool-context.ts";

/** What `expect` and `note` of a case say beyond its `check` commands. */
type Also = (bench: ToolBench, results: Called[]) => Promise<void> | void;
const status = (called: Called | undefined): string | undefined => called?.outcome.status;
const words = (called: Called | undefined): string => called?.text ?? "";
const fileOf = (bench: ToolBench, name: string): string => readFileSync(join(bench.folder, name), "utf8");

const also: Readonly<Record<string, Also>> = {
  "edit-curly-quotes": (_, results) => expect(results.map(status)).toEqual(["ok", "ok", "ok"]),
  "edit-dollar-literal": async (bench) => {
    writeFileSync(join(bench.folder, "p.sh"), "total()\nrest\n");
    const fresh = 'echo "$$ $& $1 $` $\'" ${x} $<n>';
    await bench.call("Read", { file_path: "p.sh" });
    await bench.call("Edit", { file_path: "p.sh", old_string: "total()", new_string: fresh, replace_all: true });
    expect(fileOf(bench, "p.sh")).toBe(fileOf(bench, "want.txt"));
  },
  "edit-final-newline": (_, results) => expect(results.every((r) => status(r) === "ok")).toBe(true),
  "edit-latin1-untouched": (bench, results) => {
    expect(status(results[1])).toBe("ok");
    expect(readFileSync(join(bench.folder, "conf.ini"), "latin1")).toBe("limit = 20\n# pr\xe9vu pour f\xe9vrier\n");
    expect(words(results[0])).toContain("# prévu pour février");
  },
  "edit-nfd-text": (_, results) => {
    expect(status(results.at(-1))).toBe("error");
    expect(words(results.at(-1))).toMatch(/line 2 .*accents/);
  },
  "edit-sjis-no-mix": (bench, results) => {
    const bytes = readFileSync(join(bench.folder, "app.ini"));
    const asBefore = Buffer.from("\x83\x65\x83\x58\x83\x67=1\r\nname=abc\r\n", "latin1");
    if (status(results.at(-1)) === "ok") expect(bytes.includes(Buffer.of(0x93, 0xfa, 0x96, 0x7b))).toBe(true);
    else {
      expect(bytes.equals(asBefore)).toBe(true);
      expect(words(results.at(-1))).toMatch(/encoding looks like (cp932|shift)/);
    }
  },
  "edit-stale-refused": (_, results) => {
    expect(results.map(status)).toEqual(["ok", "error", "ok", "ok"]);
    expect(words(results[1])).toMatch(/changed since it was read.*Read it again/);
  },
  "edit-tab-indent": (_, results) => {
    expect(words(results[0])).toContain("3\t\t\tgo()");
    expect(results.map(status)).toEqual(["ok", "ok", "error"]);
    expect(words(results[2])).toMatch(/white space/);
  },
  "edit-twin-blocks": async (bench, results) => {
    expect(results.map(status)).toEqual(["ok", "error", "error"]);
    expect(words(results[1])).toMatch(/not in the file/);
    expect(words(results[2])).toMatch(/2 times, at lines 2, 6/);
    const all = { file_path: "store.py", old_string: "    check(x)\n", new_string: "", replace_all: true };
    expect(status(await bench.call("Edit", all))).toBe("ok");
    expect(fileOf(bench, "store.py")).not.toContain("check");
  },
  "read-exact-name-first": (_, results) => expect(results.map(words)).toEqual(["1\tright", "1\twrong"]),
  "read-fifo-device": (_, results) => {
    expect(results.map(status)).toEqual(["error", "error", "ok"]);
    expect(words(results[0])).toMatch(/not a regular file/);
    expect(words(results[1])).toMatch(/not a regular file/);
    expect(words(results[2])).toContain("plain.txt");
  },
  "read-mislabelled-image": async (bench) => {
    const read = await bench.call("Read", { file_path: "logo.png" });
    expect(read.outcome.content.every((block) => block.type === "text")).toBe(true);
    expect(words(read)).toContain("<svg");
  },
  "glob-dot-folders": (_, results) => {
    for (const n of [0, 1, 3]) expect(words(results[n])).toContain(".github/workflows/ci.yml");
    expect(words(results[2])).toContain(".env.example");
    expect(results.map(words).join("\n")).not.toContain(".git/");
  },
  "grep-dash-pattern": (_, results) => {
    const lines = ["1:tool --pdf-engine x", "2:a->b", "3:-77", "1:tool --pdf-engine x"];
    expect(results.map(words)).toEqual(lines.map((line) => `help.txt\n${line}`));
  },
  "grep-error-not-empty": (_, results) => {
    expect(results.map(status)).toEqual(["error", "ok", "ok", "error"]);
    expect(words(results[0])).toMatch(/unclosed group/);
    expect(words(results[1])).toBe("a.txt\n1:f(");
    expect(words(results[2])).toMatch(/No matches/);
    expect(words(results[3])).toMatch(/No nope/);
  },
  "grep-minified-line": (_, results) => {
    expect(words(results[0])).toMatch(/characters\]…a+NEEDLE_42b+…\[/);
    expect(words(results[0]).length).toBeLessThan(5000);
  },
};

/** Reads a file before its first change where the case leaves that out. */
async function readFirst(bench: ToolBench, input: Record<string, unknown>, isRead: Set<unknown>): Promise<void> {
  if (isRead.has(input["file_path"])) return;
  isRead.add(input["file_path"]);
  await bench.call("Read", { file_path: input["file_path"] });
}

async function play(bench: ToolBench, report: FieldReport): Promise<Called[]> {
  const results: Called[] = [];
  const isRead = new Set<unknown>();
  for (const call of report.action.calls ?? []) {
    if ("outside" in call) {
      bash(bench.folder, [call.outside]);
      continue;
    }
    if (call.tool === "Read") isRead.add(call.input["file_path"]);
    if (call.tool === "Edit" || call.tool === "Write") await readFirst(bench, call.input, isRead);
    results.push(await bench.call(call.tool, call.input));
  }
  return results;
}

describe.each(["edit", "read", "search"])("field reports: %s", (area) => {
  it.each(fieldReports(area).map((report) => [report.id, report] as const))("%s", async (id, report) => {
    const bench = toolBench();
    bash(bench.folder, report.setup);
    const results = await play(bench, report);
    bash(bench.folder, report.check ?? []);
    const further = also[id];
    expect(further, `what ${id} expects beyond its checks`).toBeDefined();
    await further?.(bench, results);
  });
});
