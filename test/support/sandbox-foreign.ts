// Runs commands over a folder that somebody else made, as the user it was started by; what came as JSON. Arguments: the folder,
// backend, commands.
import type { SandboxKind } from "../../src/sandbox/sandbox.ts";
import { said, sandboxBench } from "./sandbox-bench.ts";

const [, , folder = "/", kind = "none", ...commands] = process.argv;
const bench = await sandboxBench({ only: [kind as SandboxKind], roots: () => [{ path: folder, kind: "folder" }] });
const results: unknown[] = [bench.sandbox.kind, bench.sandbox.why];
for (const command of commands) {
  const { code, output, retriedOn, changes, hints } = await bench.run(command, { cwd: folder });
  results.push({ code, output, retriedOn, hints, changes: said(changes) });
}
await bench.close();
process.stdout.write(JSON.stringify(results));
