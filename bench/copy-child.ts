// The bars of the disposable copy, for one user of the machine: prints a figure as a line of JSON as soon as it is known.
import { spawn } from "node:child_process";
import { mkdirSync, mkdtempSync, realpathSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { SandboxKind } from "../src/sandbox/sandbox.ts";
import { removeTree } from "../src/sandbox/remove.ts";
import { scan, type ScanOptions } from "../src/sandbox/scan.ts";
import { findProgram } from "../src/util/process.ts";
import { sandboxBench, type SandboxBench } from "../test/support/sandbox-bench.ts";
import { landings } from "./copy-land.ts";
import { type Figure, measure, type Row, timed, timedProgram } from "./measure.ts";

const KINDS: readonly SandboxKind[] = ["overlay-root", "overlay-bwrap", "overlay-unshare"];
/** First argument of the process that measures memory. */
const MEMORY = "memory";
const who = process.getuid?.() === 0 ? "root" : "user";
const base = realpathSync(mkdtempSync(join(tmpdir(), "understudy-bench-copy-")));

async function tell(row: Row): Promise<void> {
  console.log(JSON.stringify(await measure({ ...row, name: `${row.name} (${who})` })));
}

/** `count` files of a few bytes, a thousand to a folder; `mb`: as many files of a megabyte. */
function tree(name: string, count: number, mb = 0): string {
  const dir = join(base, name);
  for (let i = 0; i < count; i++) {
    if (i % 1000 === 0) mkdirSync(join(dir, String(i / 1000)), { recursive: true });
    writeFileSync(join(dir, String(Math.floor(i / 1000)), `${i}.txt`), `${i}\n`);
  }
  for (let i = 0; i < mb; i++) writeFileSync(join(dir, "0", `${i}.bin`), Buffer.alloc(1 << 20, i + 1));
  return dir;
}

/** A copy of a folder that stands outside of the bench's own; undefined where this user can't have that kind here. */
async function copyOf(folder: string, kind: SandboxKind): Promise<SandboxBench | undefined> {
  const bench = await sandboxBench({ only: [kind], roots: () => [{ path: folder, kind: "folder" }] });
  if (bench.sandbox.kind === kind) return bench;
  console.error(`no ${kind} for ${who} here: ${bench.sandbox.why.join("; ")}`);
  await bench.close();
  return undefined;
}

/** SANDBOX 9: a command costs the same whatever lies in the folder. */
async function commands(kind: SandboxKind, folders: Readonly<Record<string, string>>): Promise<boolean> {
  for (const [size, folder] of Object.entries(folders)) {
    const bench = await copyOf(folder, kind);
    if (bench === undefined) return false;
    await tell({
      name: `command, ${size}, ${kind}`,
      floorName: "bash -c true; bar +40 ms, 100k ≤ 1.5 × 100",
      n: 9,
      run: () => timed(() => bench.run("true", { cwd: folder })),
      floor: () => timedProgram(["-c", "true"], { file: "bash", cwd: folder }),
    });
    await bench.close();
  }
  return true;
}

const SCANS: readonly [name: string, command: string, bar: string][] = [
  ["1 changed", "echo x > 0/0.txt", "10 ms"],
  ["1000 changed", "for f in 0/*.txt; do echo x > $f; done", "100 ms"],
  ["10k new", "mkdir n; cd n; for i in {1..10000}; do : > $i; done", "100 ms"],
];

/** What a command changed is found without looking at what it did not. */
async function scans(kind: SandboxKind, folder: string): Promise<void> {
  const bench = await copyOf(folder, kind);
  if (bench === undefined) return;
  for (const [name, command, bar] of SCANS) {
    const layer = await scanned(bench, folder, command);
    const run = (): Promise<number> => timed(() => scan(layer));
    await tell({ name: `scan, ${name}, ${kind}`, floorName: `bash -c true; bar ${bar}`, n: 5, run, floor: bare });
  }
  const layer = await scanned(bench, folder, "mkdir m; cd m; for i in {1..20000}; do : > $i; done");
  const [mb = 0, before = 0] = await memoryOf(layer);
  const figure: Figure = {
    name: `scan, MB of 20k new, ${kind} (${who})`,
    floorName: "MB before; bar +50 MB",
    ms: mb,
    floorMs: before,
    ratio: Math.round((mb / before) * 100) / 100,
    leastMs: mb,
    leastFloorMs: before,
    n: 1,
  };
  console.log(JSON.stringify(figure));
  await bench.close();
}

const bare = (): Promise<number> => timedProgram(["-c", "true"], { file: "bash" });

/** Runs a command once; its layer can be looked at again and again. */
async function scanned(bench: SandboxBench, folder: string, command: string): Promise<ScanOptions> {
  const { changes } = await bench.run(command, { cwd: folder });
  const tar = findProgram("tar", process.env["PATH"] ?? "");
  if (changes === undefined || tar === undefined) throw new Error(`nothing to scan after ${command}`);
  const { operationId, stepFolder, since } = changes;
  return {
    operationId,
    stepFolder,
    since,
    roots: [{ path: folder, kind: "folder" }],
    layers: [],
    tar,
    root: who === "root",
  };
}

/** MB that a scan adds at most in a process of its own, and what the process had before. */
async function memoryOf(layer: ScanOptions): Promise<number[]> {
  const child = spawn(process.execPath, [import.meta.filename, MEMORY, JSON.stringify(layer)], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  let out = "";
  child.stdout.setEncoding("utf8").on("data", (text: string) => (out += text));
  await new Promise((resolve) => child.on("close", resolve));
  return JSON.parse(out) as number[];
}

async function tellMemory(layer: ScanOptions): Promise<void> {
  const before = process.memoryUsage().rss / 2 ** 20;
  await scan(layer);
  const most = process.resourceUsage().maxRSS / 1024;
  console.log(JSON.stringify([most - before, before].map(Math.round)));
}

async function all(): Promise<void> {
  const folders = {
    "100 files": tree("a", 100),
    "10k files": tree("b", 10_000),
    "100k files": tree("c", 100_000),
    "1 GB": tree("d", 1, 1024),
  };
  for (const kind of KINDS) {
    if (await commands(kind, folders)) await scans(kind, folders["10k files"]);
  }
  await landings(base, tell);
}

const [word, layer = ""] = process.argv.slice(2);
try {
  if (word === MEMORY) await tellMemory(JSON.parse(layer) as ScanOptions);
  else await all();
} finally {
  await removeTree(base);
}
