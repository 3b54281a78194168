// Format, lint and types: quick, no tests. Runs all three, tells the output of those that fail, exits 1 then.
import { spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("..", import.meta.url));
const bin = root + "node_modules/.bin/";
const STEPS = [
  ["format", "oxfmt", ["--check", "."], "npm run format mends it"],
  ["lint", "oxlint", ["--type-aware", "--quiet", "."]],
  ["types", "tsc", ["-p", "."]],
];

/** Runs the static checks; true when all are clean. */
export function check() {
  const failed = STEPS.filter(([name, command, args, hint]) => {
    const run = spawnSync(bin + command, args, { cwd: root, encoding: "utf8" });
    if (run.status === 0) console.log(`${name} ok`);
    else console.error(`${name} failed${hint === undefined ? "" : ` (${hint})`}\n${run.stdout}${run.stderr}`.trimEnd());
    return run.status !== 0;
  });
  return failed.length === 0;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) process.exit(check() ? 0 : 1);
