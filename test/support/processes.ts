import { readdirSync, readFileSync } from "node:fs";

/** Processes of this machine by id, with their command lines, arguments apart by blanks. */
export function processes(): { pid: number; ppid: number; line: string }[] {
  return readdirSync("/proc").flatMap((name) => {
    if (!/^\d+$/.test(name)) return [];
    try {
      const line = readFileSync(`/proc/${name}/cmdline`, "utf8").replaceAll("\0", " ").trim();
      const ppid = Number(/^PPid:\s*(\d+)/m.exec(readFileSync(`/proc/${name}/status`, "utf8"))?.[1]);
      return [{ pid: Number(name), ppid, line }];
    } catch {
      return [];
    }
  });
}

/** Command lines that hold these words: choose such as nothing else on the machine has. */
export function commandsWith(words: string): string[] {
  return processes()
    .map((p) => p.line)
    .filter((line) => line.includes(words));
}
