import assert from "node:assert/strict";
import { execFileSync, spawnSync } from "node:child_process";
import { chmodSync, existsSync, lstatSync, mkdirSync, readdirSync } from "node:fs";
import { dirname, join } from "node:path";
import type { SandboxKind } from "../../src/sandbox/sandbox.ts";
import { randomId, systemClock } from "../../src/util/system.ts";
import type { Conflict } from "../../src/workspace/change.ts";
import { removeAll } from "../../src/workspace/land-copy.ts";
import { systemDisk } from "../../src/workspace/land-disk.ts";
import { openWorkspace } from "../../src/workspace/open.ts";
import type { Workspace } from "../../src/workspace/workspace.ts";
import { watched } from "./disk-faults.ts";
import { sandboxBench, type SandboxBench } from "./sandbox-bench.ts";
import { FIXTURE } from "./sandbox-scripts.ts";
import { treeLines } from "./tree.ts";

/** A commit is the same in both worlds only at the same time. */
const DATES = "export GIT_AUTHOR_DATE='2026-01-01T00:00:00Z' GIT_COMMITTER_DATE='2026-01-01T00:00:00Z'\n";

/** A folder, a copy of it and the real door: what a command does plainly, it must do through them. */
export interface Ground {
  /**
   * One script in both worlds. Before it lands the folder is untouched; landed it is what the plain run made; undone it is
   * what it was, redone and undone once more likewise. Throws where not. Of a difference that docs/copy.md lists the result must
   * tell; then the script only has to leave the folder as it was.
   */
  round(script: string): Promise<"same" | "known">;
  close(): Promise<void>;
}

/** @throws AssertionError where that backend can't be had. */
export async function openGround(kind: SandboxKind, prepare = ""): Promise<Ground> {
  let ws: Workspace | undefined;
  const bench = await sandboxBench({
    only: [kind],
    prepare: (folder, base) => bash(FIXTURE + prepare, folder, base),
    newStep: (operationId) => {
      assert.ok(ws !== undefined);
      return ws.newStep(operationId);
    },
  });
  assert.equal(bench.sandbox.kind, kind, bench.sandbox.why.join("; "));
  ws = await openWorkspace(
    {
      roots: [{ path: bench.folder, kind: "folder" }],
      foldersDir: join(dirname(bench.steps), "folders"),
      sessionId: "s_oracle",
    },
    // No test cuts the power.
    { clock: systemClock, makeId: randomId, disk: watched(systemDisk, () => {}) },
  );
  const opened = ws;
  return {
    round: (script) => round(bench, opened, DATES + script),
    close: async () => {
      await opened.close();
      await bench.close();
    },
  };
}

function bash(code: string, cwd: string, home: string): void {
  // A script may fail: the copy must fail the same way.
  spawnSync("bash", ["-c", code], {
    cwd,
    stdio: "ignore",
    timeout: 60_000,
    env: { PATH: process.env["PATH"], HOME: home },
  });
}

async function round(bench: SandboxBench, ws: Workspace, script: string): Promise<"same" | "known"> {
  const { folder, base } = bench;
  const original = state(folder);
  const apart = lstatSync(dirname(bench.steps)).dev !== lstatSync(folder).dev;
  const plain = join(base, "plain");
  copyTree(folder, plain);
  try {
    bash(script, plain, base);
    const untouched = [stats(folder), treeLines(folder, { lift: false })];
    const ran = await bench.run(script);
    assert.deepEqual([stats(folder), treeLines(folder, { lift: false })], untouched, "touched before anything landed");
    assert.ok(ran.changes !== undefined, ran.output);
    const { changes: set } = ran;
    const landing = await ws.land(set);
    const words = `${JSON.stringify(landing)} ${ran.retriedOn ?? ""} ${ran.output} ${ran.hints.join()}`;
    if (!landing.ok) {
      assert.ok(landing.conflicts.every(isClosed), `not landed: ${words}`);
      same(folder, original, original, false, `not landed: ${words}`);
      return "known";
    }
    const known = ran.hints.some((hint) => KNOWN.test(hint));
    const after = known ? state(folder) : state(plain);
    same(folder, after, original, false, `landed: ${words}`);
    for (const kind of ["undo", "redo", "undo"] as const) {
      const report = await ws[kind](set.operationId);
      assert.deepEqual([report.ok, report.conflicts], [true, []], kind);
      same(folder, kind === "undo" ? original : after, original, apart, `${kind}: ${words}`);
    }
    return known ? "known" : "same";
  } finally {
    await removeAll(systemDisk, plain);
  }
}

/** What a result says of a difference between the copy and the folder. */
const KNOWN = /read-only in this copy|use `mv`/;

/** An ordinary user's folder that its own mode closes to them. */
function isClosed({ why }: Conflict): boolean {
  return process.getuid?.() !== 0 && /\blook into\b/.test(why);
}

interface State {
  tree: string[];
  /** Names of one and the same file. */
  links: string[][];
  git: string;
}

/**
 * All that counts of a folder: entries, which names are one file, and what git makes of its repository. What its own user can't
 * read is not opened for the look: that would be a change that an undo respects. Root compares it.
 */
