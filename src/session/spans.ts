import { createHash } from "node:crypto";
import type { ContentBlock, ReplyBlock } from "../events/block.ts";
import { called } from "../events/called.ts";
import type { LogEvent, LogEventOf } from "../events/event.ts";

export type SpanValue = string | number | boolean | readonly string[];

/** One span as OpenTelemetry has it. Times in ms since 1970; ids hex, made of the session's id and the event, so that a second export names the same. */
export interface Span {
  traceId: string;
  spanId: string;
  parentSpanId?: string;
  name: string;
  kind: "internal" | "client";
  start: number;
  end: number;
  attributes: Readonly<Record<string, SpanValue>>;
  /** What went wrong, by its kind. */
  error?: string;
}

/**
 * A session as spans with the names of the GenAI conventions: `invoke_agent` for each message, in it a `chat` for each request and an
 * `execute_tool` for each call. `content`: also what was said, called and answered, and the reasons of verdicts; without it no text of
 * anybody's is in them.
 */
export function spansOf(events: readonly LogEvent[], { content }: { content: boolean }): Span[] {
  const [opened] = events;
  if (opened?.type !== "session.opened") return [];
  const fold = new Spans(opened.sessionId, content);
  for (const event of events) fold.take(event);
  return fold.end();
}

type Call = {
  turn: Span;
  tool: string;
  input: unknown;
  start?: number;
  verdict?: LogEventOf<"permission.decided">;
  landed: number;
};

class Spans {
  readonly #id: string;
  readonly #content: boolean;
  /** By the event that began each: what contains others comes before them. */
  readonly #spans = new Map<number, Span>();
  readonly #calls = new Map<string, Call>();
  #query: { span: Span; seq: number } | undefined;
  #turn: { at: number; model: string } | undefined;
  #last = 0;

  constructor(sessionId: string, content: boolean) {
    this.#id = sessionId;
    this.#content = content;
  }

  take(event: LogEvent): void {
    const at = Date.parse(event.at);
    this.#last = Math.max(this.#last, at);
    switch (event.type) {
      case "prompt.submitted":
        if (event.when === "start") this.#begin(event, at);
        return;
      case "turn.started":
        this.#turn = { at, model: event.model };
        return;
      case "reply.completed":
      case "reply.cut":
      case "reply.voided":
        return this.#reply(event, at);
      case "permission.decided":
        return this.#with(event.callId, (call) => ({ ...call, verdict: event }));
      case "call.started":
        return this.#with(event.callId, (call) => ({ ...call, start: call.start ?? at, input: event.input }));
      case "changes.landed":
        return this.#with(event.callId, (call) => ({ ...call, landed: call.landed + event.summary.files }));
      case "call.finished":
        return this.#result(event, at);
      case "query.finished":
        return this.#finish(event, at);
      default:
        return;
    }
  }

