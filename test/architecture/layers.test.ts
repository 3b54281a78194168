import { readdirSync, readFileSync } from "node:fs";
import { dirname, join, relative, resolve } from "node:path";
import { describe, expect, it } from "vitest";

const src = resolve(import.meta.dirname, "../../src");
/** From top to bottom; folders in one row stand side by side and don't import each other. `src/index.ts` is a row of its own. */
const LAYERS: readonly (readonly string[])[] = [
  ["cli"],
  ["index.ts"],
  ["ui", "print", "acp", "evals"],
  ["session"],
  ["loop"],
  ["context", "hooks", "memory", "skills", "mcp"],
  ["model"],
  ["permissions"],
  ["tools"],
  ["sandbox"],
  ["workspace"],
  ["events"],
  ["util"],
];
const MAX_LINES = 300;

const files = readdirSync(src, { recursive: true, encoding: "utf8" })
  .filter((f) => /\.tsx?$/.test(f))
  .toSorted();

function room(file: string): string {
  return file.split("/")[0] ?? file;
}
function rank(file: string): number {
  return LAYERS.findIndex((row) => row.includes(room(file)));
}
/** Every module that a file imports, exports from, or loads lazily. */
function importsOf(file: string): string[] {
  const text = readFileSync(join(src, file), "utf8");
  return [...text.matchAll(/(?:from|import)\s*\(?\s*"([^"]+)"/g)].map((m) => m[1] ?? "");
}
function inner(file: string): string[] {
  return importsOf(file)
    .filter((i) => i.startsWith("."))
    .map((i) => relative(src, resolve(src, dirname(file), i)));
}
/** Files that import any package whose name matches, but for those allowed. */
function importers(pattern: RegExp, allowed: RegExp): string[] {
  return files.filter((f) => !allowed.test(f) && importsOf(f).some((i) => pattern.test(i)));
}

describe("layers", () => {
  it("every file lies in a known layer", () => {
    expect(files.filter((f) => rank(f) < 0)).toEqual([]);
  });
  it("imports only go down", () => {
    const wrong = files.flatMap((f) =>
      inner(f)
        .filter((i) => room(i) !== room(f) && rank(i) <= rank(f))
        .map((i) => `${f} -> ${i}`),
    );
    expect(wrong).toEqual([]);
  });
  it("only ui imports ink and react", () => {
    expect(importers(/^(ink|react)(\/|$)/, /^ui\//)).toEqual([]);
  });
  it("only model/anthropic* imports the SDK", () => {
    expect(importers(/^@anthropic-ai\/sdk/, /^model\/anthropic/)).toEqual([]);
  });
  it("only model/cloud-client.ts imports the clouds' SDKs, which may be missing", () => {
    expect(importers(/^@anthropic-ai\/(bedrock|vertex)-sdk/, /^model\/cloud-client\.ts$/)).toEqual([]);
  });
  it("V8: only evals/queue/redis.ts imports the queue's packages, which may be missing", () => {
    expect(importers(/^(bullmq|ioredis)(\/|$)/, /^evals\/queue\/redis\.ts$/)).toEqual([]);
  });
  it("only util/process.ts imports execa and child_process", () => {
    expect(importers(/^(execa|node:child_process)$/, /^util\/process\.ts$/)).toEqual([]);
  });
  it("only sandbox, hooks, mcp, tools/ripgrep.ts, workspace/git.ts, evals/fixture*.ts, util/named-pipe.ts and ui/term import util/process.ts", () => {
    const allowed =
      /^(sandbox\/|hooks\/|mcp\/|ui\/term\/|tools\/ripgrep\.ts$|workspace\/git\.ts$|evals\/fixture(-git)?\.ts$|util\/(process|named-pipe|keyring)\.ts$)/;
    expect(files.filter((f) => !allowed.test(f) && inner(f).includes("util/process.ts"))).toEqual([]);
  });
  it("only cli touches process.env and process.exit", () => {
    const wrong = files.filter(
      (f) => !f.startsWith("cli/") && /process\.(env|exit)\b/.test(readFileSync(join(src, f), "utf8")),
    );
    expect(wrong).toEqual([]);
  });
  it(`no file is longer than ${MAX_LINES} lines`, () => {
    const long = files.filter((f) => readFileSync(join(src, f), "utf8").split("\n").length - 1 > MAX_LINES);
    expect(long).toEqual([]);
  });
});
