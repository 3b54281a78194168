// Starts two background shells that never end, with a port that is open, and looks at their changes without a pause; says on stdout
// when they run: the port on this machine. Arguments: backend, what the shells sleep for.
import type { SandboxKind } from "../../src/sandbox/sandbox.ts";
import { overGroups, SERVER, until } from "./group-bench.ts";

const [, , kind = "none", nap = "100000"] = process.argv;
await overGroups(kind as SandboxKind, async (b) => {
  const server = await b.start(`trap '' HUP TERM INT; sleep ${nap} & ${SERVER}`);
  const other = await b.start(`setsid nohup sleep ${nap} >/dev/null 2>&1 & echo x > made; sleep ${nap}`);
  const { at } = await b.groups.openPort(3000);
  await until(async () => (await fetch(`http://127.0.0.1:${at}/`).catch(() => undefined))?.ok === true);
  for (let round = 0; ; round++) {
    await b.changes(other);
    await b.changes(server);
    if (round === 3) process.stdout.write(`RUNNING ${at}\n`);
  }
});
