// Format, lint and types: quick, no tests. Exits 1 at the first that fails, with its output.
import { spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("..", import.meta.url));
const bin = root + "node_modules/.bin/";

/** Runs the static checks; true when all are clean. */
export function check() {
  const steps = [
    ["format", "oxfmt", ["--check", "."]],
    ["lint", "oxlint", ["--type-aware", "--quiet", "."]],
    ["types", "tsc", ["-p", "."]],
  ];
  for (const [name, command, args] of steps) {
    const run = spawnSync(bin + command, args, { cwd: root, encoding: "utf8" });
    if (run.status !== 0) {
      console.error(`${name} failed\n${run.stdout}${run.stderr}`);
      return false;
    }
    console.log(`${name} ok`);
  }
  return true;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) process.exit(check() ? 0 : 1);
