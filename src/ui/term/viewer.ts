import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { runWithTerminal } from "../../util/process.ts";
import { withoutServiceKeys } from "../../util/secrets/environment.ts";

/** Which program shows a text: the person's editor, else their pager. Read by a shell, as git and mail do it: it may have arguments. */
export function viewerOf(env: Readonly<Record<string, string | undefined>>): string {
  const set = ["VISUAL", "EDITOR", "PAGER"].map((name) => env[name] ?? "").find((value) => value.trim() !== "");
  return set ?? "less -R";
}

/**
 * Shows a text in the person's own program, with the terminal. Its file is theirs alone and gone afterwards. Call it while the screen
 * has let go of the terminal. Resolves with the exit code, null when a signal ended it.
 */
export async function viewOutside(
  text: string,
  { cwd, env }: { cwd: string; env: Readonly<Record<string, string | undefined>> },
): Promise<number | null> {
  const dir = await mkdtemp(join(env["TMPDIR"] ?? "/tmp", "understudy-view-"));
  try {
    const file = join(dir, "transcript.md");
    await writeFile(file, text, { mode: 0o600, flag: "wx" });
    return await runWithTerminal("/bin/sh", ["-c", `${viewerOf(env)} "$1"`, "sh", file], {
      cwd,
      env: withoutServiceKeys(env),
    });
  } finally {
    await rm(dir, { recursive: true, force: true });
  }
}
