import { runWithTerminal } from "../../util/process.ts";
import { withoutServiceKeys } from "../../util/secrets/environment.ts";

/**
 * `!!command`: the person's own shell, outside the copy, with the terminal (U8). Call it while the screen has let go of the terminal.
 * Resolves with the exit code, null when a signal ended it.
 */
export function runOutside(
  command: string,
  { shell, cwd, env }: { shell: string; cwd: string; env: Readonly<Record<string, string | undefined>> },
): Promise<number | null> {
  // The person's own shell has the services' keys from its own start-up files where they want them.
  return runWithTerminal(shell, ["-c", command], { cwd, env: withoutServiceKeys(env) });
}
