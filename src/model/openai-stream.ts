import { z } from "zod";
import type { StreamEvent } from "./anthropic-client.ts";
import { AnswerError } from "./answer-error.ts";

/** What is read of a chunk; servers add what they like. */
const Chunk = z.object({
  id: z.string().nullish(),
  choices: z
    .array(
      z.object({
        delta: z
          .object({
            content: z.string().nullish(),
            refusal: z.string().nullish(),
            /** Thoughts, as several servers call them. */
            reasoning_content: z.string().nullish(),
            reasoning: z.string().nullish(),
            tool_calls: z
              .array(
                z.object({
                  index: z.number().nullish(),
                  id: z.string().nullish(),
                  function: z.object({ name: z.string().nullish(), arguments: z.string().nullish() }).nullish(),
                }),
              )
              .nullish(),
          })
          .nullish(),
        finish_reason: z.string().nullish(),
      }),
    )
    .nullish(),
  usage: z
    .object({
      prompt_tokens: z.number().nullish(),
      completion_tokens: z.number().nullish(),
      prompt_tokens_details: z.object({ cached_tokens: z.number().nullish() }).nullish(),
    })
    .nullish(),
  error: z.unknown().optional(),
});
type Chunk = z.infer<typeof Chunk>;
type Delta = NonNullable<NonNullable<NonNullable<Chunk["choices"]>[number]["delta"]>>;

/** The Messages API's events out of the chunks of a chat completion. Throws an AnswerError for an error in the stream. */
export async function* fromChat(data: AsyncIterable<string>): AsyncGenerator<StreamEvent> {
  const blocks = new Blocks();
  let begun = false;
  let ended = false;
  for await (const text of data) {
    if (text.trim() === "[DONE]") break;
    const chunk = chunkOf(text);
    if (!begun) yield started(chunk.id ?? "");
    begun = true;
    const choice = chunk.choices?.[0];
    if (choice?.delta !== undefined && choice.delta !== null) yield* blocks.take(choice.delta);
    if (choice?.finish_reason !== undefined && choice.finish_reason !== null) {
      yield* blocks.end();
      yield reason(stopOf(choice.finish_reason, blocks));
      ended = true;
    }
    if (chunk.usage !== undefined && chunk.usage !== null) yield counted(chunk.usage);
  }
  // A stream without a reason for its end broke off, whatever its last words were.
  if (ended) yield { type: "message_stop" };
}

function chunkOf(text: string): Chunk {
  let json: unknown;
  try {
    json = JSON.parse(text);
  } catch {
    throw new AnswerError(`it sent what is no JSON: ${text.slice(0, 100)}`, { status: 500 });
  }
  const parsed = Chunk.safeParse(json);
  if (!parsed.success) throw new AnswerError(`it sent what is no chunk: ${text.slice(0, 100)}`, { status: 500 });
  if (parsed.data.error !== undefined && parsed.data.error !== null) throw errorOf(parsed.data.error, undefined);
  return parsed.data;
}

const ErrorBody = z.object({
  message: z.string().optional(),
  type: z.string().nullish(),
  code: z.union([z.string(), z.number()]).nullish(),
});

/** A service's error object as the error that the retries know. `status`: of the answer, where it was not a stream's. */
export function errorOf(error: unknown, status: number | undefined, headers?: Headers): AnswerError {
  const parsed = ErrorBody.safeParse(error);
  const { message, type, code } = parsed.success ? parsed.data : {};
  const said = message ?? (typeof error === "string" ? error : "it gave no reason");
  const about = headers === undefined ? {} : { headers };
  // Money that is used up comes back with no wait, unlike a rate.
  if (code === "insufficient_quota" || type === "insufficient_quota")
    return new AnswerError(said, { status: 402, ...about });
  if (code === "context_length_exceeded" || /maximum context length|context size/i.test(said))
    return new AnswerError(`prompt is too long: ${said}`, { status: 400, ...about });
  const told = status ?? (typeof code === "number" && code >= 400 ? code : undefined);
  return new AnswerError(said, { ...(told === undefined ? { type: typeOf(type) } : { status: told }), ...about });
}

