import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, it } from "vitest";
import { globToolWith } from "../../../src/tools/glob.ts";
import { grepToolWith } from "../../../src/tools/grep.ts";
import { findRipgrep } from "../../../src/tools/ripgrep.ts";
import { fifo } from "../../support/fifo.ts";
import { scratch } from "../../support/scratch.ts";
import { toolBench } from "../../support/tool-context.ts";

const none = (): Promise<undefined> => Promise.resolve(undefined);
const engines = [
  ["ripgrep", { ripgrep: findRipgrep }],
  ["the fallback", { ripgrep: none }],
] as const;

function write(folder: string, files: Record<string, string>): void {
  for (const [name, content] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, name)), { recursive: true });
    writeFileSync(join(folder, name), content);
  }
}

describe.each(engines)("Grep and Glob with %s", (_, options) => {
  it.each([".gitignore", "sub/deep/.gitignore", ".git/info/exclude"])(
    "SEC-9: a named pipe called %s ignores nothing, is not waited for, and the other rules hold",
    async (name) => {
      const bench = toolBench();
      write(bench.folder, {
        ".git/HEAD": "ref: refs/heads/main\n",
        "rules/.gitignore": "*.log\n",
        "rules/a.log": "x",
        "rules/a.txt": "x",
        "sub/deep/b.log": "x",
      });
      fifo(join(bench.folder, name));
      const [grep, glob] = await Promise.all([
        bench.call(grepToolWith(options), { pattern: "x", output_mode: "files_with_matches" }),
        bench.call(globToolWith(options), { pattern: "**/*.{log,txt}" }),
      ]);
      expect(grep.text).toBe("rules/a.txt\nsub/deep/b.log");
      expect(glob.text.split("\n").toSorted()).toEqual(["rules/a.txt", "sub/deep/b.log"]);
    },
    20_000,
  );
  it("SEC-9: nor one in a layer that waits for its review", async () => {
    const layer = scratch("layer");
    const bench = toolBench({ layers: [layer] });
    write(bench.folder, { "a.log": "x", "sub/b.log": "x", "sub/.gitignore": "*.log\n" });
    mkdirSync(join(layer, "u0"), { recursive: true });
    fifo(join(layer, "u0/.gitignore"));
    const grep = await bench.call(grepToolWith(options), { pattern: "x", output_mode: "files_with_matches" });
    expect(grep.text).toBe("a.log");
  }, 20_000);
});
