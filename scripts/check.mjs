// Format, lint, types and published schemas: quick, no tests. Runs all at once, tells the output of those that fail, exits 1 then.
import { execFile } from "node:child_process";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("..", import.meta.url));
const bin = root + "node_modules/.bin/";
const STEPS = [
  ["format", "oxfmt", ["--check", "."], "npm run format mends it"],
  ["lint", "oxlint", ["--type-aware", "--quiet", "."]],
  ["types", "tsc", ["-p", "."]],
  ["schemas", "node", ["scripts/schemas.mjs", "--check"], "node scripts/schemas.mjs writes them anew"],
];

/** What the program says, where it fails. */
function complaint(command, args) {
  return new Promise((done) => {
    execFile(bin + command, args, { cwd: root, maxBuffer: 1 << 26 }, (error, stdout, stderr) =>
      done(error === null ? undefined : `${stdout}${stderr}${stdout + stderr === "" ? error.message : ""}`),
    );
  });
}

/** Runs the static checks; true when all are clean. */
export async function check() {
  const complaints = await Promise.all(STEPS.map(([, command, args]) => complaint(command, args)));
  for (const [at, [name, , , hint]] of STEPS.entries()) {
    const said = complaints[at];
    if (said === undefined) console.log(`${name} ok`);
    else console.error(`${name} failed${hint === undefined ? "" : ` (${hint})`}\n${said}`.trimEnd());
  }
  return complaints.every((said) => said === undefined);
}

if (process.argv[1] === fileURLToPath(import.meta.url)) process.exit((await check()) ? 0 : 1);
