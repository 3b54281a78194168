// On an older Node: starts the newer one that the local `node` package brings, and ends as it ends.
import { spawn, spawnSync } from "node:child_process";
import { existsSync, readFileSync, writeSync } from "node:fs";
import { fileURLToPath } from "node:url";

/** What the program ends by itself on, its terminal restored. */
const HANDLED = ["SIGINT", "SIGTERM", "SIGHUP", "SIGQUIT"];
/** Synchronized output, wrap, cursor, style, paste, focus and key modes as a shell wants them (src/ui/term/modes.ts). */
const PLAIN = "\x1b[?2026l\x1b[?7h\x1b[?25h\x1b[0m\x1b[?2004l\x1b[?1004l\x1b[<u\x1b[>4;0m";

/** The program was killed in the middle of its screen: the shell gets a terminal that it can be used in. */
function mendTerminal() {
  if (!process.stdin.isTTY || !process.stdout.isTTY) return;
  spawnSync("stty", ["sane"], { stdio: ["inherit", "ignore", "ignore"] });
  writeSync(1, `${PLAIN}\r\x1b[J\nagent: it was killed. Nothing is lost: agent --continue goes on.\n`);
}

/** Runs this program again under the local Node; says what is needed when there is none. */
export function relaunch() {
  const here = fileURLToPath(new URL("..", import.meta.url));
  const [what, ...more] = process.argv.slice(2);
  if (more.length === 0 && (what === "--version" || what === "-V")) {
    console.log(JSON.parse(readFileSync(here + "package.json", "utf8")).version);
    return;
  }
  const node = here + "node_modules/node/bin/node";
  if (!existsSync(node)) {
    console.error(
      `agent: needs Node 22.13 or newer, this is ${process.versions.node}. Install a newer Node, or run \`npm install\` in ${here}.`,
    );
    process.exitCode = 1;
    return;
  }
  const child = spawn(node, process.argv.slice(1), { stdio: ["inherit", "inherit", "inherit", "ipc"] });
  // A terminal signals the whole group; these only keep this parent alive until the child has decided.
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP", "SIGQUIT"]) process.on(signal, () => child.kill(signal));
  child.on("error", (error) => {
    console.error(`agent: could not start ${node}: ${error.message}`);
    process.exitCode = 1;
  });
  child.on("exit", (code, signal) => {
    if (signal === null) process.exit(code ?? 1);
    if (!HANDLED.includes(signal)) mendTerminal();
    for (const name of ["SIGINT", "SIGTERM", "SIGHUP", "SIGQUIT"]) process.removeAllListeners(name);
    process.kill(process.pid, signal);
  });
}
