// `npm run bench [-- words]`: ratios to floors measured in the same run, never tests. Words choose groups; without any, bench/results.json is written.
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { cpus, loadavg, tmpdir } from "node:os";
import { join } from "node:path";
import { build } from "../scripts/build.mjs";
import { type Figure, type Group, measure } from "./measure.ts";
import { landRows, logRows, shellRows } from "./parts.ts";
import { programRows } from "./program.ts";
import { screenRows } from "./screen.ts";

const GROUPS: Readonly<Record<string, (base: string) => Group | Promise<Group>>> = {
  program: programRows,
  screen: screenRows,
  shell: shellRows,
  land: landRows,
  log: logRows,
};

const wanted = process.argv.slice(2);
const unknown = wanted.filter((word) => !(word in GROUPS));
if (unknown.length > 0) {
  console.error(`no group ${unknown.join(", ")}: there are ${Object.keys(GROUPS).join(", ")}`);
  process.exit(2);
}
await build();
const began = Date.now();
const load = loadavg()[0] ?? 0;
const figures: Figure[] = [];
console.log(line("what", "median ms", "floor ms", "ratio", "floor"));
for (const [name, open] of Object.entries(GROUPS)) {
  if (wanted.length === 0 || wanted.includes(name)) await group(open);
}
const seconds = Math.round((Date.now() - began) / 1000);
console.log(`\n${seconds} s on ${cpus().length} cores, load ${load.toFixed(1)} at the start; read the ratios.`);
if (wanted.length === 0) {
  const machine = { node: process.versions.node, cores: cpus().length, load: Math.round(load * 10) / 10 };
  const results = { date: new Date().toISOString().slice(0, 10), ...machine, seconds, figures };
  writeFileSync(join(import.meta.dirname, "results.json"), `${JSON.stringify(results, null, 2)}\n`);
}

async function group(open: (base: string) => Group | Promise<Group>): Promise<void> {
  const base = mkdtempSync(join(tmpdir(), "understudy-bench-"));
  try {
    const opened = await open(base);
    try {
      for (const row of opened.rows) {
        const figure = await measure(row);
        figures.push(figure);
        const { name, ms, floorMs, ratio, floorName } = figure;
        console.log(line(name, ms.toFixed(1), floorMs.toFixed(1), ratio.toFixed(2), floorName));
      }
    } finally {
      await opened.close();
    }
  } finally {
    rmSync(base, { recursive: true, force: true });
  }
}

function line(name: string, ms: string, floor: string, ratio: string, floorName: string): string {
  return `${name.padEnd(26)}${ms.padStart(10)}${floor.padStart(10)}${ratio.padStart(8)}  ${floorName}`;
}
