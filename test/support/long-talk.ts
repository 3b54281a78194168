import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { textOf, type ReplyBlock } from "../../src/events/block.ts";
import type { LogEventOf } from "../../src/events/event.ts";
import { charsOf, requestChars } from "../../src/context/size.ts";
import { toParams } from "../../src/model/anthropic-request.ts";
import type { Model, ModelEvent, ModelRequest } from "../../src/model/model.ts";
import { requestBreaches } from "./api-check.ts";

/** Tokens as this service counts them. */
const CHARS_PER_TOKEN = 4;

export type Said = { text: string } | { calls: readonly { name: string; input: Record<string, unknown> }[] };

export interface LongModel extends Model {
  /** What was wrong with any request: the API's rules, the window, the prefix between two context facts. */
  wrong: string[];
  requests: ModelRequest[];
  summaries: ModelRequest[];
  /** The newest request in tokens. */
  tokens: number;
  /** A context fact was appended: the next request may begin otherwise. */
  changed(): void;
}

export interface LongScript {
  window: number;
  /** The reply of turn `n`, from 1. */
  reply(this: void, n: number, request: ModelRequest): Said;
  /** The answer to a request for a summary; default: keeps nothing. */
  summary?(
    this: void,
    request: ModelRequest,
    n: number,
  ): Partial<Extract<ModelEvent, { type: "reply" }>> | { failed: string };
  /** Adds to what the service counts. */
  counts?(this: void, tokens: number): number;
  /** Refuses a request of so many tokens, as the service does above the window. */
  strict?: boolean;
}

/** A service with a small window: counts every request, refuses what does not fit, checks each by the API's rules and against the one before. */
export function longModel({ window, reply, summary, counts, strict = true }: LongScript): LongModel {
  let before: string[] | undefined;
  let turn = 0;
  const model: LongModel = {
    id: "long",
    contextWindow: window,
    maxOutput: 1000,
    wrong: [],
    requests: [],
    summaries: [],
    tokens: 0,
    changed: () => void (before = undefined),
    async *stream(request, signal) {
      await Promise.resolve();
      const asked = isSummary(request);
      (asked ? model.summaries : model.requests).push(request);
      const real = Math.round(requestChars(request) / CHARS_PER_TOKEN);
      const tokens = counts?.(real) ?? real;
      if (!asked) {
        model.tokens = tokens;
        model.wrong.push(...requestBreaches(toParams("m", request)));
        const flat = request.messages.flatMap((m) => m.content.map((b) => JSON.stringify([m.role, b])));
        if (before?.every((piece, i) => piece === flat[i]) === false)
          model.wrong.push(`turn ${turn + 1}: the prefix changed`);
        before = flat;
      }
      const usage = { input: tokens, output: 0, cacheRead: 0, cacheWrite: 0 };
      const failed = (message: string, kind: "too-long" | "server" | "aborted"): ModelEvent => ({
        type: "failed",
        kind,
        message,
        retryable: false,
        partial: [],
        usage: { ...usage, input: 0 },
      });
      if (signal.aborted) return yield failed("Stopped.", "aborted");
      if (strict && real > window)
        return yield failed(`prompt is too long: ${real} tokens > ${window} maximum`, "too-long");
      const end = { type: "reply" as const, usage, stopReason: "end_turn", model: "long", attempts: 1 };
      if (asked) {
        const said = summary?.(request, model.summaries.length) ?? { blocks: [{ type: "text", text: "It went on." }] };
        if ("failed" in said) return yield failed(said.failed, "server");
        return yield { ...end, blocks: [], ...said };
      }
      const said = reply(++turn, request);
      const blocks: ReplyBlock[] =
        "text" in said
          ? [{ type: "text", text: said.text }]
          : said.calls.map(({ name, input }, i) => ({ type: "tool_use", id: `t${turn}_${i}`, name, input }));
      const output = Math.round(blocks.reduce((sum, b) => sum + charsOf(b), 0) / CHARS_PER_TOKEN);
      yield {
        ...end,
        blocks,
        usage: { ...usage, output },
        stopReason: "text" in said ? "end_turn" : "tool_use",
      };
    },
  };
  return model;
}

/** A request for a summary, whole or of a part. */
export function isSummary({ messages }: ModelRequest): boolean {
  return JSON.stringify(messages.at(-1)?.content.at(-1) ?? "").includes(
    "This is from the program. The conversation is getting too long",
  );
}

/** All words of a request. */
export function wordsOf({ messages }: ModelRequest): string {
  return messages
    .flatMap((m) => m.content.map((b) => (b.type === "tool_result" ? textOf(b.content) : JSON.stringify(b))))
    .join("\n");
}

/** So many notes files, each with a fact of its own that is nowhere else. */
export function notesFiles(folder: string, n: number, lines: number): void {
  mkdirSync(join(folder, "notes"), { recursive: true });
  for (let i = 0; i < n; i++)
    writeFileSync(
      join(folder, "notes", `n${i}.md`),
      `# Note ${i}\nThe number of note ${i} is ${numberOf(i)}.\n${`Some words that fill note ${i} up.\n`.repeat(lines)}`,
    );
}

/** The planted fact of a note. */
export function numberOf(i: number): number {
  return 10_000 + ((i * 7919) % 89_989);
}

/** What each context fact says, in short. */
export function contextRows(events: readonly { type: string }[]): string[] {
  return events.flatMap((e) => {
    if (e.type === "context.cleared") return [(e as LogEventOf<"context.cleared">).rule ?? "?"];
    return e.type === "context.compacted" ? ["summary"] : [];
  });
}
