import { fileOf, expected, type Work } from "./script.ts";
import type { Seen } from "./server.ts";
import type { Asked } from "./protocol.ts";
import { record } from "./protocol.ts";
import { PROTOCOLS } from "./protocols.ts";

/** A request as its protocol reads it. */
export function asked({ path, raw }: Pick<Seen, "path" | "raw">): Asked {
  const protocol = PROTOCOLS.find((one) => one.path.test(path));
  if (protocol === undefined) throw new Error(`no protocol for ${path}`);
  return protocol.read(record(JSON.parse(raw)));
}

/** Why the log of a go doesn't show the work that was given, so that its times mean nothing; undefined: it does. */
export function otherWork(work: Work, log: readonly Seen[]): string | undefined {
  const want = expected(work);
  const main = log.filter((one) => one.main);
  if (main.length !== want.turns) return `${main.length} requests with tools instead of ${want.turns}`;
  const last = main.at(-1);
  const results = last === undefined ? [] : asked(last).results;
  const reached = Array.from({ length: want.results }, (_, i) => fileOf(i + 1).mark).filter((mark) =>
    results.some((result) => result.includes(mark)),
  ).length;
  return reached === want.results ? undefined : `${reached} of ${want.results} results reached the model`;
}

/** Milliseconds between the end of each reply and the whole next request: what a program adds to a turn. */
export function gaps(log: readonly Seen[]): number[] {
  const main = log.filter((one) => one.main);
  return main.slice(1).map((one, i) => one.at - (main[i]?.answeredAt ?? Number.NaN));
}

export interface Sizes {
  bytes: number;
  tools: number;
  medianTool: number;
  /** Bytes of system prompt and tools. */
  fixed: number;
}

/** Bytes of a request and its parts. */
export function sizesOf(seen: Seen): Sizes {
  const { system, tools } = asked(seen);
  const each = tools.map((tool) => Buffer.byteLength(tool)).toSorted((a, b) => a - b);
  const fixed = Buffer.byteLength(system) + each.reduce((a, b) => a + b, 0);
  return { bytes: Buffer.byteLength(seen.raw), tools: tools.length, medianTool: each[each.length >> 1] ?? 0, fixed };
}

/**
 * Shares, from 0 to 1, of each request that the next one begins with too: what a cache of the service's can keep. In the
 * order in which services read: tools, system prompt, messages.
 */
export function prefixShares(log: readonly Seen[]): number[] {
  const bodies = log
    .filter((one) => one.main)
    .map((one) => {
      const { tools, system, messages } = asked(one);
      return Buffer.from([...tools, system, ...messages].join("\n"));
    });
  return bodies.slice(1).map((body, i) => {
    const before = bodies[i] ?? body;
    return commonLength(before, body) / before.length;
  });
}

function commonLength(a: Buffer, b: Buffer): number {
  const most = Math.min(a.length, b.length);
  let at = 0;
  while (at < most && a[at] === b[at]) at++;
  return at;
}