function state(folder: string): State {
  const tree = treeLines(folder, { lift: false, skip: (path) => /(^|\/)\.git\/index$/.test(path) });
  return { tree: tree.filter((line) => !line.startsWith("socket ")), links: linked(folder), git: gitWords(folder) };
}

/**
 * Objects of git's stay after an undo, unreachable, so that nobody who fetched or refreshed meanwhile misses one (SANDBOX-H15):
 * more of them than there were are no difference, fewer are.
 */
function same(folder: string, wanted: State, original: State, apart: boolean, when: string): void {
  const now = state(folder);
  const had = new Set(wanted.tree);
  const tree = now.tree.filter((line) => had.has(line) || !OBJECT.test(line));
  assert.deepEqual({ ...now, tree, links: [] }, { ...wanted, links: [] }, when);
  compareLinks(now, wanted, original, apart);
}
const OBJECT = /^(file 444|folder 755) "repo\/\.git\/objects\/[0-9a-f]{2}(\/[0-9a-f]{38})?"/;

/** The index by its entries: its bytes hold times. */
function gitWords(folder: string): string {
  const repo = join(folder, "repo");
  if (!existsSync(join(repo, ".git", "HEAD"))) return "";
  const git = (...args: string[]): string => {
    const { stdout, stderr } = spawnSync("git", ["-c", "core.fsmonitor=false", ...args], {
      cwd: repo,
      encoding: "utf8",
      env: { PATH: process.env["PATH"], GIT_OPTIONAL_LOCKS: "0", GIT_DIR: join(repo, ".git"), GIT_WORK_TREE: repo },
    });
    return (stdout + stderr).replaceAll(folder, "FOLDER");
  };
  return [git("ls-files", "-s"), git("status", "--short", "--branch"), git("fsck", "--no-dangling")].join("\n");
}

function entries(folder: string): string[] {
  const found: string[] = [];
  const visit = (at: string): void => {
    let names: string[];
    try {
      names = readdirSync(Buffer.from(at, "latin1"), { encoding: "buffer" }).map((name) => name.toString("latin1"));
      for (const name of names) lstatSync(Buffer.from(`${at}/${name}`, "latin1"));
    } catch {
      // Closed to this user, or no folder.
      return;
    }
    for (const name of names) {
      const path = `${at}/${name}`;
      found.push(path);
      const stat = lstatSync(Buffer.from(path, "latin1"), { throwIfNoEntry: false });
      if (stat?.isDirectory() === true) visit(path);
    }
  };
  found.push(folder);
  visit(folder);
  return found;
}

/** Every entry with its inode and times: nobody can set a ctime back. */
function stats(folder: string): string[] {
  return entries(folder).map((path) => {
    const s = lstatSync(Buffer.from(path, "latin1"), { bigint: true });
    return [JSON.stringify(path), s.ino, s.mode, s.size, s.nlink, s.mtimeNs, s.ctimeNs].join(" ");
  });
}

function linked(folder: string): string[][] {
  const groups = new Map<number, string[]>();
  for (const path of entries(folder)) {
    const stat = lstatSync(Buffer.from(path, "latin1"));
    if (!stat.isFile() || stat.nlink < 2) continue;
    groups.set(stat.ino, [...(groups.get(stat.ino) ?? []), path.slice(folder.length)]);
  }
  return [...groups.values()].map((names) => names.toSorted());
}

/**
 * Names that must be one file: those that were and still are, and new ones among themselves. A new name of a file that was there lands
 * as a file of its own, and what was taken away to another file system and comes back is one too (docs/copy.md).
 */
function compareLinks(now: State, wanted: State, original: State, apart: boolean): void {
  const had = new Set(original.tree.map((line) => /^\w+ \d+ ("(?:[^"\\]|\\.)*")/.exec(line)?.[1]));
  const fresh = ({ links }: State): string[] =>
    links
      .map((group) => group.filter((name) => !had.has(JSON.stringify(name.slice(1)))))
      .flatMap((names) => (names.length > 1 ? [names.join(" = ")] : []))
      .toSorted();
  assert.deepEqual(fresh(now), fresh(wanted));
  for (const old of apart ? [] : original.links) {
    const pairs = ({ links }: State): string[][] => links.map((group) => group.filter((name) => old.includes(name)));
    // Equal bytes in a file of its own are no change: what was one file may stay one.
    for (const names of pairs(wanted))
      assert.ok(
        names.length < 2 || pairs(now).some((group) => names.every((name) => group.includes(name))),
        names.join(),
      );
  }
}

/** `cp -a`, which an ordinary user's unreadable folder stops; modes of the original are put back. */
function copyTree(from: string, to: string): void {
  mkdirSync(to, { mode: 0o755 });
  const locked = join(from, "locked");
  const closed = existsSync(locked);
  if (closed) chmodSync(locked, 0o700);
  execFileSync("cp", ["-a", `${from}/.`, to]);
  if (closed) for (const dir of [locked, join(to, "locked")]) chmodSync(dir, 0o000);
}
