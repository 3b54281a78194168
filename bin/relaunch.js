// On an older Node: starts the newer one that the local `node` package brings, and ends as it ends.
import { spawn } from "node:child_process";
import { existsSync } from "node:fs";

/** Runs this program again under the local Node; says what is needed when there is none. */
export function relaunch(here) {
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
    for (const name of ["SIGINT", "SIGTERM", "SIGHUP", "SIGQUIT"]) process.removeAllListeners(name);
    process.kill(process.pid, signal);
  });
}
