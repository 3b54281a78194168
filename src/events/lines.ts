import { closeSync, read } from "node:fs";
import { promisify } from "node:util";

const readAt = promisify(read);
const CHUNK = 1 << 20;

/** Called with each complete line, without its line end. `length` is its whole length; of an overlong line `bytes` is the beginning. */
export type OnLine = (bytes: Buffer, length: number, number: number) => void;

/** What stood behind the last line end: a line that was cut short, or nothing. */
export interface Rest {
  /** Bytes of all complete lines, line ends included. */
  complete: number;
  /** Bytes behind them. */
  torn: number;
  lines: number;
}

/**
 * Reads a file's lines in one pass, in chunks: memory stays bounded by a chunk and the longest line, whatever the file holds. Lines end
 * at \n alone. Closes `fd`. `from`: where what is behind whole lines that were read already begins; both are counted in.
 */
export async function readLines(
  fd: number,
  maxLine: number,
  onLine: OnLine,
  from = { bytes: 0, lines: 0 },
): Promise<Rest> {
  let carry = Buffer.alloc(0);
  /** Length of the line so far, of which `carry` holds at most `maxLine` bytes. */
  let open = 0;
  const rest: Rest = { complete: from.bytes, torn: 0, lines: from.lines };
  const chunk = Buffer.allocUnsafe(CHUNK);
  try {
    for (let at = from.bytes; ;) {
      const { bytesRead } = await readAt(fd, chunk, 0, CHUNK, at);
      if (bytesRead === 0) break;
      at += bytesRead;
      let start = 0;
      for (;;) {
        const end = chunk.subarray(0, bytesRead).indexOf(10, start);
        if (end < 0) break;
        const length = open + end - start;
        const piece = chunk.subarray(start, Math.min(end, start + maxLine - carry.length));
        onLine(open === 0 ? piece : Buffer.concat([carry, piece]), length, ++rest.lines);
        rest.complete += length + 1;
        start = end + 1;
        carry = Buffer.alloc(0);
        open = 0;
      }
      open += bytesRead - start;
      carry = Buffer.concat([carry, chunk.subarray(start, Math.min(bytesRead, start + maxLine - carry.length))]);
    }
  } finally {
    closeSync(fd);
  }
  return { ...rest, torn: open };
}
