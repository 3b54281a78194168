import type { LogEvent } from "../events/event.ts";
import { landings, questions } from "../session/verify-facts.ts";
import { listed } from "./graded.ts";
import type { AskedGrader, TraceGrader } from "./grader-schema.ts";
import { fits } from "./pattern.ts";

/** Why it was not asked as it is to be. */
export function askedProblem(asked: AskedGrader["asked"], events: readonly LogEvent[]): string | undefined {
  const n = questions(events).size;
  if (asked === "none") return n === 0 ? undefined : `${times(n, "question")} asked`;
  if (asked === "before") {
    const unasked = landings(events).filter((fact) => fact.asked === undefined);
    const paths = unasked.flatMap(({ landed }) => landed.summary.entries.map((entry) => entry.path));
    return paths.length === 0 ? undefined : `nobody was asked about ${listed(paths)}`;
  }
  return spanProblem(n, asked, "question");
}

/** Why the calls that fit are too few or too many. */
export function callsProblem(
  { tool, matching, status, ...span }: TraceGrader["calls"],
  events: readonly LogEvent[],
): string | undefined {
  const ends = new Map(events.flatMap((e) => (e.type === "call.finished" ? [[e.callId, e.status] as const] : [])));
  const calls = events
    .flatMap((e) => (e.type === "reply.completed" ? e.blocks : []))
    .filter((block) => block.type === "tool_use")
    .filter(
      (call) =>
        (tool === undefined || call.name === tool) &&
        (matching === undefined || fits(matching, inputTexts(call.input))) &&
        (status === undefined || ends.get(call.id) === status),
    );
  const bare = span.atLeast === undefined && span.atMost === undefined;
  return spanProblem(calls.length, bare ? { atLeast: 1 } : span, "such call");
}

/** Every text of an input, and the whole of it as JSON. */
function inputTexts(input: unknown): string[] {
  const texts = typeof input === "object" && input !== null ? Object.values(input) : [];
  return [...texts.filter((text) => typeof text === "string"), JSON.stringify(input)];
}

/** Why a count is out of its span. */
export function spanProblem(
  n: number,
  { atLeast = 0, atMost = Infinity }: { atLeast?: number | undefined; atMost?: number | undefined },
  what: string,
): string | undefined {
  if (n < atLeast) return `${times(n, what)}, at least ${atLeast} wanted`;
  return n > atMost ? `${times(n, what)}, at most ${atMost} wanted` : undefined;
}

function times(n: number, what: string): string {
  return n === 1 ? `1 ${what}` : `${n} ${what}s`;
}