/** A stream's errors have a type alone; what isn't known is the server's fault, and worth another try. */
function typeOf(type: string | null | undefined): string {
  return type === "rate_limit_exceeded" ? "rate_limit_error" : (type ?? "api_error");
}

function stopOf(finish: string, blocks: Blocks): string {
  switch (finish) {
    case "stop":
      return blocks.calls > 0 ? "tool_use" : "end_turn";
    case "tool_calls":
    case "function_call":
      return "tool_use";
    case "length":
      return "max_tokens";
    case "content_filter":
      return "refusal";
    default:
      return finish;
  }
}

const NO_COUNT = { input_tokens: 0, output_tokens: 0 };

function started(id: string): StreamEvent {
  return { type: "message_start", message: { id, usage: NO_COUNT } } as unknown as StreamEvent;
}

function reason(stop_reason: string): StreamEvent {
  return { type: "message_delta", delta: { stop_reason } } as unknown as StreamEvent;
}

function counted(usage: NonNullable<Chunk["usage"]>): StreamEvent {
  const cached = usage.prompt_tokens_details?.cached_tokens ?? 0;
  return {
    type: "message_delta",
    delta: {},
    usage: {
      input_tokens: Math.max(0, (usage.prompt_tokens ?? 0) - cached),
      output_tokens: usage.completion_tokens ?? 0,
      cache_read_input_tokens: cached,
    },
  } as unknown as StreamEvent;
}

type Open = { index: number; kind: "text" | "thinking" } | { index: number; kind: "call"; call: number; id: string };

/** One block at a time is open, as in the Messages API: what begins ends the one before. */
class Blocks {
  #next = 0;
  #open: Open | undefined;
  calls = 0;

  *take(delta: Delta): Generator<StreamEvent> {
    const thought = delta.reasoning_content ?? delta.reasoning ?? "";
    if (thought !== "") yield* this.#words("thinking", thought);
    const words = delta.content ?? delta.refusal ?? "";
    if (words !== "") yield* this.#words("text", words);
    for (const call of delta.tool_calls ?? []) yield* this.#call(call);
  }

  *end(): Generator<StreamEvent> {
    if (this.#open !== undefined) yield { type: "content_block_stop", index: this.#open.index };
    this.#open = undefined;
  }

  *#words(kind: "text" | "thinking", words: string): Generator<StreamEvent> {
    if (this.#open?.kind !== kind) {
      const start = kind === "text" ? { type: "text", text: "" } : { type: "thinking", thinking: "", signature: "" };
      yield* this.#start({ index: this.#next, kind }, start);
    }
    const delta = kind === "text" ? { type: "text_delta", text: words } : { type: "thinking_delta", thinking: words };
    yield* this.#delta(delta);
  }

  /** A call begins with its place, its id or its name, whichever the server tells; pieces without any of these go on with the open one. */
  *#call(call: NonNullable<Delta["tool_calls"]>[number]): Generator<StreamEvent> {
    const open = this.#open?.kind === "call" ? this.#open : undefined;
    const name = call.function?.name ?? "";
    const id = call.id ?? "";
    const another =
      open === undefined ||
      (typeof call.index === "number"
        ? call.index !== open.call
        : (id !== "" && id !== open.id) || (id === "" && name !== ""));
    if (another) {
      const made = id === "" ? `call_${this.#next}` : id;
      const at = { index: this.#next, kind: "call" as const, call: call.index ?? -1, id: made };
      yield* this.#start(at, { type: "tool_use", id: made, name, input: {} });
      this.calls++;
    }
    const json = call.function?.arguments ?? "";
    if (json !== "") yield* this.#delta({ type: "input_json_delta", partial_json: json });
  }

  *#start(open: Open, content_block: object): Generator<StreamEvent> {
    yield* this.end();
    this.#open = open;
    this.#next++;
    yield { type: "content_block_start", index: open.index, content_block } as unknown as StreamEvent;
  }

  *#delta(delta: object): Generator<StreamEvent> {
    const { index } = this.#open ?? { index: 0 };
    yield { type: "content_block_delta", index, delta } as unknown as StreamEvent;
  }
}
