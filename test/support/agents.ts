import type { ReplyBlock } from "../../src/events/block.ts";
import type { Model, ModelRequest } from "../../src/model/model.ts";
import { estimateTokens, playBlocks, stoppedReply } from "../../src/model/play.ts";
import { toParams } from "../../src/model/anthropic-request.ts";
import { requestBreaches } from "./api-check.ts";
import { systemClock } from "../../src/util/system.ts";

/** What a model of a test says: words, calls, or both. */
export interface Said {
  text?: string;
  calls?: readonly { name: string; input: Record<string, unknown>; id?: string }[];
  /** Milliseconds before it says it; a stop cuts that off. */
  afterMs?: number;
}

/** What the model is asked: its kind of agent ("" for the session's own), the task, and how many replies it gave to that so far. */
export interface Asked {
  agent: string;
  task: string;
  turn: number;
  /** Texts of the newest results. */
  results: readonly string[];
  request: ModelRequest;
}

/** A model that answers by who asks: sub-agents and the session's own are told apart by their system prompt. Keeps every request. */
export function talkingModel(say: (asked: Asked) => Said | undefined): Model & { asked: Asked[] } {
  const asked: Asked[] = [];
  return {
    id: "talking",
    contextWindow: 200_000,
    maxOutput: 32_000,
    asked,
    async *stream(request, signal) {
      const now = askedBy(request);
      asked.push(now);
      const breaches = requestBreaches({ ...toParams("claude-sonnet-5-5", request), stream: true });
      if (breaches.length > 0) throw new Error(`the service would refuse: ${breaches.join("; ")}`);
      const said = say(now);
      const usage = { input: estimateTokens(request.messages), output: 20, cacheRead: 0, cacheWrite: 0 };
      if (said === undefined) {
        const message = `nothing to say to ${JSON.stringify(now.task)} at turn ${now.turn}`;
        yield { type: "failed", kind: "script", message, retryable: false, partial: [], usage };
        return;
      }
      if (said.afterMs !== undefined) await systemClock.sleep(said.afterMs, signal).catch(() => undefined);
      const blocks: ReplyBlock[] = [
        ...(said.text === undefined ? [] : [{ type: "text" as const, text: said.text }]),
        ...(said.calls ?? []).map(({ name, input, id }, i) => ({
          type: "tool_use" as const,
          id: id ?? `toolu_${now.agent}_${request.messages.length}_${i}`,
          name,
          input,
        })),
      ];
      const shown = yield* playBlocks(blocks, { clock: systemClock, signal });
      if (signal.aborted) return yield stoppedReply(shown, usage);
      const stopReason = (said.calls ?? []).length > 0 ? "tool_use" : "end_turn";
      yield { type: "reply", blocks, usage, stopReason, model: "talking", attempts: 1 };
    },
  };
}

function askedBy(request: ModelRequest): Asked {
  const system = request.system.map((part) => part.text).join("\n");
  const agent = /# You are the sub-agent "([^"]+)"/.exec(system)?.[1] ?? "";
  const texts = (at: number): string[] =>
    (request.messages[at]?.content ?? []).flatMap((b) =>
      b.type === "text" && !b.text.startsWith("<note>") ? [b.text] : [],
    );
  const last = request.messages.findLastIndex(
    (m, at) => m.role === "user" && texts(at).length > 0 && m.content.every((b) => b.type !== "tool_result"),
  );
  const newest = request.messages.at(-1)?.content ?? [];
  return {
    agent,
    task: texts(last).at(-1) ?? "",
    turn: request.messages.slice(last).filter((m) => m.role === "assistant").length,
    results: newest.flatMap((b) =>
      b.type === "tool_result" ? [b.content.flatMap((c) => (c.type === "text" ? [c.text] : [])).join("\n")] : [],
    ),
    request,
  };
}

/** A call of Task. */
export function taskCall(
  agent: string,
  prompt: string,
  more: Record<string, unknown> = {},
): NonNullable<Said["calls"]>[number] {
  return { name: "Task", input: { agent, description: prompt.slice(0, 40), prompt, ...more } };
}

/**
 * Three agents side by side: `landed` writes a file and then thinks for long, `running` runs a command that takes long and then writes one, `begun`
 * thinks for long before its first word. `slow`: they really take that long.
 */
export function threeAgents(mark: string, slow: boolean): ReturnType<typeof talkingModel> {
  const wait = slow ? { afterMs: 120_000 } : {};
  return talkingModel(({ agent, task, turn, results }) => {
    if (agent === "")
      return turn === 0
        ? { calls: ["landed", "running", "begun"].map((name) => taskCall("general", name)) }
        : { text: results.join("\n") };
    if (task === "landed")
      return turn === 0
        ? { calls: [{ name: "Write", input: { file_path: "landed.txt", content: "once\n" } }] }
        : { text: "landed is done", ...wait };
    if (task === "running")
      return turn === 0
        ? {
            calls: [
              {
                name: "Bash",
                input: { command: `echo run >> runs.txt; test -e go-on || perl -e 'sleep 120' ${mark}` },
              },
            ],
          }
        : { text: "running is done" };
    return turn === 0 ? { calls: [{ name: "Glob", input: { pattern: "*" } }], ...wait } : { text: "begun is done" };
  });
}
