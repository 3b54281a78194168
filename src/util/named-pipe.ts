import { rawBytes, type RawPath } from "./bytes.ts";
import { runNow } from "./process.ts";

/**
 * Makes a named pipe with mode 600; never replaces. Node has no call for it, and arguments of a program are text: the shell makes the
 * name's bytes out of their numbers. @throws Error with what the machine said.
 */
export function makeNamedPipe(path: RawPath): void {
  const numbers = [...rawBytes(path)].map((byte) => `\\0${byte.toString(8).padStart(3, "0")}`).join("");
  const script = 'p=$(printf %b. "$1"); exec mkfifo -m 600 -- "${p%.}"';
  const failed = runNow("/bin/sh", ["-c", script, "sh", numbers], { PATH: "/usr/bin:/bin", LC_ALL: "C" });
  if (failed !== undefined) throw new Error(`a named pipe could not be made: ${failed.trim()}`);
}
