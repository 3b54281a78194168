import { spawn } from "node:child_process";
import { chmodSync, lstatSync, mkdirSync, mkdtempSync, readdirSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** Where all cases of a run happen: one scratch folder, in it the program's own folders, which the cases share. */
export interface Ground {
  base: string;
  config: string;
  state: string;
}

/** The folders of one case. */
export interface CaseFolders {
  base: string;
  project: string;
  outside: string;
  home: string;
}

const NAME = "understudy-corpus-";

export function newGround(): Ground {
  const base = realpathSync(mkdtempSync(join(tmpdir(), NAME)));
  const ground = groundAt(base);
  for (const dir of [ground.config, ground.state]) mkdirSync(dir, { recursive: true, mode: 0o700 });
  return ground;
}

export function groundAt(base: string): Ground {
  return { base, config: join(base, "own", "config"), state: join(base, "own", "state") };
}

export function newFolders({ base: ground }: Ground): CaseFolders {
  const base = realpathSync(mkdtempSync(join(ground, "c-")));
  const made = { base, project: join(base, "project"), outside: join(base, "outside"), home: join(base, "home") };
  for (const dir of [made.project, made.outside, made.home]) mkdirSync(dir);
  return made;
}

/** Removes a scratch folder of ours, whatever modes a case left in it. */
export function remove(base: string): void {
  if (!realpathSync(base).includes(`/${NAME}`)) throw new Error(`${base} is no scratch folder of the corpus`);
  open(base);
  rmSync(base, { recursive: true, force: true });
}

function open(dir: string): void {
  chmodSync(dir, 0o700);
  for (const entry of readdirSync(dir, { withFileTypes: true })) if (entry.isDirectory()) open(join(dir, entry.name));
}

export interface Ran {
  code: number | null;
  out: string;
}

/** A line of a case on the real machine, in the case's own project folder; refuses to run anywhere else. */
export function onHost(line: string, { base, project, home }: CaseFolders, flags = "-euc"): Promise<Ran> {
  const real = realpathSync(project);
  if (!real.startsWith(`${base}/`) || !real.includes(`/${NAME}`))
    throw new Error(`${real} is not the case's own folder`);
  const env = { PATH: process.env["PATH"], HOME: home, LANG: "C.UTF-8", TMPDIR: base };
  return new Promise((resolve) => {
    // No socket as input: bash would take it for a remote login and read the machine's own start-up files.
    const child = spawn("bash", [flags, line], { cwd: real, env, timeout: 60_000, stdio: ["ignore", "pipe", "pipe"] });
    let out = "";
    const take = (data: Buffer): void => void (out = (out + data.toString()).slice(0, 2000));
    child.stdout.on("data", take);
    child.stderr.on("data", take);
    child.on("error", (error) => resolve({ code: null, out: error.message }));
    child.on("close", (code) => resolve({ code, out }));
  });
}

/** Everything in the case's folders as the kernel tells it: any write, by whatever way, shows. */
export function print({ project, outside, home }: CaseFolders): Map<string, string> {
  const seen = new Map<string, string>();
  for (const dir of [project, outside, home]) look(dir, seen);
  return seen;
}

function look(path: string, seen: Map<string, string>): void {
  const stat = lstatSync(path, { throwIfNoEntry: false, bigint: true });
  if (stat === undefined || seen.size > 20_000) return;
  seen.set(path, `${stat.ino} ${stat.mode} ${stat.size} ${stat.mtimeNs} ${stat.nlink}`);
  if (!stat.isDirectory()) return;
  let names: string[];
  try {
    names = readdirSync(path);
  } catch {
    return;
  }
  for (const name of names) look(join(path, name), seen);
}

/** Paths that differ between two prints. */
export function differences(before: ReadonlyMap<string, string>, after: ReadonlyMap<string, string>): string[] {
  const paths = new Set([...before.keys(), ...after.keys()]);
  return [...paths].filter((path) => before.get(path) !== after.get(path)).toSorted();
}
