import { existsSync } from "node:fs";
import { mkdtemp, open, rm } from "node:fs/promises";
import { join } from "node:path";
import { runWithTerminal } from "../../util/process.ts";
import { withoutServiceKeys } from "../../util/secrets/environment.ts";
import { lastStates, sanitize } from "../../util/visible.ts";

/** What a command of the person's own came to. `exit` null: a signal ended it. Without `output` nobody could listen. */
export interface OutsideRun {
  exit: number | null;
  output?: string;
}

/** How much of an output is kept: its end. */
const MOST_BYTES = 256 * 1024;
const RECORDERS = ["/usr/bin/script", "/bin/script"];

/**
 * `!!command`: the person's own shell, outside the copy, with the terminal (U8); what it says is recorded on the way by `script`, where
 * there is one, so that it can be shown to the model if the person wants that. Call it while the screen has let go of the terminal.
 */
export async function runOutside(
  command: string,
  {
    shell,
    cwd,
    env,
    recorders = RECORDERS,
  }: { shell: string; cwd: string; env: Readonly<Record<string, string | undefined>>; recorders?: readonly string[] },
): Promise<OutsideRun> {
  // The person's own shell has the services' keys from its own start-up files where they want them.
  const own = withoutServiceKeys(env);
  const recorder = recorders.find((file) => existsSync(file));
  if (recorder === undefined) return { exit: await runWithTerminal(shell, ["-c", command], { cwd, env: own }) };
  const dir = await mkdtemp(join(env["TMPDIR"] ?? "/tmp", "understudy-outside-"));
  try {
    const file = join(dir, "said");
    const args = process.platform === "darwin" ? ["-q", file, shell, "-c", command] : ["-q", "-e", "-c", command, file];
    const exit = await runWithTerminal(recorder, args, { cwd, env: { ...own, SHELL: shell } });
    const said = await endOf(file);
    return { exit, ...(said === undefined ? {} : { output: recordedText(said) }) };
  } finally {
    await rm(dir, { recursive: true, force: true });
  }
}

async function endOf(file: string): Promise<string | undefined> {
  try {
    const handle = await open(file);
    try {
      const { size } = await handle.stat();
      const from = Math.max(0, size - MOST_BYTES);
      const { buffer, bytesRead } = await handle.read(Buffer.alloc(size - from), 0, size - from, from);
      return buffer.subarray(0, bytesRead).toString("utf8");
    } finally {
      await handle.close();
    }
  } catch {
    return undefined;
  }
}

/** A recording as text: without the recorder's own lines, what stood on the other screen, and control sequences. */
export function recordedText(recorded: string): string {
  const bare = recorded.replace(/^Script started on [^\n]*\n/, "").replace(/\n?Script done on [^\n]*\n?$/, "");
  const flat = bare.replace(/\x1b\[\?1049h[^]*?(?:\x1b\[\?1049l|$)/g, "").replaceAll("\r\n", "\n");
  return sanitize(lastStates(flat)).trimEnd();
}
