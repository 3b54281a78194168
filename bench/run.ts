// `npm run bench [-- words]`: ratios to floors measured in the same run, never tests. Words choose groups; without any, and with `copy`, `day` or `questions`, bench/results.json is written.
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { cpus, loadavg, release, tmpdir, totalmem } from "node:os";
import { join } from "node:path";
import { build } from "../scripts/build.mjs";
import { copyFigures } from "./copy.ts";
import { dayFigures } from "./day.ts";
import { type Figure, type Group, measure } from "./measure.ts";
import { landRows, logRows, shellRows } from "./parts.ts";
import { programRows } from "./program.ts";
import { questionFigures } from "./questions.ts";
import { resumeRows } from "./resume.ts";
import { screenRows } from "./screen.ts";
import { streamRows } from "./stream.ts";

const GROUPS: Readonly<Record<string, (base: string) => Group | Promise<Group>>> = {
  program: programRows,
  screen: screenRows,
  shell: shellRows,
  land: landRows,
  log: logRows,
  stream: streamRows,
  resume: resumeRows,
};
/** These take minutes: only when they are asked for. */
const COPY = "copy";
const DAY = "day";
const QUESTIONS = "questions";
const RESULTS = join(import.meta.dirname, "results.json");

const wanted = process.argv.slice(2);
const APART = [COPY, DAY, QUESTIONS];
const unknown = wanted.filter((word) => !APART.includes(word) && !(word in GROUPS));
if (unknown.length > 0) {
  console.error(`no group ${unknown.join(", ")}: there are ${[...Object.keys(GROUPS), ...APART].join(", ")}`);
  process.exit(2);
}
await build();
const began = Date.now();
const load = loadavg()[0] ?? 0;
console.log(line("what", "median ms", "floor ms", "ratio", "least ms", "floor"));
const figures: Figure[] = [];
for (const [name, open] of Object.entries(GROUPS)) {
  if (wanted.length === 0 || wanted.includes(name)) await group(open);
}
const copy: Figure[] = [];
if (wanted.includes(COPY)) for await (const figure of copyFigures()) copy.push(show(figure));
const day = wanted.includes(DAY) ? await dayFigures() : undefined;
if (day !== undefined) console.log(`a day in fast motion: ${JSON.stringify(day)}`);
const questions = wanted.includes(QUESTIONS) ? await questionFigures() : undefined;
const seconds = Math.round((Date.now() - began) / 1000);
console.log(`\n${seconds} s on ${cpus().length} cores, load ${load.toFixed(1)} at the start; read the ratios.`);
if (wanted.length === 0) save({ ...taken(), figures });
if (wanted.includes(COPY)) save({ copy: { ...taken(), figures: copy } });
if (day !== undefined) save({ day: { ...taken(), ...day } });
if (questions !== undefined) save({ questions: { ...taken(), ...questions } });

/** When, and on what machine. */
function taken() {
  const machine = {
    node: process.versions.node,
    kernel: release(),
    cores: cpus().length,
    gb: Math.round(totalmem() / 1e9),
  };
  return { date: new Date().toISOString().slice(0, 10), ...machine, load: Math.round(load * 10) / 10, seconds };
}

/** The other part of the file stays. */
function save(part: object): void {
  const before = JSON.parse(readFileSync(RESULTS, "utf8")) as object;
  writeFileSync(RESULTS, `${JSON.stringify({ ...before, ...part }, null, 2)}\n`);
}

async function group(open: (base: string) => Group | Promise<Group>): Promise<void> {
  const base = mkdtempSync(join(tmpdir(), "understudy-bench-"));
  try {
    const opened = await open(base);
    try {
      for (const row of opened.rows) figures.push(show(await measure(row)));
    } finally {
      await opened.close();
    }
  } finally {
    rmSync(base, { recursive: true, force: true });
  }
}

function show(figure: Figure): Figure {
  const { name, ms, floorMs, ratio, leastMs, floorName } = figure;
  console.log(line(name, ms.toFixed(1), floorMs.toFixed(1), ratio.toFixed(2), leastMs.toFixed(1), floorName));
  return figure;
}

function line(name: string, ms: string, floor: string, ratio: string, least: string, floorName: string): string {
  const figures = `${ms.padStart(10)}${floor.padStart(10)}${ratio.padStart(8)}${least.padStart(10)}`;
  return `${name.padEnd(52)}${figures}  ${floorName}`;
}
