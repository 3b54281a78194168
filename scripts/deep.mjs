// `npm run deep [-- words]`: the long checks, with their full counts, and a dated result file in docs/deep/.
// Words choose files by part of their path; then no result file is written. `--go-on` takes over what an earlier run of this commit
// has already settled. A line for each file as it ends; all that was settled so far is in `.test-results/deep/`. Exits 1 when something failed.
import { spawn, spawnSync } from "node:child_process";
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { cpus } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "./build.mjs";
import { LONG_TESTS } from "./long-tests.mjs";

const root = fileURLToPath(new URL("..", import.meta.url));
const out = ".test-results/deep";
/** Two cores: more at once only fight for them. */
const WORKERS = 2;
const DEEP = "test/support/deep.ts";
/** Hands them on to a child. */
const HANDS_ON = "test/support/as-user.ts";
/** What the tests read: `deep()` of that file, and counts of their own. */
const COUNTS = { DEEP: "1", KILLS: "40" };
const READS = /\bdeep(Runs)?\(|env\["(DEEP|KILLS)"\]/;
/** Whether a test file, or what it imports of `test/`, reads the counts. */
function readsCounts(file, seen = new Set([DEEP, HANDS_ON])) {
  if (seen.has(file) || !existsSync(file)) return false;
  seen.add(file);
  const text = readFileSync(file, "utf8");
  if (READS.test(text)) return true;
  return [...text.matchAll(/ from "(\.[^"]+)"/g)].some(([, to]) => {
    const next = join(dirname(file), to);
    return next.startsWith("test/") && readsCounts(next, seen);
  });
}

/** Test files whose counts grow, and those that only this runs. */
function longFiles(words) {
  return readdirSync("test", { recursive: true, encoding: "utf8" })
    .filter((file) => /\.test\.tsx?$/.test(file) && file !== "unit/support/deep.test.ts")
    .map((file) => `test/${file}`)
    .filter((file) => file.includes(".deep.test.") || LONG_TESTS.includes(file) || readsCounts(file))
    .filter((file) => words.length === 0 || words.some((word) => file.includes(word)))
    .toSorted();
}

/** Runs the files, some at a time; what is settled of each is written at once, so that a run that is stopped loses only what it was at. */
async function run(files, commit, goOn) {
  if (!goOn) rmSync(out, { recursive: true, force: true });
  mkdirSync(out, { recursive: true });
  const queue = [...files];
  const results = [];
  const worker = async () => {
    for (let file = queue.shift(); file !== undefined; file = queue.shift()) {
      const kept = `${out}/${file.replaceAll("/", "-")}.json`;
      const before = settled(kept, commit);
      const result = before ?? (await runFile(file));
      if (before === undefined) writeFileSync(kept, JSON.stringify({ commit, result }));
      results.push(result);
      console.error(`${file}: ${result.passed} passed, ${result.failed.length} failed, ${result.seconds} s`);
      for (const text of result.failed) console.error(`  ${text}`);
    }
  };
  await Promise.all(Array.from({ length: WORKERS }, worker));
  return results.toSorted((a, b) => (a.file < b.file ? -1 : 1));
}

function settled(kept, commit) {
  if (!existsSync(kept)) return undefined;
  const { commit: of, result } = JSON.parse(readFileSync(kept, "utf8"));
  return of === commit && result.failed.length === 0 ? result : undefined;
}

async function runFile(file) {
  const json = `${out}/${file.replaceAll("/", "-")}.run.json`;
  rmSync(json, { force: true });
  const reporters = ["--reporter=json", `--outputFile.json=${json}`];
  const args = ["node_modules/vitest/vitest.mjs", "run", "--testTimeout=3600000", ...reporters, file];
  const child = spawn(process.execPath, args, {
    stdio: ["ignore", "ignore", "inherit"],
    env: { ...process.env, ...COUNTS, NO_COLOR: "1" },
  });
  const code = await new Promise((resolve) => child.on("close", resolve));
  if (!existsSync(json)) return { file, passed: 0, failed: [`the runner ended with ${code}`], left: 0, seconds: 0 };
  const [result] = JSON.parse(readFileSync(json, "utf8")).testResults.map(resultOf);
  return result ?? { file, passed: 0, failed: ["nothing ran"], left: 0, seconds: 0 };
}

function resultOf({ name, status, startTime, endTime, message, assertionResults: tests }) {
  const of = (state) => tests.filter((test) => state.includes(test.status));
  const failed = of(["failed"]).map((test) => `${test.fullName}: ${firstLines(test.failureMessages)}`);
  // A file that could not be loaded has no tests that could fail.
  if (failed.length === 0 && status === "failed") failed.push(`the file itself: ${firstLines([message])}`);
  const seconds = Math.round((endTime - startTime) / 1000);
  return {
    file: name.slice(root.length),
    passed: of(["passed"]).length,
    failed,
    left: of(["pending", "skipped", "todo", "disabled"]).length,
    seconds,
  };
}

/** Enough of a message to find it again; fast-check's seed and path are on its first lines. */
function firstLines(messages) {
  return messages.join("\n").split("\n").slice(0, 3).join(" / ").replaceAll(root, "");
}

function commitHere() {
  const git = spawnSync("git", ["describe", "--always", "--dirty"], { encoding: "utf8" });
  return git.status === 0 ? git.stdout.trim() : "";
}

function report(results, seconds, of) {
  const commit = of === "" ? "" : `, commit ${of}`;
  const failed = results.flatMap((result) => result.failed.map((text) => `- ${result.file}: ${text}`));
  const passed = results.reduce((sum, result) => sum + result.passed, 0);
  return [
    `# Long checks, ${today()}`,
    "",
    `Node ${process.versions.node}, ${cpus().length} cores${commit}. Counts: ${Object.entries(COUNTS)
      .map(([name, value]) => `${name}=${value}`)
      .join(" ")}. ${seconds} seconds in all: ${passed} passed, ${failed.length} failed.`,
    "",
    "| file | passed | failed | not runnable | seconds |",
    "|---|---|---|---|---|",
    ...results.map((r) => `| ${r.file} | ${r.passed} | ${r.failed.length} | ${r.left} | ${r.seconds} |`),
    ...(failed.length === 0 ? [] : ["", "## Failed", "", ...failed]),
    "",
  ].join("\n");
}

function today() {
  return new Date().toISOString().slice(0, 10);
}

process.chdir(root);
const args = process.argv.slice(2);
const goOn = args.includes("--go-on");
const words = args.filter((word) => word !== "--go-on");
const files = longFiles(words);
if (files.length === 0) {
  console.error(`no long check is named ${words.join(", ")}`);
  process.exit(2);
}
await build();
const commit = commitHere();
const began = Date.now();
const results = await run(files, commit, goOn);
const text = report(results, Math.round((Date.now() - began) / 1000), commit);
if (words.length === 0) {
  mkdirSync("docs/deep", { recursive: true });
  writeFileSync(`docs/deep/${today()}.md`, text);
}
console.log(text);
process.exitCode = results.some((result) => result.failed.length > 0) ? 1 : 0;
