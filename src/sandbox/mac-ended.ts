import { findProgram, runProcess } from "../util/process.ts";
import { LAUNCH_PATH } from "./programs.ts";

/** Ends what left a command's group: `ps` shows the environment of one's own processes, though not of the system's own programs. */
export async function endMarkedByPs(mark: string): Promise<void> {
  const ps = findProgram("ps", LAUNCH_PATH);
  if (ps === undefined) return;
  const { stdout } = await runProcess(ps, ["-Ewwax", "-o", "pid=,command="], { cwd: "/", env: {} });
  for (const pid of markedPids(Buffer.from(stdout).toString("utf8"), mark)) {
    try {
      process.kill(pid, "SIGKILL");
    } catch {
      continue;
    }
  }
}

/** Process ids of the lines that hold a word. */
export function markedPids(listing: string, mark: string): number[] {
  return listing.split("\n").flatMap((line) => {
    const [pid = "", ...words] = line.trim().split(/\s+/);
    return words.includes(mark) && /^\d+$/.test(pid) ? [Number(pid)] : [];
  });
}
