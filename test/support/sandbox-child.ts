// Runs the cases of one backend as the user it was started by; a JSON line for each. Arguments: backend, a variant and the
// part of `casesFor` as JSON, a pattern for titles.
import type { SandboxKind } from "../../src/sandbox/sandbox.ts";
import { useVariant, type Variant } from "./sandbox-bench.ts";
import { casesFor, type Part } from "./sandbox-cases.ts";

const kind = process.argv[2] as SandboxKind;
const { part, ...variant } = JSON.parse(process.argv[3] ?? "{}") as Variant & { part?: Part };
const wanted = new RegExp(process.argv[4] ?? "");
useVariant(variant);
for (const one of casesFor(part).filter((c) => wanted.test(c.title))) {
  let problem: string | undefined;
  try {
    await one.run(kind);
  } catch (error) {
    problem = error instanceof Error ? (error.stack ?? error.message) : String(error);
  }
  process.stdout.write(`${JSON.stringify({ title: one.title, problem })}\n`);
}
