import type { Readable } from "node:stream";
import { StringDecoder } from "node:string_decoder";
import type { Clock } from "../../util/deps.ts";

export interface TypedLine {
  text: string;
  /** When its last byte came. */
  at: number;
  /** Nothing else came in the same read. */
  alone: boolean;
}

/** Lines of a terminal in its ordinary mode, one listener, in order. `onEnd`: end of input. */
export function readLines(
  source: Readable,
  clock: Pick<Clock, "now">,
  onLine: (line: TypedLine) => void,
  onEnd: () => void,
): () => void {
  const decoder = new StringDecoder("utf8");
  let rest = "";
  const onData = (chunk: Buffer | string) => {
    const parts = (rest + decoder.write(Buffer.from(chunk))).split(/\r\n|\r|\n/);
    rest = parts.pop() ?? "";
    for (const text of parts) onLine({ text, at: clock.now(), alone: parts.length === 1 && rest === "" });
  };
  const onOver = () => {
    if (rest !== "") onLine({ text: rest, at: clock.now(), alone: true });
    rest = "";
    onEnd();
  };
  source.on("data", onData);
  // Who read before may have paused it.
  source.resume();
  source.once("end", onOver);
  return () => {
    source.off("data", onData);
    source.off("end", onOver);
    source.pause();
  };
}
