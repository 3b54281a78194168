// `npm run regression -- BASE [CANDIDATE] [--suite DIR]… [--model NAME] [--trials N] [--only TASK]… [--delta SHARE]`: runs the suites with the
// program of two commits and says whether the second is better, worse, or can't be told apart. Without CANDIDATE it is the working tree. Both
// run the suites as they lie here. Without --model the recorded answers play, which tells whether prompt, tools and graders still fit them; what
// another prompt does to a model's work only a real one tells. Exits with 1 where the verdict is "worse", 75 where a run is no measurement.
import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readdirSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";

const root = fileURLToPath(new URL("..", import.meta.url));
const NO_MEASUREMENT = 75;
const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    suite: { type: "string", multiple: true, default: ["fixtures/suites/notes", "fixtures/suites/coding"] },
    model: { type: "string", default: "recorded" },
    trials: { type: "string", default: "1" },
    only: { type: "string", multiple: true, default: [] },
    delta: { type: "string" },
  },
});
const [base, candidate] = positionals;
if (base === undefined) {
  console.error("npm run regression -- BASE [CANDIDATE]: name a commit to compare with, such as main");
  process.exit(2);
}

const temp = mkdtempSync(join(tmpdir(), "understudy-regression-"));
let code = 0;
try {
  const programs = [built("base", base), built("candidate", candidate)];
  for (const suite of values.suite) code = Math.max(code, compared(programs, join(root, suite)));
} finally {
  rmSync(temp, { recursive: true, force: true });
}
process.exitCode = code;

/** The program of a commit, or of the working tree, built in a folder of its own. */
function built(name, ref) {
  const dir = join(temp, name);
  mkdirSync(dir);
  const files =
    ref === undefined
      ? "git ls-files -z --cached --others --exclude-standard | xargs -0 ls -d 2> /dev/null | tar -c -T -"
      : `git archive ${quoted(ref)}`;
  must(
    "sh",
    ["-c", `set -e; ${files} > ${quoted(`${dir}.tar`)}; tar -x -f ${quoted(`${dir}.tar`)} -C ${quoted(dir)}`],
    root,
  );
  symlinkSync(join(root, "node_modules"), join(dir, "node_modules"));
  console.log(`${name}: ${ref ?? "the working tree"}`);
  must(process.execPath, ["scripts/build.mjs"], dir);
  return join(dir, "bin/agent.js");
}

function quoted(word) {
  return `'${word.replaceAll("'", "'\\''")}'`;
}

function must(program, args, cwd) {
  const { status, stdout, stderr } = spawnSync(program, args, { cwd, encoding: "utf8" });
  if (status !== 0) throw new Error(`${program} ${args.join(" ")}: ${stderr}${stdout}`);
}

/** One suite with both programs, into one state; gives the exit code. */
function compared(programs, suite) {
  const env = { ...process.env, XDG_STATE_HOME: join(temp, "state") };
  const more = values.only.flatMap((word) => ["--only", word]);
  if (values.delta !== undefined) more.push("--delta", values.delta);
  const runs = programs.map((program) => {
    const before = runsIn(env.XDG_STATE_HOME);
    const args = [program, "eval", "run", suite, "--model", values.model, "--trials", values.trials, ...more];
    const { status } = spawnSync(process.execPath, args, { env, stdio: ["ignore", "inherit", "inherit"] });
    return { id: runsIn(env.XDG_STATE_HOME).find((id) => !before.includes(id)), status };
  });
  const broken = runs.find(({ id, status }) => id === undefined || status !== 0);
  if (broken !== undefined) return broken.status ?? NO_MEASUREMENT;
  const compare = (format) => {
    const args = [programs[1], "eval", "compare", runs[0].id, runs[1].id, "--format", format];
    return spawnSync(process.execPath, args, { env, encoding: "utf8", maxBuffer: 2 ** 28 }).stdout;
  };
  console.log(`\n${compare("text")}`);
  return JSON.parse(compare("json")).rates.verdict === "worse" ? 1 : 0;
}

function runsIn(state) {
  try {
    return readdirSync(join(state, "understudy", "evals"));
  } catch {
    return [];
  }
}
