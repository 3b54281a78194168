/** One event of a stream, as the service writes it. */
export interface SseEvent {
  event: string;
  data: unknown;
}

/** A reply in short. `blocks`: whole blocks of any kind behind the rest, streamed as they are. A turn of a script fits. */
export interface ApiTurn {
  thinking?: string | undefined;
  text?: string | undefined;
  calls?: readonly {
    name: string;
    input?: Record<string, unknown> | undefined;
    id?: string | undefined;
    /** Raw text of the input, such as a part of one. */
    broken?: string | undefined;
  }[];
  blocks?: readonly ({ type: string } & Record<string, unknown>)[];
  stopReason?: string | undefined;
  usage?:
    | { input?: number | undefined; output?: number | undefined; cacheRead?: number; cacheWrite?: number }
    | undefined;
  /** Characters of one delta. Default 12. */
  piece?: number;
}

/** The events of a whole reply. `n` makes its ids differ from those of other replies. */
export function eventsOf(turn: ApiTurn, model: string, n: number): SseEvent[] {
  const { usage = {}, piece = 12 } = turn;
  const calls = turn.calls ?? [];
  const started = {
    input_tokens: usage.input ?? 10,
    cache_read_input_tokens: usage.cacheRead ?? 0,
    cache_creation_input_tokens: usage.cacheWrite ?? 0,
    output_tokens: 1,
  };
  const message = {
    id: `msg_${n}`,
    type: "message",
    role: "assistant",
    model,
    content: [],
    stop_reason: null,
    stop_sequence: null,
    usage: started,
  };
  const blocks = blocksOf(turn, n);
  const stop_reason = turn.stopReason ?? (calls.length > 0 ? "tool_use" : "end_turn");
  return [
    sse("message_start", { message }),
    sse("ping", {}),
    ...blocks.flatMap((block, index) => blockEvents(block, index, piece)),
    sse("message_delta", {
      delta: { stop_reason, stop_sequence: null },
      usage: { output_tokens: usage.output ?? 20 },
    }),
    sse("message_stop", {}),
  ];
}

export function sse(type: string, rest: Record<string, unknown>): SseEvent {
  return { event: type, data: { type, ...rest } };
}

export function bytesOf(events: readonly SseEvent[]): Buffer {
  return Buffer.from(events.map(({ event, data }) => `event: ${event}\ndata: ${JSON.stringify(data)}\n\n`).join(""));
}

/** What the service signs a thought with; it takes back only what it signed. */
export function signatureOf(thinking: string): string {
  return `sig-${Buffer.from(thinking).toString("base64url").slice(0, 40)}-${thinking.length}`;
}

type Streamed = { start: { type: string } & Record<string, unknown>; deltas: Record<string, unknown>[] };

function blocksOf(turn: ApiTurn, n: number): ({ type: string } & Record<string, unknown>)[] {
  const { thinking, text, calls = [], blocks = [] } = turn;
  return [
    ...(thinking === undefined ? [] : [{ type: "thinking", thinking, signature: signatureOf(thinking) }]),
    ...(text === undefined ? [] : [{ type: "text", text }]),
    ...calls.map(({ id, name, input = {}, broken }, i) => ({
      type: "tool_use",
      id: id ?? `toolu_${n}_${i}`,
      name,
      input: broken ?? input,
    })),
    ...blocks,
  ];
}

function blockEvents(block: { type: string } & Record<string, unknown>, index: number, piece: number): SseEvent[] {
  const { start, deltas } = streamed(block, piece);
  return [
    sse("content_block_start", { index, content_block: start }),
    ...deltas.map((delta) => sse("content_block_delta", { index, delta })),
    sse("content_block_stop", { index }),
  ];
}

function streamed(block: { type: string } & Record<string, unknown>, piece: number): Streamed {
  const { type, text, thinking, signature, input } = block;
  if (type === "text")
    return {
      start: { type, text: "" },
      deltas: pieces(String(text), piece).map((t) => ({ type: "text_delta", text: t })),
    };
  if (type === "thinking")
    return {
      start: { type, thinking: "", signature: "" },
      deltas: [
        ...pieces(String(thinking), piece).map((t) => ({ type: "thinking_delta", thinking: t })),
        { type: "signature_delta", signature },
      ],
    };
  if (type === "tool_use" || type === "server_tool_use") {
    const json = typeof input === "string" ? input : JSON.stringify(input);
    return {
      start: { ...block, input: {} },
      deltas: ["", ...pieces(json, piece)].map((partial_json) => ({ type: "input_json_delta", partial_json })),
    };
  }
  return { start: block, deltas: [] };
}

/** Never cuts a pair in half, as no JSON writer would. */
function pieces(text: string, length: number): string[] {
  const out: string[] = [];
  for (let at = 0; at < text.length;) {
    let end = at + length;
    if (/[\uD800-\uDBFF]/.test(text.charAt(end - 1))) end++;
    out.push(text.slice(at, end));
    at = end;
  }
  return out;
}
