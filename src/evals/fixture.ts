import { cpSync, mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join, resolve } from "node:path";
import { findProgram, runProcess } from "../util/process.ts";
import { copyOver } from "./copy-over.ts";
import { archive } from "./fixture-git.ts";
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
    const repo = resolve(place.suiteDir, fixture.git);
    await unpack(await archive(fixture, temp, place), to, place.path);
    for (const name of fixture.with ?? []) copyOver(join(repo, fixture.path ?? "", name), to, name);
  } finally {
    rmSync(temp, { recursive: true, force: true });
  }
}

async function unpack(tar: string, to: string, path: string): Promise<void> {
  const program = findProgram("tar", path);
  if (program === undefined) throw new Error(`The fixture ${tar} needs tar, which is not installed.`);
  const args = ["-x", "-f", tar, "-C", to, "--no-same-owner"];
  const result = await runProcess(program, args, { cwd: "/", env: { PATH: path, LC_ALL: "C" }, timeoutMs: 120_000 });
  if (result.code === 0) return;
  const words = result.failed ?? Buffer.from(result.stderr).toString("utf8").trim();
  throw new Error(`The fixture ${tar} can't be laid out: tar: ${words.split("\n")[0] ?? ""}`);
}
