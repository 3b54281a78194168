// `npm run mutate [-- words]`: changes the code that must never be wrong, one place at a time, and sees whether a test notices.
// Words choose groups by name; then no result file is written. Exits 1 where a group has less than 90 % killed.
import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";

const here = fileURLToPath(new URL(".", import.meta.url));
const root = fileURLToPath(new URL("../..", import.meta.url));
const BAR = 90;

/** What is mutated, and the tests that run against it. */
const GROUPS = {
  scan: {
    mutate: ["src/sandbox/scan*.ts", "src/sandbox/upper.ts", "src/sandbox/opaque.ts"],
    tests: ["test/unit/sandbox/**/*.test.ts", "test/contract/sandbox.test.ts"],
  },
  conflict: {
    mutate: ["src/workspace/{conflict,base,merge,hunk,returned,parents,select}.ts"],
    tests: ["test/unit/workspace/**/*.test.ts"],
  },
  landing: {
    mutate: ["src/workspace/land*.ts"],
    tests: ["test/unit/workspace/**/*.test.ts", "test/fault/door.test.ts"],
  },
  journal: {
    mutate: ["src/workspace/{journal,plan,recover,lock}.ts"],
    tests: ["test/unit/workspace/**/*.test.ts", "test/fault/door.test.ts"],
  },
};

function install() {
  if (existsSync(`${here}node_modules/@stryker-mutator/core`)) return;
  const npm = spawnSync("npm", ["ci", "--no-audit", "--no-fund"], { cwd: here, stdio: "inherit" });
  if (npm.status !== 0) process.exit(1);
}

function run(name, { mutate, tests }, only) {
  const report = `.test-results/mutants-${name}.json`;
  const config = {
    testRunner: "vitest",
    plugins: [`${here}node_modules/@stryker-mutator/vitest-runner/dist/src/index.js`],
    vitest: { configFile: "tools/mutate/vitest.config.ts", related: false },
    mutate: only ?? mutate,
    coverageAnalysis: "perTest",
    concurrency: 2,
    // A missing file on purpose: this compiler's API has no reader for it.
    tsconfigFile: "none.json",
    ignorePatterns: ["/dist", "/docs", "/bench", "/fixtures", "/.test-results", "/tools/mutate/node_modules"],
    tempDirName: ".test-results/stryker",
    reporters: ["json", "progress-append-only"],
    jsonReporter: { fileName: report },
    timeoutMS: 30_000,
    disableTypeChecks: false,
    checkers: [],
  };
  mkdirSync(`${root}.test-results`, { recursive: true });
  const file = `${root}.test-results/stryker-${name}.json`;
  writeFileSync(file, JSON.stringify(config));
  rmSync(root + report, { force: true });
  spawnSync(process.execPath, [`${here}node_modules/@stryker-mutator/core/bin/stryker.js`, "run", file], {
    cwd: root,
    stdio: "inherit",
    env: { ...process.env, MUTATE_TESTS: tests.join(",") },
  });
  return existsSync(root + report) ? JSON.parse(readFileSync(root + report, "utf8")) : undefined;
}

/** Rows of one group: file, mutants, killed, survivors with their place. */
function rowsOf(report) {
  return Object.entries(report.files).map(([file, { mutants }]) => {
    const of = (...states) => mutants.filter((m) => states.includes(m.status));
    const killed = of("Killed", "Timeout", "RuntimeError").length;
    const left = of("Survived", "NoCoverage");
    return {
      file,
      killed,
      all: killed + left.length,
      left: left.map((m) =>
        `${file}:${m.location.start.line}:${m.location.start.column} ${m.mutatorName}: ${m.replacement ?? ""}`.slice(
          0,
          200,
        ),
      ),
    };
  });
}

const words = process.argv.slice(2).filter((word) => !word.startsWith("src/"));
const files = process.argv.slice(2).filter((word) => word.startsWith("src/"));
const chosen = Object.entries(GROUPS).filter(([name]) => words.length === 0 || words.includes(name));
if (chosen.length === 0) {
  console.error(`groups are: ${Object.keys(GROUPS).join(", ")}`);
  process.exit(2);
}
install();
const lines = [];
let bad = false;
for (const [name, group] of chosen) {
  const report = run(name, group, files.length === 0 ? undefined : files);
  const rows = report === undefined ? [] : rowsOf(report);
  const [killed, all] = [rows.reduce((n, r) => n + r.killed, 0), rows.reduce((n, r) => n + r.all, 0)];
  const score = all === 0 ? 0 : Math.floor((killed / all) * 1000) / 10;
  bad ||= score < BAR;
  lines.push(`## ${name}: ${killed} of ${all} killed (${score} %)`, "", "| file | mutants | killed |", "|---|---|---|");
  lines.push(...rows.map((r) => `| ${r.file} | ${r.all} | ${r.killed} |`), "");
  const left = rows.flatMap((r) => r.left);
  if (left.length > 0)
    lines.push("Survivors:", "", ...left.map((l) => `- \`${l.replaceAll("`", "'").replaceAll("\n", " ")}\``), "");
}
const today = new Date().toISOString().slice(0, 10);
const text = [`# Mutants, ${today}`, "", ...lines].join("\n");
if (words.length === 0 && files.length === 0) {
  mkdirSync(`${root}docs/deep`, { recursive: true });
  writeFileSync(`${root}docs/deep/mutants-${today}.md`, text);
}
console.log(text);
process.exitCode = bad ? 1 : 0;
