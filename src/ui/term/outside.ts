import { runWithTerminal } from "../../util/process.ts";

/** Never handed to a child: the person's own shell has them from their own start-up files where they want them. */
const KEYS = /^ANTHROPIC_(API_KEY|AUTH_TOKEN|CUSTOM_HEADERS)$/;

/**
 * `!!command`: the person's own shell, outside the copy, with the terminal (U8). Call it while the screen has let go of the terminal.
 * Resolves with the exit code, null when a signal ended it.
 */
export function runOutside(
  command: string,
  { shell, cwd, env }: { shell: string; cwd: string; env: Readonly<Record<string, string | undefined>> },
): Promise<number | null> {
  const clean = Object.entries(env).flatMap(([name, value]) =>
    value === undefined || KEYS.test(name) ? [] : [[name, value] as const],
  );
  return runWithTerminal(shell, ["-c", command], { cwd, env: Object.fromEntries(clean) });
}
