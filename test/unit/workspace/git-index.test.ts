import { readFileSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { parseIndex } from "../../../src/workspace/git-index.ts";
import { missingTool, needs } from "../../support/runnable.ts";
import { scratch } from "../../support/scratch.ts";
import { repo, sh } from "../../support/workspace-step.ts";

function ours(dir: string, idBytes: 20 | 32 = 20): string {
  const lines = parseIndex(readFileSync(join(dir, ".git/index")), idBytes).map(
    (e) =>
      `${e.mode.toString(8).padStart(6, "0")} ${e.id} ${e.stage}\t${Buffer.from(e.path, "latin1").toString("utf8")}\0`,
  );
  return lines.join("");
}

describe("parseIndex", () => {
  it.for([2, 3, 4])("P3: version %i says what git ls-files -s says", (version, ctx) => {
    needs(ctx, missingTool("git"));
    const dir = repo(scratch());
    sh(
      dir,
      "mkdir -p deep/er; for i in $(seq 40); do echo $i > deep/er/file-$i-é; done; for i in $(seq 3); do n=$i$(printf 'x%.0s' $(seq 200)); echo > $n; done; ln -s a.txt l; chmod +x b.txt; git add -A",
    );
    if (version === 3) sh(dir, "echo n > n; git add -N n");
    sh(dir, `git update-index --index-version ${version}`);
    expect(readFileSync(join(dir, ".git/index")).readUInt32BE(4)).toBe(version);
    expect(ours(dir)).toBe(sh(dir, "git ls-files -s -z"));
  });
  it("P3: conflict stages, and SHA-256 repositories", (ctx) => {
    needs(ctx, missingTool("git"));
    const dir = repo(scratch());
    sh(
      dir,
      "git checkout -qb s; echo s > a.txt; git commit -qam s; git checkout -q main; echo m > a.txt; git commit -qam m; git merge -q s || true",
    );
    expect(ours(dir)).toBe(sh(dir, "git ls-files -s -z"));
    expect(ours(dir)).toContain(" 3\ta.txt");
    const wide = scratch();
    sh(wide, "git init -q --object-format=sha256 .; echo x > x; git add x");
    expect(ours(wide, 32)).toBe(sh(wide, "git ls-files -s -z"));
  });
  it("P3: a split index and damage are errors", (ctx) => {
    needs(ctx, missingTool("git"));
    const dir = repo(scratch());
    const good = readFileSync(join(dir, ".git/index"));
    expect(() => parseIndex(good.subarray(0, 100), 20)).toThrow();
    expect(() => parseIndex(Buffer.from("hello world, no index"), 20)).toThrow("DIRC");
    sh(dir, "git update-index --split-index");
    expect(() => parseIndex(readFileSync(join(dir, ".git/index")), 20)).toThrow("split");
  });
  it("P3: any bytes end in entries or an error, never in a hang", (ctx) => {
    needs(ctx, missingTool("git"));
    const good = readFileSync(join(repo(scratch()), ".git/index"));
    fc.assert(
      fc.property(fc.nat(good.length - 1), fc.nat(255), (at, byte) => {
        const bad = Buffer.from(good);
        bad[at] = byte;
        try {
          expect(parseIndex(bad, 20).length).toBeLessThan(1000);
        } catch (error) {
          expect(error).toBeInstanceOf(Error);
        }
      }),
    );
  });
});
