import { readFileSync } from "node:fs";
import { dirname, relative, resolve } from "node:path";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { parseArgs } from "../../../src/cli/args.ts";
import { plainlyScreen } from "../../../src/cli/first-paint.ts";

const env = { TERM: "xterm", ANTHROPIC_API_KEY: "k" };
const src = resolve(import.meta.dirname, "../../../src");

/** Files and packages that a file's static imports lead to; types are not loaded. */
function loaded(file: string, seen = new Set<string>()): Set<string> {
  if (seen.has(file)) return seen;
  seen.add(file);
  if (!file.startsWith(src)) return seen;
  const text = readFileSync(file, "utf8");
  for (const [, what = "", from = ""] of text.matchAll(/^import\s+(?!type\b)([^;]*?)"([^"]+)";/gm)) {
    if (/^\{(?:\s*type\s+\w+,?)+\s*\}/.test(what)) continue;
    loaded(from.startsWith(".") ? resolve(dirname(file), from) : from, seen);
  }
  return seen;
}

describe("paintFirst", () => {
  it("TUI-B1: needs four small files and nothing of Node", () => {
    const files = [...loaded(resolve(src, "cli/first-paint.ts"))].map((f) => relative(src, f)).toSorted();
    expect(files).toEqual(["cli/first-paint.ts", "ui/first-frame.ts", "ui/term/modes.ts", "ui/term/paint.ts"]);
  });
  it("knows the usual ways to start the screen", () => {
    const mode = (...argv: string[]) => plainlyScreen(argv, env);
    expect([mode(), mode("-c"), mode("--mode", "plan"), mode("fix the test")]).toEqual(["", "", "plan", ""]);
    expect([mode("--model", "demo", "--mode", "auto"), mode("-r", "id", "go on with it")]).toEqual(["auto", ""]);
    expect(plainlyScreen(["--model", "demo"], { TERM: "xterm" })).toBe("");
  });
  it("leaves everything else to who reads the arguments", () => {
    const unclear =
      "sessions|undo|demo|-p|--print|--help|-V|-r|--resume|--mode|--mode nope|--model|--model -c|--screen-reader";
    for (const argv of unclear.split("|")) expect(plainlyScreen(argv.split(" "), env)).toBe(undefined);
    expect(plainlyScreen([], { TERM: "xterm" })).toBe(undefined);
    expect(plainlyScreen([], { TERM: "xterm", ANTHROPIC_API_KEY: "" })).toBe(undefined);
    expect(plainlyScreen([], { ...env, TERM: "dumb" })).toBe(undefined);
    expect(plainlyScreen([], { ...env, UNDERSTUDY_SCREEN_READER: "1" })).toBe(undefined);
  });
  it("never says screen where the arguments say something else", () => {
    const words =
      "-c --continue -p --print --mode plan ask auto nope --model demo -r --resume id --help -V sessions trace undo doctor " +
      "demo --tour-without-terminal --screen-reader --strict --allow -- - x -cp --mode=plan --resume=";
    const word = fc.oneof(
      fc.constantFrom(...words.split(" ")),
      fc.constantFrom("", "two words", " x", "-p x", "undo it"),
    );
    let painted = 0;
    fc.assert(
      fc.property(fc.array(word, { maxLength: 5 }), (argv) => {
        const mode = plainlyScreen(argv, env);
        if (mode === undefined) return;
        painted++;
        const parsed = parseArgs(argv, "0");
        if (!parsed.ok || parsed.invocation.verb !== "run") throw new Error(JSON.stringify(argv));
        const { options } = parsed.invocation;
        expect([options.print, options.plain, options.resume === "", options.mode ?? ""]).toEqual([
          false,
          false,
          false,
          mode,
        ]);
      }),
      { numRuns: 5000 },
    );
    expect(painted).toBeGreaterThan(100);
  });
});
