import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import type { Program } from "./program.ts";
import type { Spread } from "./stats.ts";

const ROOT = resolve(import.meta.dirname, "../..");
const NPM = join(dirname(process.execPath), "npm");

export type Installed = { ok: true; modules: string } | { ok: false; why: string };

/** Installs a peer's package into a folder of its own below `base`, where it isn't there yet; nothing but npm fetches anything. */
export function install(base: string, { name, install: wanted }: Program): Installed {
  const dir = join(base, name);
  const modules = join(dir, "node_modules");
  if (wanted === undefined) return { ok: true, modules };
  const spec = `${wanted.packageName}@${wanted.version}`;
  const done = join(dir, "installed");
  if (existsSync(done) && readFileSync(done, "utf8") === spec) return { ok: true, modules };
  mkdirSync(dir, { recursive: true });
  writeFileSync(join(dir, "package.json"), '{"private":true}');
  const npm = npmOf();
  const run = spawnSync(npm.file, [...npm.words, "install", "--no-audit", "--no-fund", "--loglevel=error", spec], {
    cwd: dir,
    encoding: "utf8",
    timeout: 300_000,
  });
  if (run.status !== 0) return { ok: false, why: `npm install failed (${run.status ?? run.signal ?? "not started"})` };
  writeFileSync(done, spec);
  return { ok: true, modules };
}

/** The npm that started us, else the one on PATH. */
function npmOf(): { file: string; words: string[] } {
  const script = process.env["npm_execpath"];
  if (script !== undefined) return { file: process.execPath, words: [script] };
  return { file: existsSync(NPM) ? NPM : "npm", words: [] };
}

/** MiB and packages below a folder of modules. */
export function sizeOf(modules: string): { sizeMib: Spread; packages: Spread } {
  let [bytes, packages] = [0, 0];
  for (const entry of readdirSync(modules, { recursive: true, withFileTypes: true })) {
    if (!entry.isFile()) continue;
    // Files with two names are there once; blocks, not lengths, are what a disk loses.
    const { blocks, nlink } = statSync(join(entry.parentPath, entry.name));
    bytes += (blocks * 512) / nlink;
    if (entry.name === "package.json" && /node_modules\/(@[^/]+\/)?[^/]+$/.test(entry.parentPath)) packages++;
  }
  return { sizeMib: one(bytes / 2 ** 20), packages: one(packages) };
}

/** Our own package, packed and installed as a person does. */
export function installOwn(base: string): Installed {
  const dir = join(base, "understudy");
  mkdirSync(dir, { recursive: true });
  const npm = npmOf();
  const run = (words: readonly string[], cwd: string) =>
    spawnSync(npm.file, [...npm.words, ...words], { cwd, encoding: "utf8", timeout: 300_000 });
  const packed = run(["pack", "--ignore-scripts", "--loglevel=error", "--pack-destination", dir], ROOT);
  if (packed.status !== 0) return { ok: false, why: "npm pack failed" };
  const archive = packed.stdout.trim().split("\n").at(-1) ?? "";
  writeFileSync(join(dir, "package.json"), '{"private":true}');
  const done = run(["install", "--no-audit", "--no-fund", "--loglevel=error", `./${archive}`], dir);
  return done.status === 0
    ? { ok: true, modules: join(dir, "node_modules") }
    : { ok: false, why: "npm install failed" };
}

function one(value: number): Spread {
  return { median: value, least: value, most: value, n: 1 };
}
