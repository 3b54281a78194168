import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { ordinaryUser } from "../support/as-user.ts";
import { missingTool, needs } from "../support/runnable.ts";
import { differential } from "../support/sandbox-cases.ts";

const root = process.getuid?.() === 0;
const kind = root ? "overlay-root" : "overlay-bwrap";

/** Names that the fixture has, and some that it has not. */
const name = fc.constantFrom(
  "src",
  "lib",
  "many",
  "sec",
  "empty",
  "link",
  "dirlink",
  "hard1",
  "run.sh",
  "'a b'",
  "n",
  "n2",
  "node_modules",
);
const path = fc.oneof(
  name,
  fc
    .tuple(fc.constantFrom("src", "many", "n", "lib", "src/deep"), fc.constantFrom("a.txt", "f1", "x", "one", "er"))
    .map((p) => p.join("/")),
);

/** What a folder copied into itself comes to depends on the order in which the file system lists it: not told apart here. Links that grow have no end. */
function notIntoItself(from: string, to: string, line: string): string {
  return `a=$(timeout 9 readlink -f ${from}) && b=$(timeout 9 readlink -f ${to}) && case "$b/" in "$a"/*) ;; *) ${line} ;; esac`;
}

/** One line of a script; every one may fail, which it then does in both worlds. */
const line = fc.oneof(
  // Nobody reads a named pipe here: writing into one would wait for ever.
  path.map((p) => `[ -p ${p} ] || echo text >> ${p}`),
  path.map((p) => `rm -rf ${p}`),
  path.map((p) => `rm ${p}`),
  path.map((p) => `mkdir -p ${p}`),
  path.map((p) => `touch ${p}`),
  fc.tuple(path, path).map(([a, b]) => `mv ${a} ${b}`),
  fc.tuple(path, path).map(([a, b]) => notIntoItself(a, b, `cp -a ${a} ${b}`)),
  fc.tuple(path, path).map(([a, b]) => `ln -s ${a} ${b}`),
  fc.tuple(fc.constantFrom("600", "644", "755", "700"), path).map(([m, p]) => `[ -L ${p} ] || chmod ${m} ${p}`),
  path.map((p) => `[ -L ${p} ] || mkfifo ${p}`),
  fc.tuple(path, path).map(([a, b]) => notIntoItself(a, b, `tar cf - ${a} | (mkdir -p ${b} && cd ${b} && tar xf -)`)),
);

/** A hard link's other name keeps its text and mode in a copy (SANDBOX-H4): no pair here. */
const script = fc.array(line, { minLength: 1, maxLength: 12 }).map((lines) => ["rm hard2", ...lines].join("\n"));

describe("random scripts", () => {
  it("W2: in the copy as plain, whatever the script does", async (ctx) => {
    needs(ctx, missingTool("bwrap") ?? (root || ordinaryUser() !== undefined ? undefined : "no user for it"));
    const property = fc.asyncProperty(script, async (text) => {
      await differential(kind, text);
    });
    const report = await fc.check(property, {
      numRuns: Number(process.env["SANDBOX_RUNS"] ?? 12),
      seed: Number(process.env["SANDBOX_SEED"] ?? 20_261_130),
      endOnFailure: true,
    });
    expect(fc.defaultReportMessage(report)).toBeUndefined();
  }, 600_000);
});
