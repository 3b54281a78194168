import type { Out } from "../print/print.ts";

/**
 * stdout and stderr for the headless side. A reader that goes away (`| head`) is no error: what comes after it is dropped quietly (U2).
 */
export function stdio(stdout: NodeJS.WriteStream, stderr: NodeJS.WriteStream): Out {
  let closed = false;
  const quiet = (error: NodeJS.ErrnoException) => {
    closed = true;
    if (error.code !== "EPIPE" && error.code !== "EIO") throw error;
  };
  stdout.on("error", quiet);
  stderr.on("error", () => undefined);
  return {
    out: (text) =>
      closed
        ? Promise.resolve()
        : new Promise((resolve) => {
            stdout.write(text, () => resolve());
          }),
    err: (text) => void stderr.write(text),
  };
}

/**
 * All of stdin as text, or undefined when nothing arrives within `waitMs` (a terminal's or a parent's pipe that nobody writes to must not
 * hold up the work). What has begun to arrive is read to its end.
 */
export function readInput(stdin: NodeJS.ReadStream, waitMs: number): Promise<string | undefined> {
  if (stdin.isTTY) return Promise.resolve(undefined);
  return new Promise((resolve) => {
    const parts: Buffer[] = [];
    const finish = () => {
      clearTimeout(timer);
      stdin.removeAllListeners();
      stdin.pause();
      // An open pipe must not keep the process alive.
      if ("unref" in stdin) stdin.unref();
      const text = Buffer.concat(parts).toString("utf8");
      resolve(text.trim() === "" ? undefined : text);
    };
    const timer = setTimeout(() => (parts.length === 0 ? finish() : undefined), waitMs);
    stdin.on("data", (chunk: Buffer | string) => {
      clearTimeout(timer);
      parts.push(Buffer.from(chunk));
    });
    stdin.on("end", finish);
    stdin.on("error", finish);
    stdin.on("close", finish);
  });
}
