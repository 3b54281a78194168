import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { arrange, type Layout } from "./big-tree.ts";
import { type Done, openRig, type Rig } from "./rig.ts";
import { treeLines } from "./tree.ts";

/** A real folder of one of git's layouts, a session in it, and all that lies around it. */
export interface Job {
  folder: string;
  rig: Rig;
  /** A package with tests, seen from the folder; and all files of the layout's work trees and git dirs. */
  pkg: string;
  lines: () => string[];
}

/** Opens a session in a folder of `layout` below `base`; `fill` makes the repository's files, `packages/p0` among them. */
export async function openJob(
  base: string,
  layout: Layout,
  fill: (dir: string) => void,
  mode: "ask" | "auto" = "ask",
): Promise<Job> {
  for (const name of ["config", "state", "home"]) mkdirSync(join(base, name), { recursive: true });
  const folder = arrange(base, fill, layout, "packages/p0");
  const rig = await openRig(
    { folder, config: join(base, "config"), state: join(base, "state"), home: join(base, "home") },
    mode,
  );
  const trees = ["repo", ...(layout === "linked worktree" ? ["side"] : [])];
  return {
    folder,
    rig,
    pkg: layout === "package of a monorepo" ? "." : "packages/p0",
    lines: () => trees.flatMap((tree) => treeLines(join(base, tree)).map((line) => `${tree} ${line}`)),
  };
}

/** What differs, without git's objects, which an undo leaves (no later object may miss its own). */
export function differences(before: readonly string[], after: readonly string[]): string[] {
  const [old, now] = [new Set(before), new Set(after)];
  const all = [
    ...before.filter((l) => !now.has(l)).map((l) => `- ${l}`),
    ...after.filter((l) => !old.has(l)).map((l) => `+ ${l}`),
  ];
  return all.filter((line) => !/"(.*\/)?(\.git|modules\/[^"]*)\/objects\//.test(line));
}

export interface MainReport {
  kind: string;
  contained: boolean;
  found: string;
  sed: Pick<Done, "status" | "text"> & { asked: number; reason: string };
  tests: Pick<Done, "status" | "result"> & { asked: number };
  undone: string[];
  /** Lines of the trees that are not as before. */
  changed: string[];
  seconds: Record<string, number>;
}

/** The main job: find a symbol, change it in 12 files by one command, run the tests in the copy, undo everything. */
export async function mainJob(job: Job, symbol: string, where: string): Promise<MainReport> {
  const { rig, pkg } = job;
  const before = job.lines();
  const found = await rig.call("Grep", { pattern: `\\b${symbol}\\b`, output_mode: "files_with_matches", path: where });
  const command = `grep -rlw ${symbol} ${where} | sort | head -12 | xargs sed -i 's/\\b${symbol}\\b/renamed_${symbol}/g'`;
  const sed = await rig.bash(command, "yes");
  const tests = await rig.bash(`cd ${pkg} && node --test 2>&1; code=$?; cd ${job.folder}; exit $code`);
  const since = performance.now();
  const undone = (await rig.undoAll()).map((report) => report.text);
  return {
    kind: rig.session.sandbox.kind,
    contained: rig.session.sandbox.contained,
    found: found.result,
    sed: { status: sed.status, text: sed.text, asked: sed.asked.length, reason: sed.asked[0]?.decision.reason ?? "" },
    tests: { status: tests.status, result: tests.result, asked: tests.asked.length },
    undone,
    changed: differences(before, job.lines()),
    seconds: {
      grep: found.seconds,
      sed: sed.seconds,
      tests: tests.seconds,
      undo: (performance.now() - since) / 1000,
    },
  };
}
