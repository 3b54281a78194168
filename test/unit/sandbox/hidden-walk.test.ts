import { mkdirSync, symlinkSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import type { Rule } from "../../../src/events/effect.ts";
import { hidesOf } from "../../../src/permissions/hides.ts";
import { HiddenWalk } from "../../../src/sandbox/hidden-walk.ts";
import type { Hides } from "../../../src/sandbox/hides.ts";
import { deep } from "../../support/deep.ts";
import { scratch } from "../../support/scratch.ts";

/** Deny rules that count how often they are asked. */
function counted(...texts: string[]): Hides & { asked: number } {
  const hides = hidesOf(texts.map((text): Rule => ({ text, action: "deny", source: "user" })));
  const counts = {
    asked: 0,
    key: texts.join(),
    touches: (path: string) => {
      counts.asked++;
      return hides?.touches(path) ?? "no";
    },
  };
  return counts;
}

function tree(files: readonly string[]): string {
  const dir = scratch("walk");
  for (const file of files) {
    mkdirSync(join(dir, file, ".."), { recursive: true });
    writeFileSync(join(dir, file), "");
  }
  return dir;
}

const old = (dir: string): void => utimesSync(dir, 1, 1);
const pause = (): Promise<void> => new Promise((done) => setTimeout(done, 150));

describe("the search for what rules hide", () => {
  it("P6: looks only where a rule may hide something, however large the folder", async () => {
    const many = Array.from({ length: deep(300, 20_000) }, (_, n) => `big/d${n % 50}/f${n}`);
    const dir = tree([...many, "conf/prod.env", "conf/sub/x", "a"]);
    const hides = counted("Read(/conf/*.env)");
    const found = await new HiddenWalk().find([{ at: dir, shown: dir, name: "" }], hides);
    expect(found).toEqual([{ path: join(dir, "conf/prod.env"), kind: "file" }]);
    // The names at the top and those of conf.
    expect(hides.asked).toBe(5);
  });
  it("P6: reads a folder again only when it changed; other rules find anew", async () => {
    const dir = tree(["a/b/.env", "a/c", "d/e"]);
    const walk = new HiddenWalk();
    const at = [{ at: dir, shown: dir, name: "" }];
    const hides = counted("Read(.env)");
    await pause();
    expect(await walk.find(at, hides)).toEqual([{ path: join(dir, "a/b/.env"), kind: "file" }]);
    const first = hides.asked;
    expect(await walk.find(at, hides)).toHaveLength(1);
    expect(hides.asked).toBe(first);
    writeFileSync(join(dir, "d/.env"), "");
    // No time of its own gives it away: that of the change counts.
    old(join(dir, "d"));
    expect((await walk.find(at, hides)).map((h) => h.path)).toContain(join(dir, "d/.env"));
    // What was read in the very moment of its change is read once more.
    const again = hides.asked;
    expect(await walk.find(at, hides)).toHaveLength(2);
    expect(hides.asked).toBe(again + 2);
    expect(await walk.find(at, counted("Read(/a/c)"))).toEqual([{ path: join(dir, "a/c"), kind: "file" }]);
  });
  it("P6: of a hidden folder nothing in it is told; what a link leads to inside is hidden, never what lies outside", async () => {
    const dir = tree(["keys/a/b.env", "real/secret", "other"]);
    const outside = tree(["x"]);
    symlinkSync("real/secret", join(dir, "one.env"));
    symlinkSync(join(outside, "x"), join(dir, "two.env"));
    symlinkSync("nowhere", join(dir, "three.env"));
    symlinkSync("one.env", join(dir, "four.env"));
    const found = await new HiddenWalk().find(
      [{ at: dir, shown: dir, name: "" }],
      counted("Read(*.env)", "Read(/keys)"),
    );
    expect(found.map((h) => h.path).toSorted()).toEqual([join(dir, "keys"), join(dir, "real/secret")]);
  });
  it("P6: outside of all roots rules name whole paths", async () => {
    const dir = tree(["a.key", "b"]);
    const at = [{ at: dir, shown: dir, name: `${dir}/` }];
    expect(await new HiddenWalk().find(at, counted(`Read(/${dir}/a.key)`))).toHaveLength(1);
    expect(await new HiddenWalk().find(at, counted("Read(/a.key)"))).toEqual([]);
    expect(await new HiddenWalk().find(at, counted("Read(*.key)"))).toHaveLength(1);
  });
  it("P6: a name that is no text can't be hidden, so no command runs", async () => {
    const dir = tree(["a"]);
    writeFileSync(Buffer.concat([Buffer.from(`${dir}/`), Buffer.from([0xff]), Buffer.from(".env")]), "");
    const find = new HiddenWalk().find([{ at: dir, shown: dir, name: "" }], counted("Read(*.env)"));
    await expect(find).rejects.toThrow(/a name that is no text/);
  });
});
