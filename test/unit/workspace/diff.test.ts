import { createHash } from "node:crypto";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import type { Root } from "../../../src/events/event.ts";
import { diffs } from "../../../src/workspace/diff.ts";
import { withoutHunks } from "../../../src/workspace/hunk.ts";
import { createView } from "../../../src/workspace/view.ts";
import type { FileDiff } from "../../../src/workspace/workspace.ts";
import { findRoots } from "../../../src/workspace/roots.ts";
import { missingTool, needs } from "../../support/runnable.ts";
import { scratch } from "../../support/scratch.ts";
import { repo, sh, step } from "../../support/workspace-step.ts";

function folder(): { dir: string; roots: Root[] } {
  const dir = join(scratch("diff"), "p");
  mkdirSync(dir);
  return { dir, roots: [{ path: dir, kind: "folder" }] };
}
async function after(lines: string, more = "true"): Promise<readonly FileDiff[]> {
  const { dir, roots } = folder();
  sh(dir, more);
  return diffs(step(roots, dir, lines), roots, createView(roots, []));
}
const sha = (bytes: string | Buffer): string => createHash("sha256").update(bytes).digest("hex");

describe("diffs", () => {
  it("P5: a change with its lines and counts", async () => {
    const [diff] = await after("sed -i s/two/TWO/ f", "printf 'one\\ntwo\\nthree\\n' > f");
    expect(diff).toMatchObject({ root: 0, path: "f", op: "modify", added: 1, removed: 1 });
    expect(diff?.hunks).toEqual([{ oldStart: 1, newStart: 1, lines: [" one", "-two", "+TWO", " three"] }]);
    expect(diff).not.toHaveProperty("hidden");
  });
  it("P5: created and deleted files whole, deletions first, a missing line end told", async () => {
    const found = await after("printf 'new' > a; rm -r d", "mkdir d; printf '1\\n2\\n' > d/z");
    expect(found.map((d) => [d.op, d.path, d.hunks[0]?.lines])).toEqual([
      ["delete", "d/z", ["-1", "-2"]],
      ["create", "a", ["+new", "\\ No newline at end of file"]],
    ]);
    const { dir, roots } = folder();
    sh(dir, "echo b > b");
    const set = step(roots, dir, "rm b; echo a > a");
    const turned = { ...set, changes: set.changes.toSorted((x, y) => (x.op < y.op ? -1 : 1)) };
    expect((await diffs(turned, roots, createView(roots, []))).map((d) => d.op)).toEqual(["delete", "create"]);
    expect(found[0]).not.toHaveProperty("after");
    expect(found[1]?.after).toMatchObject({ size: 3, mode: 0o644 });
  });
  it("P5: links by their target, modes without lines, renames by both names", async () => {
    const found = await after("ln -sfn b l; chmod 600 m; mv r s", "ln -s a l; echo m > m; echo r > r");
    expect(
      found.map((d) => [
        d.op,
        d.path,
        d.from,
        d.hunks.flatMap((h) => h.lines.filter((t) => !t.startsWith("\\"))),
        d.after?.mode,
      ]),
    ).toEqual([
      ["link", "l", undefined, ["-a", "+b"], 0o777],
      ["chmod", "m", undefined, [], 0o600],
      ["rename", "s", "r", [], 0o644],
    ]);
  });
  it("P5: text in UTF-8, and what is none as latin1", async () => {
    const found = await after("echo 'größer' > u; printf 'gr\\xf6\\xdfer\\n' > l", "echo 'groß' > u; echo x > l");
    expect(found.map((d) => d.hunks[0]?.lines)).toEqual([
      ["-x", "+größer"],
      ["-groß", "+größer"],
    ]);
  });
  it("P5: binaries, files over 1 MB and diffs over 2,000 lines by size, type and hash", async () => {
    const found = await after(
      "printf 'a\\0b' > bin; printf '\\x89PNG\\r\\n\\x1a\\n\\0' > p.png; head -c 1048577 /dev/zero | tr '\\0' x > big; seq 2001 > long; seq 2000 > fits; sed -i s/^/x/ grown; sed -i s/0$/x/ spread",
      "seq 1500 > grown; seq 4000 > spread; printf 'a\\0c' > bin",
    );
    const seen = new Map(found.map((d) => [d.path, d]));
    expect(
      ["big", "bin", "fits", "grown", "long", "p.png", "spread"].map((path) => [path, seen.get(path)?.hidden]),
    ).toEqual([
      ["big", "over 1 MB"],
      ["bin", "binary"],
      ["fits", undefined],
      ["grown", "over 2000 lines"],
      ["long", "over 2000 lines"],
      ["p.png", "PNG image"],
      ["spread", "over 2000 lines"],
    ]);
    expect(seen.get("fits")).toMatchObject({ added: 2000, removed: 0 });
    expect(seen.get("bin")).toMatchObject({
      before: { size: 3, hash: sha("a\0c") },
      after: { size: 3, hash: sha("a\0b") },
      hunks: [],
    });
    expect(seen.get("big")?.after).toEqual({ size: 1048577, mode: 0o644, hash: sha(Buffer.alloc(1048577, "x")) });
    expect(seen.get("long")?.after?.hash).toMatch(/^[0-9a-f]{64}$/);
  });
  it("P5: a file replaced by a folder or a pipe says so", async () => {
    const found = await after("rm a b; mkdir a; echo 1 > a/f; mkfifo b", "echo a > a; echo b > b");
    expect(found.map((d) => [d.op, d.path, d.hidden, d.hunks[0]?.lines])).toEqual([
      ["type", "a", undefined, ["-a"]],
      ["create", "a/f", undefined, ["+1"]],
      ["type", "b", "fifo", undefined],
    ]);
  });
  it("P5: git's own files and regenerable output are left out", async (ctx) => {
    needs(ctx, missingTool("git"));
    const dir = repo(scratch());
    sh(dir, "echo dist > .gitignore; mkdir dist; echo 1 > dist/kept; git add -f .; git commit -qm x");
    const roots = await findRoots({ folder: dir });
    const set = step(roots, dir, "echo 2 > a.txt; echo 2 > dist/kept; echo 2 > dist/made; git commit -qam y");
    const found = await diffs(set, roots, createView(roots, []));
    expect(found.map((d) => d.path)).toEqual(["a.txt", "dist/kept"]);
  });
  it("P5: hunks are numbered as the door numbers them, whatever the encoding", async () => {
    const { dir, roots } = folder();
    const lines = Array.from({ length: 40 }, (_, n) => `zeile ${n} ä`);
    writeFileSync(join(dir, "f"), lines.join("\n"));
    const next = lines.map((line, n) => (n % 15 === 3 ? `${line} ö` : line)).join("\n");
    const set = step(roots, dir, `cat > f <<'X'\n${next}\nX`);
    const [diff] = await diffs(set, roots, createView(roots, []));
    expect(diff?.hunks.length).toBe(3);
    const left = withoutHunks(Buffer.from(lines.join("\n")), Buffer.from(`${next}\n`), [0, 2]).toString();
    expect(left.split("\n").filter((line) => line.endsWith("ö"))).toEqual(["zeile 18 ä ö"]);
    expect(diff?.hunks[1]?.lines).toContain("+zeile 18 ä ö");
  });
});
