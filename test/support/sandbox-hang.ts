// Runs a command that never ends, on one backend; says on stdout when it runs. Arguments: backend, command.
import type { SandboxKind } from "../../src/sandbox/sandbox.ts";
import { LIMITS, sandboxBench } from "./sandbox-bench.ts";

const [, , kind = "none", command = "sleep 100"] = process.argv;
const bench = await sandboxBench({ only: [kind as SandboxKind] });
process.stdout.write(`${bench.sandbox.kind} ${bench.sandbox.why.join("; ")}\n`);
await bench.run(command, { limits: { ...LIMITS, timeoutMs: 600_000 } }, undefined, (text) =>
  process.stdout.write(text),
);
