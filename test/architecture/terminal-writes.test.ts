import { globSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { describe, expect, it } from "vitest";

const root = resolve(import.meta.dirname, "../..");
/** What makes a text fit for a terminal, or is made of such texts alone. */
const CLEANERS = /\b(sanitize|visible|jsonLine|lineOf|plainReplay|paint|exportSpans)\(/;
/** The others, each with why no foreign text goes by that way. */
const KNOWN: Readonly<Record<string, string>> = {
  "src/cli/cost.ts": "rows of the screen's own layout",
  "src/cli/first-run.ts": "fixed words and the name of a model that was just looked up",
  "src/cli/main.ts": "help and the version",
  "src/cli/permissions.ts": "rows of the screen's own layout, and JSON lines",
  "src/cli/policy-test.ts": "rows of the screen's own layout, and JSON lines",
  "src/cli/replay.ts": "rows of the line front-end, painted",
  "src/cli/review.ts": "an id of ours, and lines that were cleaned one by one",
  "src/cli/run.ts": "notes of the program about stdin",
  "src/cli/sessions.ts": "a count",
  "src/cli/stdio.ts": "what print and export give it: cleaned, or JSON",
  "src/cli/trace.ts": "lines of trace-text.ts, cleaned cell by cell",
  "src/cli/why.ts": "rows of the screen's own layout, and JSON lines",
  "src/ui/plain/trust.ts": "painted rows, and fixed words",
};

interface Write {
  file: string;
  text: string;
}

/** Every write to stdout or stderr, with as much as belongs to it. */
function writes(): Write[] {
  return globSync("src/**/*.{ts,tsx}", { cwd: root }).flatMap((file) => {
    const source = readFileSync(join(root, file), "utf8");
    return [...source.matchAll(/\b(?:stdout|stderr)\.write\(|\bconsole\.\w+\(/g)].map((match) => ({
      file,
      text: statement(source.slice(match.index)),
    }));
  });
}

/** Up to the parenthesis that ends the call. */
function statement(source: string): string {
  let depth = 0;
  for (let at = 0; at < source.length; at++) {
    if (source[at] === "(") depth++;
    else if (source[at] === ")" && --depth === 0) return source.slice(0, at + 1);
  }
  return source;
}

describe("writes to a terminal", () => {
  it("TUI-5: are made by the command line, the line front-end and nobody else; the screen has one writer", () => {
    const files = new Set(writes().map(({ file }) => file));
    const others = [...files].filter((file) => !/^src\/(cli|ui\/plain)\//.test(file));
    expect(others).toEqual([]);
    const senders = globSync("src/ui/term/*.ts", { cwd: root }).filter((file) =>
      /terminal\.write\(/.test(readFileSync(join(root, file), "utf8")),
    );
    expect(senders).toEqual(["src/ui/term/out.ts"]);
  });
  it("SEC-G7: each cleans what it writes, or is known to get nothing else", () => {
    const bare = writes().filter(({ text }) => !CLEANERS.test(text) && !/^\w+\.\w+\("[^"]*"\)$/.test(text));
    const unknown = bare.filter(({ file }) => KNOWN[file] === undefined);
    expect(unknown).toEqual([]);
    // A reason whose place is gone would excuse the next one.
    expect(Object.keys(KNOWN).filter((file) => !bare.some((write) => write.file === file))).toEqual([]);
  });
});
