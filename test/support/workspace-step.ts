import { execFileSync } from "node:child_process";
import { lstatSync, mkdirSync, readdirSync, readFileSync, readlinkSync, renameSync, rmSync } from "node:fs";
import { dirname, join } from "node:path";
import type { Root } from "../../src/events/event.ts";
import type { Change, ChangeSet, Fingerprint } from "../../src/workspace/change.ts";
import { createView } from "../../src/workspace/view.ts";
import { summarize } from "../../src/workspace/summarize.ts";
import type { ChangeSummary } from "../../src/events/effect.ts";
import { findIgnored } from "../../src/workspace/ignored.ts";
import { scratch } from "./scratch.ts";

export const GIT = ["/usr/bin/git", "/usr/local/bin/git", "/bin/git"].find((f) => exists(f));
const ENV = {
  PATH: "/usr/local/bin:/usr/bin:/bin",
  HOME: "/nonexistent",
  GIT_CONFIG_NOSYSTEM: "1",
  GIT_CONFIG_GLOBAL: "/dev/null",
  GIT_AUTHOR_NAME: "t",
  GIT_AUTHOR_EMAIL: "t@example.invalid",
  GIT_COMMITTER_NAME: "t",
  GIT_COMMITTER_EMAIL: "t@example.invalid",
};

function exists(path: string): boolean {
  return lstatSync(path, { throwIfNoEntry: false }) !== undefined;
}

/** Runs bash lines in a folder; throws when one fails. */
export function sh(cwd: string, lines: string): string {
  return execFileSync("/bin/bash", ["-euc", lines], {
    cwd,
    env: ENV,
    encoding: "utf8",
    stdio: ["ignore", "pipe", "pipe"],
  });
}

/** A repository with a.txt, b.txt, src/x.ts and docs/guide.md, committed on main. */
export function repo(dir: string): string {
  mkdirSync(dir, { recursive: true });
  const make = [
    "git init -q --template= -b main .; mkdir -p .git/info .git/hooks src docs",
    "printf 'alpha\\nbeta\\n' > a.txt; printf 'beta\\ngamma\\n' > b.txt",
    "printf 'export const foo = 1;\\n' > src/x.ts; printf '# Title\\n' > docs/guide.md; git add -A; git commit -qm init",
  ];
  sh(dir, make.join("\n"));
  return dir;
}

function print(path: string): Fingerprint | undefined {
  const stat = lstatSync(path, { bigint: true, throwIfNoEntry: false });
  if (stat === undefined) return undefined;
  const folderOrLink = stat.isDirectory() ? "folder" : "link";
  return {
    type: stat.isFile() ? "file" : stat.isFIFO() ? "fifo" : stat.isSocket() ? "socket" : folderOrLink,
    mode: Number(stat.mode & 0o7777n),
    size: Number(stat.size),
    mtime: String(stat.mtimeNs),
    ctime: String(stat.ctimeNs),
    ino: String(stat.ino),
    nlink: Number(stat.nlink),
    ...(stat.isSymbolicLink() ? { target: readlinkSync(path, { encoding: "latin1" }) } : {}),
  };
}

function names(path: string): string[] {
  return exists(path) && lstatSync(path).isDirectory() ? readdirSync(path) : [];
}

function differ(old: string, now: string, a: Fingerprint, b: Fingerprint): Change["op"] | undefined {
  if (a.type !== b.type) return "type";
  if (a.type === "file" && !readFileSync(old).equals(readFileSync(now))) return "modify";
  if (a.target !== b.target) return "modify";
  return a.mode === b.mode ? undefined : "chmod";
}

function filesBelow(path: string): number {
  return names(path).reduce(
    (sum, n) => sum + (lstatSync(join(path, n)).isDirectory() ? filesBelow(join(path, n)) : 1),
    0,
  );
}

interface Compare {
  root: number;
  old: string;
  now: string;
  upper: string;
  changes: Change[];
}

function compare(c: Compare, path: string): void {
  for (const name of new Set([...names(join(c.old, path)), ...names(join(c.now, path))])) {
    const at = path === "" ? name : `${path}/${name}`;
    const [old, now] = [join(c.old, at), join(c.now, at)];
    const [before, after] = [print(old), print(now)];
    const op =
      before === undefined ? "create" : after === undefined ? "delete" : differ(old, now, before, after ?? before);
    if (op === undefined) {
      if (before?.type === "folder") compare(c, at);
      continue;
    }
    const whole = op === "delete" ? old : now;
    const folder = (op === "delete" ? before : after)?.type === "folder" && op !== "chmod";
    c.changes.push({
      root: c.root,
      path: at,
      op,
      ...(before === undefined ? {} : { before }),
      ...(after === undefined ? {} : { after }),
      ...(folder ? { tree: { files: filesBelow(whole), bytes: 0 } } : {}),
    });
    if (op === "chmod" && before?.type === "folder") compare(c, at);
    if (after === undefined) continue;
    mkdirSync(dirname(join(c.upper, at)), { recursive: true });
    if (op !== "chmod" || after.type !== "folder") cpAll(now, join(c.upper, at));
  }
}

function cpAll(from: string, to: string): void {
  execFileSync("/bin/cp", ["-a", from, to]);
}

/**
 * What a command in the copy would bring: `lines` run in `cwd` at its true path, then all is put back as it was and the
 * difference is a change set with whole folders as one operation.
 */
export function step(roots: readonly Root[], cwd: string, lines: string): ChangeSet {
  const dir = scratch("step");
  roots.forEach((root, n) => cpAll(root.path, join(dir, `old${n}`)));
  sh(cwd, lines);
  const changes: Change[] = [];
  roots.forEach((root, n) => {
    renameSync(root.path, join(dir, `new${n}`));
    cpAll(join(dir, `old${n}`), root.path);
    const upper = join(dir, `u${n}`);
    mkdirSync(upper);
    compare({ root: n, old: root.path, now: join(dir, `new${n}`), upper, changes }, "");
  });
  for (const name of readdirSync(dir))
    if (/^(old|new)/.test(name)) rmSync(join(dir, name), { recursive: true, force: true });
  return { operationId: "op_test", stepFolder: dir, since: "0", changes };
}

export interface SummedOptions {
  made?: ReadonlyMap<string, string>;
  layers?: readonly string[];
  git?: string | undefined;
  maxEntries?: number;
}

/** Summary of a change set as a session would ask for it. */
export async function summed(
  set: ChangeSet,
  roots: readonly Root[],
  options: SummedOptions = {},
): Promise<ChangeSummary> {
  const facts = { made: options.made ?? new Map<string, string>(), ignored: await findIgnored(roots) };
  const git = "git" in options ? options.git : GIT;
  return summarize(set, facts, roots, createView(roots, options.layers ?? []), {
    git,
    ...(options.maxEntries === undefined ? {} : { maxEntries: options.maxEntries }),
  });
}

/** "path: mark mark" of each entry, for short assertions. */
export function told(summary: ChangeSummary): string[] {
  return summary.entries
    .map((e) => `${e.op} ${e.path}${e.marks.length > 0 ? `: ${e.marks.toSorted().join(" ")}` : ""}`)
    .toSorted();
}

/** Git's effects, the high ones with `!` before them; ids are cut out. */
export function gitTold(summary: ChangeSummary): string[] {
  return summary.git.map((e) => (e.high ? "!" : "") + e.text.replace(/\b[0-9a-f]{7}\b/g, "ID"));
}
