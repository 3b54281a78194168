// `npm test`: static checks, build, every test, and a closing line "N passed, N failed" out of the runner's own figures.
// Arguments go to vitest (a file, -t "L4"); with arguments the static checks are left out.
import { spawnSync } from "node:child_process";
import { readFileSync, rmSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { buildIfOlder } from "./build.mjs";
import { check } from "./check.mjs";

const root = fileURLToPath(new URL("..", import.meta.url));
process.chdir(root);
const args = process.argv.slice(2);

if (args.length === 0 && !(await check())) {
  console.log("0 passed, 1 failed");
  process.exit(1);
}
try {
  await buildIfOlder();
} catch (error) {
  console.error(`build failed\n${error instanceof Error ? error.message : error}`);
  console.log("0 passed, 1 failed");
  process.exit(1);
}
rmSync(".test-results", { recursive: true, force: true });
const run = spawnSync(
  process.execPath,
  ["node_modules/vitest/vitest.mjs", "run", "--reporter=dot", "--reporter=./scripts/reporter.mjs", ...args],
  // Hundreds of processes start from the same files: the first keeps what it compiled for the others.
  { stdio: "inherit", env: { ...process.env, NO_COLOR: "1", NODE_COMPILE_CACHE: root + ".test-results/compiled" } },
);
let counts;
try {
  counts = JSON.parse(readFileSync(".test-results/counts.json", "utf8"));
} catch {
  counts = { passed: 0, failed: 1, notRunnable: [] };
}
if (run.status !== 0 && counts.failed === 0) counts.failed = 1;
if (counts.notRunnable.length > 0) {
  console.log(`${counts.notRunnable.length} not runnable on this machine:`);
  for (const { test, why } of counts.notRunnable) console.log(`  ${test}: ${why}`);
  if (process.env["REQUIRE_ALL"] === "1") counts.failed += counts.notRunnable.length;
}
console.log(`${counts.passed} passed, ${counts.failed} failed`);
process.exit(counts.failed === 0 ? 0 : 1);
