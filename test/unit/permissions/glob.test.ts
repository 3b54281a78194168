import fc from "fast-check";
import picomatch from "picomatch";
import { describe, expect, it } from "vitest";
import { PathPattern } from "../../../src/permissions/glob.ts";
import { deepRuns } from "../../support/deep.ts";

const covers = (pattern: string, path: string, tree = false) => new PathPattern(pattern).covers(path, tree);
const touches = (pattern: string, path: string) => new PathPattern(pattern).touches(path);

describe("P6: path patterns", () => {
  it.each([
    ["src/**", "src/a/b.ts"],
    ["src/**", "src"],
    ["/src/a.ts", "src/a.ts"],
    ["./src/a.ts", "src/a.ts"],
    ["*.ts", "a/b/c.ts"],
    ["src", "src/deep/a.ts"],
    ["src/", "src/a.ts"],
    ["src/*", "src/.env"],
    ["**/*.{ts,tsx}", "x/y.tsx"],
    ["a/**/b", "a/b"],
    ["a/**/b", "a/x/y/b"],
    ["**", "anything/at/all"],
    ["app/\\[id\\].tsx", "app/[id].tsx"],
    ["file[0-9].txt", "file7.txt"],
    ["file[!0-9].txt", "filex.txt"],
    ["a?c", "abc"],
    ["{a", "{a"],
    ["a\\*", "a*"],
    ["dir/日本*", "dir/日本語"],
    ["a/*b*c*", "a/xxbxxcxx"],
  ])("an allow of %s covers %s", (pattern, path) => {
    expect(covers(pattern, path)).toBe(true);
    expect(touches(pattern, path)).toBe("yes");
  });
  it.each([
    ["src/*", "src/a/b.ts"],
    ["src/**", "srcx/a"],
    ["src", "srcx"],
    ["src/a", "lib/src/a"],
    ["/a.txt", "b/a.txt"],
    ["*.ts", "a.ts/b"],
    ["SRC/**", "src/a"],
    ["src/**", "SRC/a"],
    ["src/**", "src/../etc/passwd"],
    ["src/**", "../src/a"],
    ["src/**", "/src/a"],
    ["**", "/etc/passwd"],
    ["**", "a\0b"],
    ["a[0-9]", "a10"],
    ["a[b]", "a]"],
    ["a?c", "a/c"],
    ["a\\*", "ab"],
    ["app/[id].tsx", "app/[id].tsx"],
    ["{a,b}/x", "c/x"],
  ])("an allow of %s does not cover %j", (pattern, path) => {
    expect(covers(pattern, path)).toBe(false);
  });
  it.each([
    ["secrets", "Secrets/KEY"],
    [".git/", ".GIT/hooks/pre-commit"],
    [".vscode", "x/.Vscode/tasks.json"],
    [".git", ".git./config"],
    [".env", ".e\u200bnv"],
    ["*.pem", "ｋey.PEM"],
    ["src/*", "src/a/b.ts"],
    ["docs", "docs/../../x"],
    [".env", "/home/me/.env"],
  ])("path-escape-047: a deny of %s touches %j", (pattern, path) => {
    expect(touches(pattern, path)).toBe("yes");
  });
  it("a deny that isn't for this path leaves it alone, one that may be hit below a folder says so", () => {
    expect(touches("/src", "lib/src")).toBe("no");
    expect(touches("src/x", "/src/x")).toBe("no");
    expect(touches("secrets/key", "secrets")).toBe("below");
    expect(touches(".env", "src")).toBe("below");
    expect(touches("lib/.env", "src")).toBe("no");
  });
  it("a whole folder is covered only by a pattern for all below it", () => {
    expect(covers("src/**", "src/new", true)).toBe(true);
    expect(covers("src", "src/new", true)).toBe(true);
    expect(covers("src/*", "src/new", true)).toBe(false);
    expect(covers("src/n*", "src/new", true)).toBe(false);
  });
  it("absolute patterns are for absolute paths alone", () => {
    expect(covers("//srv/x", "/srv/x/y")).toBe(true);
    expect(covers("//srv/x", "/srv/x-evil")).toBe(false);
    expect(covers("//srv/x", "srv/x")).toBe(false);
    expect(touches("//srv/x", "srv/x")).toBe("no");
    expect(covers("//srv/x", "/srv/x/../y")).toBe(false);
  });
  it.each([
    ["", "missing"],
    [" ", "missing"],
    ["/", "missing"],
    ["!a", "can't begin with !"],
    ["a/../b", "can't climb"],
    ["a[b", "without its ]"],
    ["a\\", "nothing literally"],
    ["x".repeat(1001), "longer"],
    ["a\0", "NUL"],
    ["{a,b}".repeat(7), "alternatives"],
  ])("%j is refused and says why", (pattern, why) => {
    expect(() => new PathPattern(pattern)).toThrow(why);
  });
});

const sign = fc.constantFrom("a", "b", "A", ".", "-", "é");
const name = fc.array(sign, { minLength: 1, maxLength: 4 }).map((s) => s.join(""));
const part = fc.oneof(
  name,
  fc
    .array(fc.oneof(sign, fc.constantFrom("*", "?", "[ab]", "[!a]", "{a,b}")), { minLength: 1, maxLength: 4 })
    .map((s) => s.join("")),
  fc.constant("**"),
);
const dotted = (parts: readonly string[]) => parts.some((p) => /^\.+$/.test(p));
const pattern = fc
  .array(part, { minLength: 2, maxLength: 4 })
  .filter((p) => !dotted(p))
  .map((p) => p.join("/"));
const path = fc
  .array(name, { minLength: 1, maxLength: 4 })
  .filter((p) => !dotted(p))
  .map((p) => p.join("/"));

describe("P6: path patterns, many", () => {
  it("an allow agrees with picomatch on the path itself", () => {
    fc.assert(
      fc.property(pattern, path, (glob, file) => {
        // Stars beside other signs, a last ** that stands for nothing and dots before braces are read differently there.
        fc.pre(!/\*\*[^/]|[^/]\*\*|\*\*$|^\.\//.test(glob));
        const compiled = new PathPattern(glob);
        if (/[*?[]/.test(glob.split("/").at(-1) ?? "")) {
          // It knows [^a] alone.
          const peer = picomatch(glob.replaceAll("[!", "[^"), { dot: true, noextglob: true, nonegate: true })(file);
          expect(compiled.covers(file)).toBe(peer);
        }
      }),
      deepRuns(1500, 200_000),
    );
  });
  it("a deny touches whatever an allow of the same pattern covers", () => {
    fc.assert(
      fc.property(fc.oneof(pattern, part), path, (glob, file) => {
        fc.pre(!/^[./]*$/.test(glob));
        const compiled = new PathPattern(glob);
        fc.pre(compiled.covers(file));
        expect(compiled.touches(file)).toBe("yes");
      }),
      deepRuns(1500, 200_000),
    );
  });
  it("SEC-G4: no pattern takes long", () => {
    const hostile = new PathPattern("**/*a*a*a*a*a*a*a*a*a*a*b/**/".repeat(20) + "x");
    expect(hostile.touches(("a".repeat(250) + "/").repeat(16) + "y")).toBe("below");
    expect(hostile.covers(("a".repeat(250) + "/").repeat(16) + "x")).toBe(false);
  });
});
