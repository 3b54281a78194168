import type { ReplyBlock } from "../../src/events/block.ts";
import type { Usage } from "../../src/events/usage.ts";
import { toParams } from "../../src/model/anthropic-request.ts";
import type { Model, ModelEvent, ModelRequest } from "../../src/model/model.ts";
import { isRecord, type Block } from "./api-blocks.ts";
import { requestChars } from "../../src/context/size.ts";
import { requestBreaches } from "./api-check.ts";
import { SentReplies } from "./api-sent.ts";
import { isSummary } from "./long-talk.ts";

/** What the service does with one request. */
export type Doing =
  | { kind: "reply"; blocks: readonly ReplyBlock[]; stopReason: string }
  | { kind: "broken"; blocks: readonly ReplyBlock[]; fault: "network" | "server" | "auth" }
  /** Takes a dislike to the block at this share of the request: from now on each request that holds it is refused. */
  | { kind: "refuse"; at: number; words: "path" | "media" | "thinking" };

/** Tokens as this service counts them. */
const CHARS_PER_TOKEN = 4;

/**
 * A service that judges every request by the API's rules, by what it said itself, and by the request before: between two `context.*` facts
 * each extends the last one byte by byte (C1). It refuses what it was told to dislike until that is gone.
 */
export class TalkService {
  readonly wrong: string[] = [];
  requests = 0;
  summaries = 0;
  refused = 0;
  readonly #window: number;
  readonly #sent = new SentReplies();
  readonly #disliked = new Set<string>();
  #dislikesThinking = false;
  #before: string[] | undefined;
  #fixed = "";
  #todo: Doing[] = [];

  /** `window`: in tokens; of a small one the loop has to make room. */
  constructor(window = 200_000) {
    this.#window = window;
  }

  /** The next answers; behind them every reply is a short word. */
  will(doings: readonly Doing[]): void {
    this.#todo = [...doings];
  }
  /** What the conversation is made of changed by a fact: the next request may be another. */
  changed(): void {
    this.#before = undefined;
  }