  end(): Span[] {
    if (this.#query !== undefined) this.#spans.set(this.#query.seq, { ...this.#query.span, end: this.#last });
    return [...this.#spans].toSorted(([a], [b]) => a - b).map(([, span]) => span);
  }

  #begin(event: LogEventOf<"prompt.submitted">, at: number): void {
    this.#query = {
      span: this.#span(event.seq, "invoke_agent understudy", "internal", at, at, { operation: "invoke_agent" }),
      seq: event.seq,
    };
    if (!this.#content) return;
    const said = messages([{ role: "user", parts: event.content }]);
    this.#query.span = withAttributes(this.#query.span, { "gen_ai.input.messages": said });
  }

  #reply(event: LogEventOf<"reply.completed" | "reply.cut" | "reply.voided">, at: number): void {
    const { model, usage, seq } = event;
    const span = this.#span(seq, `chat ${model}`, "client", this.#turn?.at ?? at, at, {
      operation: "chat",
      parent: this.#query?.span,
    });
    const whole = event.type === "reply.completed";
    const blocks = event.type === "reply.voided" ? [] : event.blocks;
    const told = {
      "gen_ai.provider.name": providerOf(model),
      "gen_ai.request.model": this.#turn?.model ?? model,
      "gen_ai.response.model": model,
      ...(whole && event.messageId !== undefined ? { "gen_ai.response.id": event.messageId } : {}),
      ...(whole ? { "gen_ai.response.finish_reasons": [event.stopReason] } : {}),
      "gen_ai.usage.input_tokens": usage.input + usage.cacheRead + usage.cacheWrite,
      "gen_ai.usage.output_tokens": usage.output,
      "gen_ai.usage.cache_read.input_tokens": usage.cacheRead,
      "gen_ai.usage.cache_creation.input_tokens": usage.cacheWrite,
      ...(this.#content ? { "gen_ai.output.messages": messages([{ role: "assistant", parts: blocks }]) } : {}),
    };
    const turn = {
      ...withAttributes(span, told),
      ...(whole ? {} : { error: event.type === "reply.cut" ? "cut" : "void" }),
    };
    this.#spans.set(seq, turn);
    if (!whole) return;
    for (const b of blocks)
      if (b.type === "tool_use") {
        const { id, name, input } = called(b);
        this.#calls.set(id, { turn, tool: name, input, landed: 0 });
      }
  }

  #with(callId: string | undefined, change: (call: Call) => Call): void {
    const call = callId === undefined ? undefined : this.#calls.get(callId);
    if (call !== undefined && callId !== undefined) this.#calls.set(callId, change(call));
  }

  #result(event: LogEventOf<"call.finished">, at: number): void {
    const call = this.#calls.get(event.callId);
    if (call === undefined) return;
    this.#calls.delete(event.callId);
    const { tool, start = at, verdict, landed, turn } = call;
    const span = this.#span(event.seq, `execute_tool ${tool}`, "internal", start, at, {
      operation: "execute_tool",
      parent: turn,
    });
    const told = {
      "gen_ai.tool.name": tool,
      "gen_ai.tool.type": "function",
      "gen_ai.tool.call.id": event.callId,
      ...(event.operationId === undefined ? {} : { "understudy.operation.id": event.operationId }),
      "understudy.call.status": event.status,
      "understudy.changes.files": landed,
      ...(verdict === undefined ? {} : verdictOf(verdict, this.#content)),
      ...(this.#content ? { "gen_ai.tool.call.arguments": JSON.stringify(call.input) } : {}),
      ...(this.#content ? { "gen_ai.tool.call.result": textOf(event.content) } : {}),
    };
    const failed = event.status === "ok" ? {} : { error: event.status };
    this.#spans.set(event.seq, { ...withAttributes(span, told), ...failed });
  }

  #finish(event: LogEventOf<"query.finished">, at: number): void {
    if (this.#query === undefined) return;
    const told = { "understudy.end.reason": event.reason, "understudy.turns": event.turns };
    const fine = event.reason === "done" || event.reason === "waiting";
    this.#spans.set(this.#query.seq, {
      ...withAttributes(this.#query.span, told),
      end: at,
      ...(fine ? {} : { error: event.reason }),
    });
    this.#query = undefined;
  }

  #span(
    seq: number,
    name: string,
    kind: Span["kind"],
    start: number,
    end: number,
    of: { operation: string; parent?: Span | undefined },
  ): Span {
    return {
      traceId: hash(this.#id, 32),
      spanId: hash(`${this.#id} ${seq}`, 16),
      ...(of.parent === undefined ? {} : { parentSpanId: of.parent.spanId }),
      name,
      kind,
      start,
      end,
      attributes: {
        "gen_ai.operation.name": of.operation,
        "gen_ai.conversation.id": this.#id,
        ...(of.operation === "invoke_agent" ? { "gen_ai.agent.name": "understudy" } : {}),
      },
    };
  }
}

function withAttributes(span: Span, more: Span["attributes"]): Span {
  return { ...span, attributes: { ...span.attributes, ...more } };
}

/** A reason names files and commands. */
function verdictOf(v: LogEventOf<"permission.decided">, content: boolean): Span["attributes"] {
  return {
    "understudy.permission.outcome": v.outcome,
    "understudy.permission.by": v.by,
    "understudy.permission.risk": v.risk,
    ...(content ? { "understudy.permission.reason": v.reason } : {}),
  };
}

const PROVIDERS: readonly (readonly [RegExp, string])[] = [
  [/^bedrock:/, "aws.bedrock"],
  [/^vertex:/, "gcp.vertex_ai"],
  [/^openai:/, "openai"],
  [/^(demo|scripted|recorded)\b/, "understudy"],
];

function providerOf(model: string): string {
  return PROVIDERS.find(([form]) => form.test(model))?.[1] ?? "anthropic";
}

/** The messages attribute of the conventions: roles with parts, as JSON. */
function messages(all: readonly { role: string; parts: readonly (ContentBlock | ReplyBlock)[] }[]): string {
  return JSON.stringify(all.map(({ role, parts }) => ({ role, parts: parts.flatMap(partOf) })));
}

function partOf(block: ContentBlock | ReplyBlock): object[] {
  if (block.type === "text") return [{ type: "text", content: block.text }];
  if (block.type === "thinking") return [{ type: "reasoning", content: block.thinking }];
  return block.type === "tool_use"
    ? [{ type: "tool_call", id: block.id, name: block.name, arguments: block.input }]
    : [];
}

function textOf(content: readonly ContentBlock[]): string {
  return content.flatMap((b) => (b.type === "text" ? [b.text] : [])).join("\n");
}

function hash(text: string, digits: number): string {
  return createHash("sha256").update(text).digest("hex").slice(0, digits);
}
