import { cpSync, mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join, resolve } from "node:path";
import { findProgram, runProcess } from "../util/process.ts";
import type { Fixture } from "./suite-schema.ts";

/** What is needed to lay a fixture out. `path`: the search path for `tar` and `git`. */
export interface FixturePlace {
  suiteDir: string;
  path: string;
}

/** The name of the folder that the agent works in: of the fixture's own, and never one that tells what the task is. */
export function folderName(fixture: Fixture | undefined): string {
  if (fixture === undefined) return "project";
  const from = "folder" in fixture ? fixture.folder : "tar" in fixture ? fixture.tar : resolve("/", fixture.git);
  const name = basename(from).replace(/(\.tar)?\.(tgz|tar|gz|xz|bz2|zst)$/, "");
  return /^[\w-][\w.-]*$/.test(name) && name !== "fixture" ? name : "project";
}

/** Lays a fresh copy of a fixture out as this folder, which must not be there yet. @throws Error with one readable line. */
export async function layOut(fixture: Fixture | undefined, to: string, place: FixturePlace): Promise<void> {
  mkdirSync(to, { recursive: true, mode: 0o700 });
  if (fixture === undefined) return;
  if ("folder" in fixture) {
    cpSync(resolve(place.suiteDir, fixture.folder), to, {
      recursive: true,
      verbatimSymlinks: true,
      preserveTimestamps: true,
    });
    return;
  }
  if ("tar" in fixture) return unpack(resolve(place.suiteDir, fixture.tar), to, place.path);
  const temp = mkdtempSync(join(tmpdir(), "understudy-fixture-"));
  try {
    const tar = join(temp, "tree.tar");
    const tree = fixture.path === undefined ? fixture.ref : `${fixture.ref}:${fixture.path}`;
    const repo = resolve(place.suiteDir, fixture.git);
    await run(
      "git",
      ["-C", repo, "archive", "--format=tar", "-o", tar, tree],
      `git ${fixture.git} at ${tree}`,
      place.path,
    );
    await unpack(tar, to, place.path);
    for (const name of fixture.with ?? [])
      cpSync(join(repo, fixture.path ?? "", name), join(to, name), {
        recursive: true,
        verbatimSymlinks: true,
        preserveTimestamps: true,
      });
  } finally {
    rmSync(temp, { recursive: true, force: true });
  }
}

/** The commit that a name stands for now, in full. @throws Error with one readable line. */
export async function commitOf(
  { git, ref }: { git: string; ref: string },
  { suiteDir, path }: FixturePlace,
): Promise<string> {
  const args = [
    "-C",
    resolve(suiteDir, git),
    "rev-parse",
    "--verify",
    "--quiet",
    "--end-of-options",
    `${ref}^{commit}`,
  ];
  const program = findProgram("git", path);
  if (program === undefined) throw new Error(`git ${git} needs git, which is not installed.`);
  const { code, stdout } = await runProcess(program, args, {
    cwd: "/",
    env: { PATH: path, LC_ALL: "C" },
    timeoutMs: 60_000,
  });
  if (code !== 0) throw new Error(`git ${git} has no commit ${ref}`);
  return Buffer.from(stdout).toString("utf8").trim();
}

function unpack(tar: string, to: string, path: string): Promise<void> {
  return run("tar", ["-x", "-f", tar, "-C", to, "--no-same-owner"], tar, path);
}

async function run(name: string, args: readonly string[], what: string, path: string): Promise<void> {
  const program = findProgram(name, path);
  if (program === undefined) throw new Error(`The fixture ${what} needs ${name}, which is not installed.`);
  const result = await runProcess(program, args, { cwd: "/", env: { PATH: path, LC_ALL: "C" }, timeoutMs: 120_000 });
  if (result.code === 0) return;
  const words = result.failed ?? Buffer.from(result.stderr).toString("utf8").trim();
  throw new Error(`The fixture ${what} can't be laid out: ${name}: ${words.split("\n")[0] ?? ""}`);
}
