import { span } from "../util/words.ts";
import { UsageError } from "./usage-error.ts";

/** How long stdin is waited for, in milliseconds. */
export interface InputWait {
  /** For the first byte: a parent's pipe that nobody writes to must not hold up the work. */
  firstMs: number;
  /** Of silence once it has begun, before it is said that the end is waited for. */
  sayMs: number;
  /** Of silence once it has begun; then what came is all. */
  silenceMs: number;
  /** In all. */
  mostMs: number;
  /** More of it is refused. */
  bytes: number;
}

export const INPUT_WAIT: InputWait = {
  firstMs: 3000,
  sayMs: 3000,
  silenceMs: 60_000,
  mostMs: 10 * 60_000,
  bytes: 10 << 20,
};

/**
 * All of stdin as text, or undefined when nothing arrives. What has begun to arrive is read to its end, or as far as it comes within the
 * waits, which are told by `say`.
 * @throws UsageError where it is too much.
 */
export function readInput(
  stdin: NodeJS.ReadStream,
  wait: InputWait,
  say: (words: string) => void,
): Promise<string | undefined> {
  if (stdin.isTTY) return Promise.resolve(undefined);
  return new Promise((resolve, reject) => {
    const parts: Buffer[] = [];
    let size = 0;
    const timers: NodeJS.Timeout[] = [];
    const clear = () => timers.splice(0).forEach((timer) => clearTimeout(timer));
    const most = setTimeout(() => giveUp(wait.mostMs), wait.mostMs);
    const leave = () => {
      clear();
      clearTimeout(most);
      stdin.removeAllListeners();
      stdin.pause();
      // An open pipe must not keep the process alive.
      if ("unref" in stdin) stdin.unref();
    };
    const finish = () => {
      leave();
      const text = Buffer.concat(parts).toString("utf8");
      resolve(text.trim() === "" ? undefined : text);
    };
    const giveUp = (ms: number) => {
      say(`standard input did not end within ${span(ms)}; this goes on with what came`);
      finish();
    };
    const tell = () => say(`waits for the end of standard input, at most ${span(wait.silenceMs)} of silence`);
    timers.push(setTimeout(finish, wait.firstMs));
    stdin.on("data", (chunk: Buffer | string) => {
      clear();
      const piece = Buffer.from(chunk);
      size += piece.length;
      if (size > wait.bytes) {
        leave();
        return reject(
          new UsageError(`standard input has more than ${wait.bytes >> 20} MB: save it to a file, and name the file`),
        );
      }
      parts.push(piece);
      timers.push(
        setTimeout(tell, wait.sayMs),
        setTimeout(() => giveUp(wait.silenceMs), wait.silenceMs),
      );
    });
    for (const end of ["end", "error", "close"]) stdin.on(end, finish);
  });
}
