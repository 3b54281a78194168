import { spawnSync } from "node:child_process";
import { existsSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { copyOver } from "../../../src/evals/copy-over.ts";
import { layOut } from "../../../src/evals/fixture.ts";
import { fileProblem } from "../../../src/evals/grade-files.ts";
import type { Graded } from "../../../src/evals/graded.ts";
import { differences, snapshotOf } from "../../../src/evals/snapshot.ts";
import { hashOf } from "../../../src/evals/suite-hash.ts";
import { filesIn } from "../../support/evals.ts";
import { scratch } from "../../support/scratch.ts";

const PATH = process.env["PATH"] ?? "";

it("V1: a fixture of git is the whole commit, and no command of the repository's runs for it", async () => {
  const dir = scratch();
  const repo = filesIn(join(dir, "my shöp"), {
    "a.txt": "one\n",
    "tests/a.test": "$Format:%H$\n",
    ".gitattributes": "a.txt filter=x\ntests export-ignore\n*.test export-subst\n",
  });
  const git = (...args: string[]) =>
    spawnSync("git", ["-C", repo, "-c", "user.name=t", "-c", "user.email=t@example.org", ...args]);
  git("init", "-q");
  git("add", ".");
  git("commit", "-qm", "one");
  git("config", "filter.x.smudge", `touch '${dir}/ran'; cat`);
  git("worktree", "add", "-q", join(dir, "tree"), "HEAD");
  filesIn(join(dir, "tree"), { "packages/p.js": "p\n" });
  const place = { suiteDir: dir, path: PATH };
  const [whole, part] = [join(dir, "whole"), join(dir, "part")];
  // The worktree's own checkout ran it.
  spawnSync("rm", ["-f", join(dir, "ran")]);
  await layOut({ git: "my shöp", ref: "HEAD" }, whole, place);
  await layOut({ git: "tree", ref: "HEAD", path: "tests" }, part, place);
  expect(readFileSync(join(whole, "tests/a.test"), "utf8")).toBe("$Format:%H$\n");
  expect(readFileSync(join(part, "a.test"), "utf8")).toBe("$Format:%H$\n");
  expect(readFileSync(join(whole, "a.txt"), "utf8")).toBe("one\n");
  expect(existsSync(join(dir, "ran"))).toBe(false);
});

it.each<[string, (copy: string) => void]>([
  ["a link for a folder", (copy) => symlinkSync("../out", join(copy, "test"))],
  ["a link that leads nowhere", (copy) => symlinkSync("nowhere", join(copy, "test"))],
  ["a file for a folder", (copy) => filesIn(copy, { test: "x" })],
  ["a folder for a file", (copy) => filesIn(copy, { "test/a/b": "x" })],
  ["a link for a file", (copy) => symlinkSync("../../out/a", join(filesIn(copy, { "test/b": "" }), "test/a"))],
])("V1: hidden files come over %s, and nothing beside the copy is written", (_, made) => {
  const dir = filesIn(scratch(), { "hidden/test/a": "right", "out/a": "mine", "copy/keep": "kept" });
  const copy = join(dir, "copy");
  made(copy);
  copyOver(join(dir, "hidden"), copy);
  copyOver(join(dir, "hidden/test"), copy, "test/more/deep");
  const texts = ["copy/test/a", "copy/test/more/deep/a", "copy/keep", "out/a"].map((name) =>
    readFileSync(join(dir, name), "utf8"),
  );
  expect(texts).toEqual(["right", "right", "kept", "mine"]);
});

it("V1: a file that is reached through a link is not the folder's", () => {
  const dir = filesIn(scratch(), { "expected/a.txt": "right", "work/b.txt": "" });
  symlinkSync("../expected", join(dir, "work/docs"));
  const graded = { folder: join(dir, "work"), suiteDir: dir } as Graded;
  expect(fileProblem({ file: "docs/a.txt", same: "expected/a.txt" }, graded)).toBe("docs is a link");
});

it("V1: names that are no UTF-8 are told apart: an agent that makes one is graded all the same", async () => {
  const dir = scratch();
  const at = (name: string) => Buffer.concat([Buffer.from(`${dir}/`), Buffer.from(name, "latin1")]);
  writeFileSync(at("bad\xff"), "x");
  writeFileSync(at("bad\xfe"), "y");
  const [before, hash] = [await snapshotOf(dir), await hashOf(dir)];
  writeFileSync(at("bad\xfe"), "z");
  expect(differences(before, await snapshotOf(dir))).toEqual([{ path: "bad\\xfe", what: "changed" }]);
  expect(await hashOf(dir)).not.toBe(hash);
});
