/**
 * A text with every line end as `\n`, and the way back to the offsets of the text as it is: what the model writes with `\n` is
 * found in files of any kind, and what is not replaced is never rewritten (T4).
 */
export interface Flat {
  text: string;
  /** Offset in the original text for one in `text`. */
  at(offset: number): number;
  /** The line end in use around an offset: of its own line, else the line before, else `\n`. */
  endAt(offset: number): string;
}

/** Line ends to `\n`. In a text without any `\n` a lone `\r` is a line end, elsewhere it is a letter like others. */
export function flatten(original: string): Flat {
  const endsByReturn = !original.includes("\n") && original.includes("\r");
  if (endsByReturn) {
    const text = original.replaceAll("\r", "\n");
    return { text, at: (offset) => offset, endAt: () => "\r" };
  }
  const wide: number[] = [];
  for (let at = original.indexOf("\r\n"); at >= 0; at = original.indexOf("\r\n", at + 2)) wide.push(at - wide.length);
  const text = wide.length === 0 ? original : original.replaceAll("\r\n", "\n");
  return {
    text,
    at: (offset) => offset + countBelow(wide, offset),
    endAt: (offset) => {
      const after = text.indexOf("\n", offset);
      const end = after >= 0 ? after : offset > 0 ? text.lastIndexOf("\n", offset - 1) : -1;
      return end >= 0 && wide[countBelow(wide, end)] === end ? "\r\n" : "\n";
    },
  };
}

/** How many of the sorted numbers are below `limit`. */
export function countBelow(sorted: readonly number[], limit: number): number {
  let low = 0;
  let high = sorted.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((sorted[middle] ?? 0) < limit) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** Number of the line (from 1) that holds each of the sorted offsets. */
export function linesOf(text: string, offsets: readonly number[]): number[] {
  let line = 1;
  let from = 0;
  return offsets.map((offset) => {
    for (let at = text.indexOf("\n", from); at >= 0 && at < offset; at = text.indexOf("\n", from)) {
      line++;
      from = at + 1;
    }
    return line;
  });
}
