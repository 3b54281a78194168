// Runs a command with one host that never ends. Arguments: backend, host:port, command.
import type { SandboxKind } from "../../src/sandbox/sandbox.ts";
import { net } from "./net.ts";
import { LIMITS, sandboxBench } from "./sandbox-bench.ts";

const [, , kind = "none", host = "", command = "sleep 100"] = process.argv;
const bench = await sandboxBench({ only: [kind as SandboxKind] });
process.stdout.write(`${bench.sandbox.kind} ${process.pid}\n`);
await bench.run(command, { hosts: [net(host)], limits: { ...LIMITS, timeoutMs: 600_000 } }, undefined, (text) =>
  process.stdout.write(text),
);
