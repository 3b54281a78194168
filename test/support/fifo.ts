import { execFileSync } from "node:child_process";
import { closeSync, constants, mkdirSync, openSync, rmSync } from "node:fs";
import { dirname } from "node:path";
import { onTestFinished } from "vitest";

/** A named pipe in a file's place; whoever still waits for it when the test ends is let go. */
export function fifo(path: string): string {
  mkdirSync(dirname(path), { recursive: true });
  rmSync(path, { force: true, recursive: true });
  execFileSync("mkfifo", [path]);
  onTestFinished(async () => {
    for (let round = 0; round < 3; round++) {
      const fd = openSync(path, constants.O_RDWR | constants.O_NONBLOCK);
      await new Promise((resolve) => setTimeout(resolve, 5));
      closeSync(fd);
    }
  });
  return path;
}
