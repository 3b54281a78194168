import { runProcess } from "../../util/process.ts";
import { withoutServiceKeys } from "../../util/secrets/environment.ts";

const MOST_MS = 1000;
const MOST_BYTES = 4096;

/** Runs the person's own script for the status row with the facts on its stdin (F-2). Undefined where it fails or takes more than a second. */
export async function runStatusScript(
  command: string,
  facts: string,
  { cwd, env }: { cwd: string; env: Readonly<Record<string, string | undefined>> },
): Promise<string | undefined> {
  const options = {
    cwd,
    env: withoutServiceKeys(env),
    input: facts,
    timeoutMs: MOST_MS,
    maxBytes: MOST_BYTES,
    bound: true,
  };
  const { code, stdout } = await runProcess("/bin/sh", ["-c", command], options);
  return code === 0 ? Buffer.from(stdout).toString("utf8") : undefined;
}
