/** A line of a stream of bytes, from 1; `problem`: why there is no text of it. */
export type Line = { n: number; text: string } | { n: number; problem: string };

/** Bytes of one line. */
const MOST = 16 << 20;

/** The lines of a stream, blank ones left out. One that is too long, or no UTF-8, is told, and those behind it are read all the same. */
export async function* linesOf(chunks: AsyncIterable<Uint8Array>, most = MOST): AsyncGenerator<Line, void> {
  let n = 1;
  let parts: Uint8Array[] = [];
  let size = 0;
  const line = (): Line[] => {
    const bytes = Buffer.concat(size > most ? [] : parts);
    const here = n++;
    const tooLong = size > most;
    parts = [];
    size = 0;
    if (tooLong) return [{ n: here, problem: `longer than ${most >> 20} MB` }];
    try {
      const text = new TextDecoder("utf-8", { fatal: true }).decode(bytes);
      return text.trim() === "" ? [] : [{ n: here, text }];
    } catch {
      return [{ n: here, problem: "no UTF-8" }];
    }
  };
  for await (const chunk of chunks) {
    let from = 0;
    for (let end = chunk.indexOf(10); end >= 0; end = chunk.indexOf(10, from)) {
      parts.push(chunk.subarray(from, end));
      size += end - from;
      from = end + 1;
      yield* line();
    }
    size += chunk.length - from;
    if (size > most) parts = [];
    else parts.push(chunk.subarray(from));
  }
  yield* line();
}