  model(): Model {
    const stream = (request: ModelRequest, signal: AbortSignal) => this.#stream(request, signal);
    return { id: "m", contextWindow: this.#window, maxOutput: 1000, stream };
  }

  async *#stream(request: ModelRequest, signal: AbortSignal): AsyncGenerator<ModelEvent> {
    this.requests++;
    await Promise.resolve();
    const body: unknown = JSON.parse(JSON.stringify(toParams("m", request)));
    const summary = isSummary(request);
    if (summary) this.summaries++;
    this.#judge(body, summary);
    const usage = {
      input: Math.ceil(requestChars(request) / CHARS_PER_TOKEN),
      output: 1,
      cacheRead: 0,
      cacheWrite: 0,
    };
    const failed = failing(usage);
    if (signal.aborted) return yield failed("aborted", "Stopped.", []);
    const doing = this.#own(
      this.#todo.shift() ?? {
        kind: "reply",
        blocks: [{ type: "text", text: "Done." }],
        stopReason: "end_turn",
      },
    );
    if (doing.kind === "refuse") this.#dislike(body, doing);
    const refusal = this.#refusal(body);
    if (refusal !== undefined) {
      this.refused++;
      return yield failed("bad-request", `the service refused the request: ${refusal}`, []);
    }
    if (doing.kind === "broken") {
      if (!summary) this.#sent.say(doing.blocks.map(asSent), true);
      return yield failed(doing.fault, "It broke off.", doing.blocks);
    }
    const { blocks, stopReason } =
      doing.kind === "refuse" ? { blocks: [{ type: "text" as const, text: "Fine." }], stopReason: "end_turn" } : doing;
    for (const block of blocks) if (block.type === "text") yield { type: "text", text: block.text };
    if (signal.aborted) {
      if (!summary) this.#sent.say(blocks.map(asSent), true);
      return yield failed("aborted", "Stopped.", blocks);
    }
    if (!summary) {
      this.#sent.say(blocks.map(asSent), stopReason === "refusal");
      this.#sent.paused = stopReason === "pause_turn";
    }
    yield { type: "reply", blocks: [...blocks], usage, stopReason, model: "m", attempts: 1 };
  }

  /** Ids of the service's own tools are never used twice. */
  #own(doing: Doing): Doing {
    if (!("blocks" in doing)) return doing;
    const blocks = doing.blocks.map((block): ReplyBlock => {
      if (block.type !== "other" || !isRecord(block.raw)) return block;
      const isCall = block.raw["type"] === "server_tool_use";
      const id = `srvtoolu_${isCall ? ++this.#searches : this.#searches}`;
      return { type: "other", raw: { ...block.raw, ...(isCall ? { id } : { tool_use_id: id }) } };
    });
    return { ...doing, blocks };
  }
  #searches = 0;

  #judge(body: unknown, summary: boolean): void {
    this.wrong.push(...requestBreaches(body, { sent: this.#sent, noReplacement: true }));
    // What asks for a summary is no part of the conversation.
    if (summary) return;
    const { messages, fixed } = flat(body);
    const before = this.#before ?? [];
    const same = before.every((piece, i) => piece === messages[i]) && (this.#fixed === "" || fixed === this.#fixed);
    if (!same) this.wrong.push(`the prefix changed at ${before.findIndex((piece, i) => piece !== messages[i])}`);
    this.#before = messages;
    this.#fixed = fixed;
  }

  #dislike(body: unknown, { at, words }: Extract<Doing, { kind: "refuse" }>): void {
    if (words === "thinking") return void (this.#dislikesThinking = true);
    const all = places(body).filter((p) => (words === "media" ? p.type === "image" : p.own));
    // An unnamed picture can only be found where it is new.
    const open = words === "media" ? all.filter((p) => p.fresh) : all;
    const one = open[Math.floor(at * open.length)];
    if (one !== undefined) this.#disliked.add(one.json);
    this.#unnamed = words === "media";
  }
  #unnamed = false;

  #refusal(body: unknown): string | undefined {
    const all = places(body);
    const thought = all.find((p) => p.type === "thinking" || p.type === "redacted_thinking");
    if (this.#dislikesThinking && thought !== undefined)
      return `${thought.path}: Invalid \`signature\` in \`thinking\` block`;
    const found = all.find((p) => this.#disliked.has(p.json));
    if (found === undefined) return undefined;
    return this.#unnamed && found.type === "image" && found.fresh
      ? "Could not process image"
      : `${found.path}: it is not as it should be`;
  }
}

function failing(usage: Usage) {
  return (
    kind: "aborted" | "bad-request" | "network" | "server" | "auth",
    message: string,
    partial: readonly ReplyBlock[],
  ): ModelEvent => ({ type: "failed", kind, message, retryable: false, partial: [...partial], usage });
}

function asSent(block: ReplyBlock): Block {
  return block.type === "other" && isRecord(block.raw) ? block.raw : { ...block };
}

/** Blocks one by one without their breakpoints, and what stands before them. */
function flat(body: unknown): { messages: string[]; fixed: string } {
  const list = isRecord(body) && Array.isArray(body["messages"]) ? body["messages"] : [];
  const messages = list.flatMap((message: unknown) => {
    const content = isRecord(message) && Array.isArray(message["content"]) ? message["content"] : [];
    return content.map((block: unknown) => {
      const { cache_control: _, ...rest } = isRecord(block) ? block : {};
      return JSON.stringify([isRecord(message) ? message["role"] : "", rest]);
    });
  });
  return { messages, fixed: JSON.stringify(isRecord(body) ? [body["system"], body["tools"]] : []) };
}

interface Spot {
  path: string;
  type: string;
  json: string;
  /** In the last message: no request before held it. */
  fresh: boolean;
  /** Words or calls of the talk itself, which a note can stand for. */
  own: boolean;
}

function places(body: unknown): Spot[] {
  const messages = isRecord(body) && Array.isArray(body["messages"]) ? body["messages"] : [];
  return messages.flatMap((message: unknown, i) => {
    const content = isRecord(message) && Array.isArray(message["content"]) ? message["content"] : [];
    return spots(content, `messages.${i}.content`, i === messages.length - 1);
  });
}

function spots(content: readonly unknown[], at: string, fresh: boolean): Spot[] {
  return content.flatMap((block: unknown, j): Spot[] => {
    if (!isRecord(block)) return [];
    const { cache_control: _, ...rest } = block;
    const type = String(block["type"]);
    const words = JSON.stringify(rest);
    const note = /is not sent|left out|What was said before|\(no output\)|Go on/.test(words);
    const inner = Array.isArray(block["content"]) ? spots(block["content"], `${at}.${j}.${type}.content`, fresh) : [];
    const isThought = type === "thinking" || type === "redacted_thinking";
    return [
      { path: `${at}.${j}`, type, json: words, fresh, own: !note && !isThought && type !== "tool_result" },
      ...inner,
    ];
  });
}
