import { createHash } from "node:crypto";
import { z } from "zod";
import type { CallState } from "../events/state.ts";

/** So often the same calls with the same results in the same state are going round (S5). */
const ROUNDS = 3;
/** So many replies make up a round at most: one that repeats, two in turn, three in turn. */
const LONGEST = 3;
/** A background shell that is being waited for says nothing new for a while: that is patience, up to a point. */
const PATIENCE = 12;

/** What repeats. `key` is the same however far round it went; `words` begin in the middle of a sentence. */
export interface Round {
  key: string;
  words: string;
}

interface Reply {
  key: string;
  tools: string;
  needed: number;
  calls: readonly CallState[];
}

/**
 * Whether the newest calls go round: replies that make the same calls with the same input and the same results while the session's state stays the
 * same (`CallState.mark`: what it changed, where the shell stands, which shells run). Calls of one reply count once, since the model had seen none
 * of their results. Either some replies repeat in turn (up to three), or one failing call comes again and again, whatever harmless calls stand
 * between. Pure.
 * @param calls since the person last spoke, in order; those without a result are left out.
 */
export function goingRound(calls: readonly CallState[]): Round | undefined {
  const replies = repliesOf(calls.filter((c) => c.result !== undefined));
  return repeating(replies) ?? failingAgain(replies);
}

function repliesOf(calls: readonly CallState[]): Reply[] {
  const bySeq = new Map<number, CallState[]>();
  for (const call of calls) bySeq.set(call.replySeq, [...(bySeq.get(call.replySeq) ?? []), call]);
  return [...bySeq.values()].map((some) => ({
    key: hash([...new Set(some.map(printOf))].toSorted().join("\n")),
    tools: [...new Set(some.map((c) => c.tool))].join(" and "),
    needed: Math.max(...some.map((c) => (waits(c) ? PATIENCE : ROUNDS))),
    calls: some,
  }));
}

/** The newest replies, if they are the same few in turn often enough. */
function repeating(replies: readonly Reply[]): Round | undefined {
  for (let length = 1; length <= LONGEST; length++) {
    const cycle = replies.slice(-length);
    const times = Math.max(...cycle.map((r) => r.needed));
    const tail = replies.slice(-length * times);
    if (tail.length < length * times || tail.some((reply, n) => reply.key !== tail[n % length]?.key)) continue;
    const names = cycle.map((r) => r.tools);
    const words =
      length === 1
        ? `${names[0]} was called ${times} times with the same input and the same result, and nothing changed meanwhile`
        : `${length} replies (${names.join(", ")}) repeat ${times} times with the same results, and nothing changed meanwhile`;
    return { key: turnedKey(cycle), words };
  }
  return undefined;
}

/** A round is the same wherever in it one looks. */
function turnedKey(cycle: readonly Reply[]): string {
  const keys = cycle.map((r) => r.key);
  return keys.map((_, n) => [...keys.slice(n), ...keys.slice(0, n)].join("")).toSorted()[0] ?? "";
}

/** A call of the newest reply that failed as it did in replies before, in the same state: looking around in between makes it no other call. */
function failingAgain(replies: readonly Reply[]): Round | undefined {
  for (const call of replies.at(-1)?.calls ?? []) {
    if (!failed(call)) continue;
    const print = printOf(call);
    const times = replies.filter((reply) => reply.calls.some((c) => printOf(c) === print)).length;
    if (times >= ROUNDS)
      return {
        key: `f${hash(print)}`,
        words: `${call.tool} failed ${times} times with the same input in the same way, and nothing changed meanwhile`,
      };
  }
  return undefined;
}

function printOf({ tool, input, result, mark }: CallState): string {
  return JSON.stringify([tool, input, result?.status, result?.content, mark]);
}

function hash(text: string): string {
  return createHash("sha256").update(text).digest("hex").slice(0, 16);
}

const Details = z.object({ exit: z.number().nullable().optional(), running: z.boolean().optional() });

function detailsOf({ result }: CallState): z.infer<typeof Details> {
  return Details.safeParse(result?.details).data ?? {};
}

/** An error, a denial, a command that ended with another code than 0. */
function failed(call: CallState): boolean {
  const { exit } = detailsOf(call);
  return call.result?.status !== "ok" || (exit !== undefined && exit !== 0);
}

function waits(call: CallState): boolean {
  return detailsOf(call).running === true;
}
