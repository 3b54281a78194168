import {
  closeSync,
  fsyncSync,
  linkSync,
  lstatSync,
  mkdirSync,
  openSync,
  readdirSync,
  renameSync,
  unlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { fileSystemSync } from "../src/sandbox/sync-fs.ts";
import { randomId, systemClock } from "../src/util/system.ts";
import type { ChangeSet } from "../src/workspace/change.ts";
import { openWorkspace } from "../src/workspace/open.ts";
import type { Workspace } from "../src/workspace/workspace.ts";
import { sandboxBench, type SandboxBench } from "../test/support/sandbox-bench.ts";
import { type Row, timed } from "./measure.ts";

const MANY = 10_000;
const TEXT = Buffer.from("a line of text that is landed\n".repeat(40));

/** One change, although of so many files; as many changes as files, which come as a hundred folders; files one by one. */
const WHERE = { node_modules: "node_modules", new: "a new folder", old: "a folder that is there" };
const NESTED = "for d in {1..100}; do mkdir $d; for f in {1..100}; do echo $f > $d/$f; done; done";
const MAKES = {
  node_modules: `mkdir node_modules; cd node_modules; ${NESTED}`,
  new: `mkdir new; cd new; ${NESTED}`,
  old: `cd old; for f in {1..${MANY}}; do echo $f > $f; done`,
};

interface Place {
  folder: string;
  workspace: Workspace;
  bench: SandboxBench;
  syncFs: (folder: string) => Promise<void>;
  /** For what the floors make; on the folder's file system. */
  aside: string;
}

/** What Write stages and what commands made, through the door and back; the session's own wiring. */
export async function landings(base: string, tell: (row: Row) => Promise<void>): Promise<void> {
  const place = await openPlace(base);
  for (const [count, bar, n] of [
    [1, "15 ms", 9],
    [200, "100 ms", 5],
  ] as const) {
    const run = (go: number): Promise<ChangeSet> => staged(place, `op_w${count}_${go}`, count);
    const floor = (go: number): Promise<number> => written(join(place.aside, `w${count}-${go}`), count);
    await tell(landing(place, `landing, ${count} staged`, `write, fsync; bar ${bar}`, n, run, floor));
  }
  mkdirSync(join(place.folder, "old"));
  for (const name of ["node_modules", "new", "old"] as const) {
    const title = `10k new in ${WHERE[name]}`;
    const made = async (go: number): Promise<ChangeSet> => {
      const command = { cwd: place.folder, operationId: `op_${name}_${go}` };
      const { changes } = await place.bench.run(MAKES[name], command);
      if (changes === undefined) throw new Error("the command changed nothing");
      return changes;
    };
    const one = name !== "old";
    const goes = one ? "rename, sync -f; bar 100 ms" : "link, unlink, sync -f";
    const backs = one ? "lstat of each, rename, fsync; bar 20 ms" : "lstat and rename of each, fsync";
    await tell(landing(place, `landing, ${title}`, goes, 3, made, (go) => moved(place, `${name}-${go}`, one)));
    await tell(undoing(place, `undo, ${title}`, backs, 3, made, (go) => movedBack(place, `${name}-b${go}`, one)));
  }
  await place.bench.close();
  await place.workspace.close();
}

async function openPlace(base: string): Promise<Place> {
  const [folder, aside, state] = [join(base, "work"), join(base, "aside"), join(base, "state")];
  for (const dir of [folder, aside, state]) mkdirSync(dir);
  const roots = [{ path: folder, kind: "folder" as const }];
  const syncFs = fileSystemSync([folder]);
  if (syncFs === undefined) throw new Error("no sync on this machine");
  const workspace = await openWorkspace(
    { roots, foldersDir: join(state, "folders"), sessionId: "s_bench" },
    { clock: systemClock, makeId: randomId, syncFs },
  );
  const bench = await sandboxBench({ roots: () => roots, stateDir: state, newStep: (id) => workspace.newStep(id) });
  return { folder, workspace, bench, syncFs, aside };
}

async function staged({ workspace, folder }: Place, operationId: string, count: number): Promise<ChangeSet> {
  const stage = await workspace.stage(operationId, workspace.view([]));
  for (let i = 0; i < count; i++) await stage.put(join(folder, operationId, `${i}.txt`), TEXT);
  return stage.finish();
}

type Made = (go: number) => Promise<ChangeSet>;
type Floor = (go: number) => Promise<number>;

/** Each landing is taken back afterwards, so that the next finds the same folder. */
function landing(place: Place, name: string, floorName: string, n: number, made: Made, floor: Floor): Row {
  let go = 0;
  const run = async (): Promise<number> => {
    const set = await made(++go);
    const ms = await timed(() => land(place, set));
    await undo(place, set);
    return ms;
  };
  return { name, floorName, n, run, floor: () => floor(go) };
}

function undoing(place: Place, name: string, floorName: string, n: number, made: Made, floor: Floor): Row {
  let go = 100;
  const run = async (): Promise<number> => {
    const set = await made(++go);
    await land(place, set);
    return timed(() => undo(place, set));
  };
  return { name, floorName, n, run, floor: () => floor(go) };
}

async function land({ workspace }: Place, set: ChangeSet): Promise<void> {
  const found = await workspace.land(set);
  if (!found.ok) throw new Error(`it did not land: ${JSON.stringify(found.conflicts.slice(0, 3))}`);
}

async function undo({ workspace }: Place, { operationId }: ChangeSet): Promise<void> {
  const found = await workspace.undo(operationId);
  if (!found.ok) throw new Error(`it was not undone: ${JSON.stringify(found.conflicts.slice(0, 3))}`);
}

/** The same files written by hand, each safe on the disk. */
function written(dir: string, count: number): Promise<number> {
  return timed(() => {
    mkdirSync(dir);
    for (let i = 0; i < count; i++) {
      const fd = openSync(join(dir, `${i}.txt`), "wx");
      writeFileSync(fd, TEXT);
      fsyncSync(fd);
      closeSync(fd);
    }
  });
}

function tree(dir: string): void {
  mkdirSync(dir);
  for (let i = 1; i <= MANY; i++) writeFileSync(join(dir, `${i}`), `${i}\n`);
}

/** The least that brings such files: the folder renamed, or each file linked to its new name; then all of it safe on the disk. */
function moved({ aside, syncFs }: Place, name: string, one: boolean): Promise<number> {
  const [from, to] = [join(aside, name), join(aside, `${name}-to`)];
  tree(from);
  return timed(async () => {
    if (one) renameSync(from, to);
    else {
      mkdirSync(to);
      for (const file of readdirSync(from)) {
        linkSync(join(from, file), join(to, file));
        unlinkSync(join(from, file));
      }
    }
    await syncFs(aside);
  });
}

/** The least that takes them away and keeps what somebody changed: a look at each, a rename of the folder or of each. */
async function movedBack({ aside, syncFs }: Place, name: string, one: boolean): Promise<number> {
  const [from, to] = [join(aside, name), join(aside, `${name}-to`)];
  tree(from);
  await syncFs(aside);
  return timed(() => {
    const files = readdirSync(from);
    for (const file of files) lstatSync(join(from, file));
    if (one) renameSync(from, to);
    else {
      mkdirSync(to);
      for (const file of files) renameSync(join(from, file), join(to, file));
    }
    fsyncSync(openSync(aside, "r"));
  });
}
