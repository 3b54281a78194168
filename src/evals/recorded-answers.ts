import { z } from "zod";
import { ReplyBlock } from "../events/block.ts";
import { StopReason, Usage } from "../events/event.ts";
import type { Message } from "../events/message.ts";
import type { Model, ModelEvent } from "../model/model.ts";
import { recordedModel } from "../model/recorded.ts";
import type { Clock } from "../util/deps.ts";

/** `recorded.json` of a task: what a model that could think answered, and what it saw before each answer. */
export const Recording = z.strictObject({
  v: z.literal(1),
  turns: z.array(
    z.strictObject({
      /** What had come since the answer before, as `sawOf` tells it. */
      saw: z.array(z.string()),
      blocks: z.array(ReplyBlock),
      usage: Usage,
      stopReason: StopReason,
    }),
  ),
});
export type Recording = z.infer<typeof Recording>;

/**
 * What a request holds behind its last answer: lines, without what is another in each run (paths, commits, times, owners, durations), and
 * sorted, since files of one age come in any order.
 */
export function sawOf(messages: readonly Message[]): string[] {
  const behind = messages.slice(messages.findLastIndex(({ role }) => role === "assistant") + 1);
  return behind
    .flatMap(({ content }) => content.flatMap(textsOf))
    .join("\n")
    .split("\n")
    .map(lasting)
    .filter((line) => line !== "")
    .toSorted();
}

/** What a recording says that was seen, by the same rules as what is seen now: it may be older than one of them. */
function sawThen({ saw }: { saw: readonly string[] }): string[] {
  return saw
    .map(lasting)
    .filter((line) => line !== "")
    .toSorted();
}

function textsOf(block: Message["content"][number]): string[] {
  if (block.type === "text") return [block.text];
  return block.type === "tool_result"
    ? [...(block.is_error === true ? ["error"] : []), ...block.content.flatMap(textsOf)]
    : [];
}

const CHANGING: readonly (readonly [RegExp, string])[] = [
  [/(?:\/[^\s/"':]+)+\/files\//g, "/"],
  [/^(Platform|Today): .*$/, "$1"],
  [/^(Holds|Person): .*$/, ""],
  [/^(Edited .*: \d+ places?), lines? [\d, -]+\.$/, "$1"],
  [/^total \d+$/, "total"],
  [/^([dl-][rwx-]{9})[.+@]? +\d+ \S+ +\S+ +\d+ \w{3} +\d+ +[\d:]+ /, "$1 "],
  [/\b[0-9a-f]{7,40}\b/g, "#"],
  [/\b\d+(\.\d+)? ?m?s\b/g, "time"],
  [/\bcpython-\d+\b/g, "cpython"],
];

function lasting(line: string): string {
  return CHANGING.reduce((text, [what, by]) => text.replace(what, by), line.trimEnd());
}

/**
 * Gives the answers of a recording, as long as what is asked is what was seen then. Behind that no answer is one that a model gave: the
 * request fails, so its trial has no verdict.
 */
export function answeringModel({ turns }: Recording, { id, clock }: { id: string; clock: Clock }): Model {
  const replies = turns.map((turn) => ({ type: "reply.completed" as const, ...turn }));
  const model = recordedModel(replies, { id, clock });
  return {
    ...model,
    async *stream(request, signal): AsyncGenerator<ModelEvent> {
      const turn = request.messages.filter(({ role }) => role === "assistant").length;
      const misfit = misfitOf(sawThen(turns[turn] ?? { saw: [] }), sawOf(request.messages));
      if (turn >= turns.length || misfit === undefined) return yield* model.stream(request, signal);
      const message = `The recording no longer fits its requests, so record the task anew: before answer ${turn + 1} ${misfit}.`;
      const usage = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 };
      yield { type: "failed", kind: "script", message, retryable: false, partial: [], usage };
    },
  };
}

/** The first line that only one of both has. */
function misfitOf(then: readonly string[], now: readonly string[]): string | undefined {
  const quoted = (line: string): string => JSON.stringify(line.slice(0, 100));
  const at = Array.from({ length: Math.max(then.length, now.length) }, (_, i) => i).find((i) => then[i] !== now[i]);
  if (at === undefined) return undefined;
  const [a, b] = [then[at], now[at]];
  return a !== undefined && (b === undefined || a < b)
    ? `the model saw ${quoted(a)}, which is not there now`
    : `there is now ${quoted(b ?? "")}, which the model did not see`;
}
