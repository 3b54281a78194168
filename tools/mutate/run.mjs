// `npm run mutate [-- words]`: changes the code that must never be wrong, one place at a time, and sees whether a test notices.
// Words choose groups by name, `src/…` files of them, `--left` only what the last run of the group left alive; then no result file
// is written. Exits 1 where a group has less than 90 % killed.
import { spawnSync } from "node:child_process";
import { existsSync, globSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";

const here = fileURLToPath(new URL(".", import.meta.url));
const root = fileURLToPath(new URL("../..", import.meta.url));
const BAR = 90;
const WORKERS = 2;

/** What is mutated, and the tests that run against it. */
const GROUPS = {
  scan: {
    mutate: ["src/sandbox/{scan,scan-*,upper,opaque,lift}.ts"],
    tests: ["test/unit/sandbox/{scan,upper,opaque,lift}*.test.ts"],
  },
  conflict: {
    mutate: ["src/workspace/{conflict,base,merge,hunk,returned,parents,select}.ts"],
    tests: ["test/unit/workspace/{conflict,base,merge,hunk,returned,parents,select}*.test.ts"],
  },
  landing: {
    mutate: ["src/workspace/land*.ts"],
    tests: ["test/unit/workspace/{land,recover,whole}*.test.ts", "test/unit/workspace/{conflict,returned}.test.ts"],
  },
  permissions: {
    mutate: [
      "src/permissions/{decide,lattice,risk,rule-*,command-match,glob,glob-parts,words,offer,bypass,hides,scripts-in,texts-in}.ts",
    ],
    // Not tool-rules: it puts another list of tools in the place of the real one, which only vitest can.
    tests: [
      "test/unit/permissions/{bypass,command-match,decide,glob,glob-parts,hides,lattice,mcdc,offer,question,rule-*,shaped,table,texts-in}.test.ts",
    ],
  },
  journal: {
    mutate: ["src/workspace/{journal,journal-steps,plan,recover,lock}.ts"],
    tests: ["test/unit/workspace/{journal,plan,recover,lock,make-folders}*.test.ts"],
  },
  sanitiser: {
    mutate: ["src/util/{visible,json-line}.ts", "src/ui/term/guard.ts"],
    tests: ["test/unit/util/{visible,json-line,sanitise}*.test.ts", "test/unit/ui/term/guard.test.ts"],
  },
};

function install() {
  if (existsSync(`${here}node_modules/@stryker-mutator/instrumenter`)) return;
  const npm = spawnSync("npm", ["ci", "--no-audit", "--no-fund"], { cwd: here, stdio: "inherit" });
  if (npm.status !== 0) process.exit(1);
}

/** What an earlier run left alive, as text that is the same while the place in the file is. */
const textOf = (mutant) => `${mutant.file}:${mutant.place} ${mutant.what}`;

async function runGroup(name, group, { files, left }) {
  const [{ makeMutants, planOf }, { startWorker }] = await Promise.all([import("./mutants.mjs"), import("./pool.mjs")]);
  const instrumented = `${root}.test-results/mutants-${name}.json`;
  const result = `${root}.test-results/mutants-${name}-left.json`;
  mkdirSync(`${root}.test-results`, { recursive: true });
  const made = await makeMutants(root, files.length === 0 ? group.mutate : files, instrumented);
  const before = left && existsSync(result) ? new Set(JSON.parse(readFileSync(result, "utf8"))) : undefined;
  const mutants = made.filter((mutant) => before?.has(textOf(mutant)) ?? true);
  const tests = globSync(group.tests, { cwd: root }).toSorted();
  const args = [instrumented, ...tests.map((path) => root + path)];
  // What a mutant writes to a wrong place lands in a folder of its own.
  const cwd = `${root}.test-results/mutants-${name}`;
  mkdirSync(cwd, { recursive: true });
  const first = startWorker(cwd, args);
  const dry = await first.ask({ act: "dry" });
  if (dry === undefined) throw new Error("the tests without a mutant did not end");
  const red = dry.tests.filter((test) => test.error !== undefined);
  if (red.length > 0)
    throw new Error(`red without a mutant: ${red.map((t) => `${t.id} ${t.name}: ${t.error}`).join("\n")}`);
  const seconds = dry.tests.reduce((sum, test) => sum + test.ms, 0) / 1000;
  console.error(`${name}: ${mutants.length} mutants, ${dry.tests.length} tests (${seconds.toFixed(1)} s)`);
  const queue = planOf(mutants, dry);
  const alive = [];
  let done = 0;
  const workers = [first, ...Array.from({ length: WORKERS - 1 }, () => startWorker(cwd, args))];
  await Promise.all(
    workers.map(async (worker) => {
      for (let next = queue.shift(); next !== undefined; next = queue.shift()) {
        if (!(await isKilled(worker, next))) {
          alive.push(next);
          console.error(`alive: ${textOf(next)}`);
        }
        done += 1;
        if (done % 50 === 0) console.error(`${name}: ${done} tried, ${alive.length} alive`);
      }
      worker.stop();
    }),
  );
  writeFileSync(result, JSON.stringify(alive.map(textOf)));
  return { mutants, alive: new Set(alive.map((mutant) => mutant.id)) };
}

async function isKilled(worker, mutant) {
  if (mutant.order.length === 0) return false;
  for (let tries = 0; ; tries++) {
    const answer = await worker.ask({ act: "mutant", ...mutant });
    // It hung, or took the process with it.
    if (answer === undefined) return true;
    if (!answer.dirty) return answer.killer !== undefined;
    // What an earlier mutant left behind may have failed that test: once more in a new process.
    worker.renew();
    if (tries > 0) return true;
  }
}

/** A group's part of the result. */
function told(name, { mutants, alive }) {
  const rate = (some) => some.filter((mutant) => !alive.has(mutant.id)).length;
  const score = mutants.length === 0 ? 0 : Math.floor((rate(mutants) / mutants.length) * 1000) / 10;
  const rows = [...Map.groupBy(mutants, (mutant) => mutant.file)].map(
    ([file, some]) => `| ${file} | ${some.length} | ${rate(some)} |`,
  );
  const left = mutants.filter((mutant) => alive.has(mutant.id)).map((mutant) => `- \`${textOf(mutant)}\``);
  const head = `## ${name}: ${rate(mutants)} of ${mutants.length} killed (${score} %)`;
  const lines = [head, "", "| file | mutants | killed |", "|---|---|---|", ...rows, ""];
  return { score, lines: left.length === 0 ? lines : [...lines, "Survivors:", "", ...left, ""] };
}

const args = process.argv.slice(2);
const files = args.filter((word) => word.startsWith("src/"));
const left = args.includes("--left");
const words = args.filter((word) => !word.startsWith("src/") && word !== "--left");
const chosen = Object.entries(GROUPS).filter(([name]) => words.length === 0 || words.includes(name));
if (chosen.length === 0) {
  console.error(`groups are: ${Object.keys(GROUPS).join(", ")}`);
  process.exit(2);
}
install();
const parts = [];
for (const [name, group] of chosen) parts.push(told(name, await runGroup(name, group, { files, left })));
const today = new Date().toISOString().slice(0, 10);
const text = [`# Mutants, ${today}`, "", ...parts.flatMap((part) => part.lines)].join("\n");
if (args.length === 0) {
  mkdirSync(`${root}docs/deep`, { recursive: true });
  writeFileSync(`${root}docs/deep/mutants-${today}.md`, text);
}
console.log(text);
process.exitCode = parts.some((part) => part.score < BAR) ? 1 : 0;
