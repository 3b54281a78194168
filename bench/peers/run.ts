// `npm run bench:peers [-- words]`: ours, the floors and programs of others, on the same work of the same server. Words choose groups or programs, and then nothing is written.
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { cpus, loadavg, release, tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { build } from "../../scripts/build.mjs";
import { type Collected, collect } from "./collect.ts";
import { GROUPS } from "./groups.ts";
import { install, installOwn, sizeOf } from "./install.ts";
import { FLOORS, OURS } from "./own.ts";
import { PEERS } from "./peers.ts";
import { type Ready, readyIn } from "./place.ts";
import { report } from "./report.ts";
import { ROWS } from "./rows.ts";
import { startServer } from "./server.ts";

const RESULTS = resolve(import.meta.dirname, "../RESULTS.md");
/** Installed once, for all runs. */
const INSTALLS = join(process.env["BENCH_PEERS_DIR"] ?? tmpdir(), "understudy-bench-peers");

const words = process.argv.slice(2);
const all = [OURS, ...PEERS, ...FLOORS];
const programs = chosen(all, words, ({ name }) => name);
const groups = chosen(GROUPS, words, ({ name }) => name);
const unknown = words.filter((word) => ![...all, ...GROUPS].some(({ name }) => name === word));
if (unknown.length > 0) {
  console.error(`no ${unknown.join(", ")}: there are ${[...all, ...GROUPS].map(({ name }) => name).join("; ")}`);
  process.exit(2);
}
await build();
mkdirSync(INSTALLS, { recursive: true });
const base = mkdtempSync(join(tmpdir(), "understudy-bench-"));
const server = await startServer();
const began = Date.now();
const loadAtFirst = loadavg()[0] ?? 0;
const collected = new Map<string, Collected>();
try {
  const ready = programs.flatMap((program): Ready[] => {
    const at = install(INSTALLS, program);
    const entry: Collected = { figures: {}, missing: {} };
    collected.set(program.name, entry);
    if (!at.ok) {
      entry.missing["everything"] = at.why;
      return [];
    }
    if (program.install !== undefined) Object.assign(entry.figures, sizeOf(at.modules));
    return [readyIn(join(base, program.name.replaceAll(/\W/g, "-")), program, server.url, at.modules)];
  });
  ownSize();
  for (const group of groups) {
    const since = Date.now();
    await collect(group, ready, server, collected);
    console.log(`${group.name}: ${Math.round((Date.now() - since) / 1000)} s`);
  }
} finally {
  await server.close();
  rmSync(base, { recursive: true, force: true, maxRetries: 5 });
}
const seconds = Math.round((Date.now() - began) / 1000);
const text = report({
  date: new Date().toISOString().slice(0, 10),
  node: process.versions.node,
  kernel: release().split("-")[0] ?? "",
  cores: cpus().length,
  load: [loadAtFirst, loadavg()[0] ?? 0],
  seconds,
  versions: Object.fromEntries(programs.map(({ name, install: from }) => [name, from?.version ?? ownVersion()])),
  collected,
});
if (words.length === 0) writeFileSync(RESULTS, text);
console.log(words.length === 0 ? `${ROWS.length} rows in ${RESULTS}` : text);

function ownVersion(): string {
  const manifest = JSON.parse(readFileSync(resolve(import.meta.dirname, "../../package.json"), "utf8")) as {
    version: string;
  };
  return manifest.version;
}

/** Packed and installed as a person does; what that takes is no go. */
function ownSize(): void {
  const entry = collected.get(OURS.name);
  if (entry === undefined || words.length > 0) return;
  const at = installOwn(base);
  if (at.ok && existsSync(at.modules)) Object.assign(entry.figures, sizeOf(at.modules));
  else entry.missing["size"] = at.ok ? "nothing was installed" : at.why;
}

/** Those whose names are among the words; all of them where no word names one. */
function chosen<T>(from: readonly T[], names: readonly string[], nameOf: (one: T) => string): readonly T[] {
  const some = from.filter((one) => names.includes(nameOf(one)));
  return some.length === 0 ? from : some;
}
