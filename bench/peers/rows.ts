/** A row of the table: one figure of every program. */
export interface RowText {
  id: string;
  title: string;
  /** Digits behind the point. */
  digits: number;
  /** What is to be reached: `most` as a number, or `times` the figure of a floor. */
  reach: { most: number } | { times: number; of: "floor" | "floor, SDK"; plus?: number } | undefined;
}

const most = (value: number) => ({ most: value });

/** All rows in the order of the table. */
export const ROWS: readonly RowText[] = [
  { id: "version", title: "`--version`, ms", digits: 0, reach: { times: 1.15, of: "floor" } },
  { id: "help", title: "`--help`, ms", digits: 0, reach: { times: 1.3, of: "floor" } },
  { id: "first", title: "first byte on the terminal, ms", digits: 0, reach: most(40) },
  { id: "usable", title: "prompt usable (a typed key is echoed), ms", digits: 0, reach: most(60) },
  { id: "startCpu", title: "CPU until usable + 1 s, ms", digits: 0, reach: most(300) },
  { id: "idleMib", title: "memory idle (PSS), MiB", digits: 0, reach: most(100) },
  { id: "hi", title: "one-shot `hi`, wall ms", digits: 0, reach: { times: 1.15, of: "floor, SDK" } },
  { id: "hiCpu", title: "one-shot `hi`, CPU ms", digits: 0, reach: { times: 1.15, of: "floor, SDK" } },
  { id: "turn", title: "overhead per tool turn, ms", digits: 1, reach: most(2.5) },
  { id: "turns", title: "50 tool turns, wall ms", digits: 0, reach: most(500) },
  { id: "turnsCpu", title: "50 tool turns, CPU ms", digits: 0, reach: most(550) },
  { id: "parallel", title: "10 parallel reads to the next request, ms", digits: 1, reach: most(20) },
  { id: "peakMib", title: "peak memory over 50 turns (PSS), MiB", digits: 0, reach: most(130) },
  { id: "stream", title: "20,000 tokens at full speed in the screen, wall ms", digits: 0, reach: most(550) },
  { id: "streamCpu", title: "20,000 tokens at full speed in the screen, CPU ms", digits: 0, reach: most(600) },
  { id: "kept", title: "of 20,000 words, in the scrollback afterwards", digits: 0, reach: undefined },
  { id: "paceCpu", title: "200 tokens/s for 20 s, CPU ms", digits: 0, reach: most(1700) },
  { id: "echo", title: "key to echo, idle, median ms", digits: 1, reach: most(2.2) },
  { id: "echoBusy", title: "key to echo, while streaming, p95 ms", digits: 1, reach: most(15) },
  { id: "request", title: "first request for “hi”, bytes", digits: 0, reach: most(18_000) },
  { id: "tools", title: "tools in it", digits: 0, reach: undefined },
  { id: "tool", title: "a tool at the median, bytes", digits: 0, reach: most(900) },
  { id: "fixed", title: "prompt and tools, bytes", digits: 0, reach: undefined },
  { id: "fixedTokens", title: "prompt and tools, tokens (bytes / 4)", digits: 0, reach: undefined },
  { id: "prefix", title: "unchanged prefix over 50 turns, median %", digits: 1, reach: undefined },
  { id: "prefixLeast", title: "unchanged prefix over 50 turns, least %", digits: 1, reach: undefined },
  { id: "sizeMib", title: "installed size, MiB", digits: 0, reach: most(30) },
  { id: "packages", title: "installed packages", digits: 0, reach: most(15) },
];
