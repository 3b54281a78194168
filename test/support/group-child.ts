// Runs the cases of background shells on one backend as the user it was started by; a JSON line for each. Argument: backend.
import type { SandboxKind } from "../../src/sandbox/sandbox.ts";
import { FD_CASES } from "./group-fd-cases.ts";
import { COPY_NODE, GROUP_CASES, WATCH_CASES } from "./group-cases.ts";

const kind = process.argv[2] as SandboxKind;
const wanted = new RegExp(process.argv[3] ?? "");
const all = [...GROUP_CASES, ...FD_CASES, ...(COPY_NODE === undefined ? [] : WATCH_CASES(COPY_NODE))];
for (const one of all.filter((c) => wanted.test(c.title))) {
  let problem: string | undefined;
  try {
    await one.run(kind);
  } catch (error) {
    problem = error instanceof Error ? (error.stack ?? error.message) : String(error);
  }
  process.stdout.write(`${JSON.stringify({ title: one.title, problem })}\n`);
}
