import { Writable } from "node:stream";
import type { Terminal } from "./out.ts";

/** Stdout as Ink sees it: a TTY of the terminal's size whose writes are taken at once. */
export function inkStream(take: (data: string) => void, terminal: Terminal): NodeJS.WriteStream {
  const stream = new Writable({
    decodeStrings: false,
    write(chunk: unknown, _encoding, done) {
      take(String(chunk));
      done();
    },
  });
  Object.defineProperties(stream, {
    isTTY: { value: true },
    columns: { get: () => terminal.columns },
    rows: { get: () => terminal.rows },
  });
  return stream as unknown as NodeJS.WriteStream;
}
