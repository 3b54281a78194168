import { existsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { NOT_AS_PROPOSED } from "../../../src/workspace/as-proposed.ts";
import { all, type Act, check, link, mode, type More, none, OURS, put, told } from "../../support/check-changes.ts";

/** The step's own copy of a file, changed after the set was made. */
const inLayer =
  (path: string, text: string): Act =>
  (dir) => {
    const file = join(dir, "../step/u0", path);
    if (!existsSync(file)) throw new Error(`${file} is not in the layer`);
    writeFileSync(file, text);
  };

describe("a step's own files, changed after they were judged", () => {
  it.each<[string, Act, Act]>([
    ["n", put("n", "a"), inLayer("n", "b")],
    ["n", put("n", "a"), inLayer("n", "longer")],
    ["f", put("f", OURS), inLayer("f", OURS.replace("2", "3"))],
    ["f", put("f", OURS), inLayer("f", "")],
  ])("P5: what was put into %s is not what was decided on", async (path, step, later) => {
    const found = await check(step, later);
    expect(told(found)).toBe(`${path}: ${NOT_AS_PROPOSED}`);
    expect(found.drafts).toEqual([]);
  });
  it("P5: what was decided on lands", async () => {
    expect(told(await check(all(put("n", "a"), put("f", OURS), link("k", "f")), none))).toBe("");
  });
});

/** Of a large set nothing is hashed until somebody else was there. */
const MANY: More = {
  checks: { maxHashed: -1 },
  as: ({ before, after, ...change }) => {
    const bare = (print: typeof before) => {
      const { hash: _hash, ...rest } = print ?? { type: "file", mode: 0, size: 0, mtime: "0" };
      return rest as NonNullable<typeof before>;
    };
    return {
      ...change,
      ...(before === undefined ? {} : { before: bare(before) }),
      ...(after === undefined ? {} : { after: bare(after) }),
    };
  },
};

describe("a set without hashes, against the person", () => {
  it.each<[string, Act, Act, string]>([
    ["the same new file", put("n", "a"), put("n", "a"), ""],
    ["another new file of that length", put("n", "a"), put("n", "b"), "n: somebody else made it meanwhile"],
    ["the same edit", put("f", OURS), put("f", OURS), ""],
    [
      "another edit of that length",
      put("f", OURS),
      put("f", OURS.replace("2", "3")),
      "f: it was changed meanwhile, and what it was before is not known",
    ],
    ["a link where a new file of that size is", put("n", "a"), link("n", "f"), "n: somebody else made it meanwhile"],
  ])("W3: %s", async (_name, step, person, why) => {
    const found = await check(step, person, MANY);
    expect(told(found)).toBe(why);
    expect(found.drafts).toEqual([]);
  });
  it("W3: the same edit with the step's own mode lands the mode alone", async () => {
    const found = await check(all(put("f", OURS), mode("f", 0o700)), put("f", OURS), MANY);
    expect(found.drafts).toMatchObject([{ path: "f", mode: { to: 0o700 } }]);
  });
});
