import type { ServerResponse } from "node:http";
import { setTimeout as sleep } from "node:timers/promises";
import type { ApiTurn } from "./api-sse.ts";
import { chatBreaches } from "./chat-check.ts";
import { listen, type Heard } from "./local-http.ts";

export interface ChatAnswer {
  turn?: ApiTurn;
  /** Whole `data:` texts, instead of a turn. */
  chunks?: readonly string[];
  status?: { status: number; body?: string; headers?: Record<string, string> };
  headers?: Record<string, string>;
  /** So many chunks, then nothing more, or the end of the connection. */
  stall?: number;
  cut?: number;
}

export interface ChatServer {
  /** What OPENAI_BASE_URL is set to. */
  url: string;
  requests: (Heard & { body: Record<string, unknown> })[];
  breaches: string[];
}

/** A server of chat completions on this machine, as strict as the protocol. `key`: the only one that it takes. */
export async function startChatServer(
  script: (n: number) => ChatAnswer,
  { key }: { key?: string } = {},
): Promise<ChatServer> {
  const requests: ChatServer["requests"] = [];
  const breaches: string[] = [];
  const url = await listen(async (heard, response) => {
    const body = JSON.parse(heard.raw) as Record<string, unknown>;
    requests.push({ ...heard, body });
    if (heard.path !== "/v1/chat/completions" || heard.method !== "POST")
      return refuse(response, 404, { error: { message: `no route ${heard.path}`, type: "invalid_request_error" } });
    if (key !== undefined && heard.headers.authorization !== `Bearer ${key}`)
      return refuse(response, 401, {
        error: {
          message: `Incorrect API key provided: ${String(heard.headers.authorization)}.`,
          code: "invalid_api_key",
        },
      });
    const wrong = chatBreaches(body);
    breaches.push(...wrong);
    if (wrong.length > 0) return refuse(response, 400, { error: { message: wrong.join("; ") } });
    await deliver(response, script(requests.length), String(body["model"]));
  });
  return { url: `${url}/v1`, requests, breaches };
}

function refuse(response: ServerResponse, status: number, body: unknown): void {
  response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(body));
}

async function deliver(response: ServerResponse, answer: ChatAnswer, model: string): Promise<void> {
  if (answer.status !== undefined) {
    const { status, body = "", headers } = answer.status;
    return void response.writeHead(status, headers).end(body);
  }
  response.writeHead(200, { "content-type": "text/event-stream", ...answer.headers });
  response.flushHeaders();
  const all = answer.chunks ?? chunksOf(answer.turn ?? {}, model);
  const some = all.slice(0, answer.stall ?? answer.cut ?? all.length);
  for (const chunk of some) response.write(`data: ${chunk}\n\n`);
  if (answer.stall !== undefined) return;
  if (answer.cut === undefined) return void response.end();
  // What was written has to arrive first.
  await sleep(20);
  response.socket?.destroy();
}

/** A reply as the service streams it: words, then calls side by side, the reason, the usage, the end. */
export function chunksOf({ text, calls = [], usage = {}, stopReason, piece = 12 }: ApiTurn, model: string): string[] {
  const chunk = (rest: object) =>
    JSON.stringify({ id: "chatcmpl_1", object: "chat.completion.chunk", created: 1, model, ...rest });
  const delta = (part: object) => chunk({ choices: [{ index: 0, delta: part, finish_reason: null }], usage: null });
  const words = text?.match(new RegExp(`.{1,${piece}}`, "gsu")) ?? [];
  const finish = stopReason ?? (calls.length > 0 ? "tool_calls" : "stop");
  const cached = usage.cacheRead ?? 0;
  return [
    delta({ role: "assistant", content: "" }),
    ...words.map((content) => delta({ content })),
    ...calls.flatMap(({ id, name, input = {}, broken }, index) => {
      const json = broken ?? JSON.stringify(input);
      const begin = { index, id: id ?? `call_${index}`, type: "function", function: { name, arguments: "" } };
      const half = Math.ceil(json.length / 2);
      return [
        delta({ tool_calls: [begin] }),
        ...[json.slice(0, half), json.slice(half)].map((part) =>
          delta({ tool_calls: [{ index, function: { arguments: part } }] }),
        ),
      ];
    }),
    chunk({ choices: [{ index: 0, delta: {}, finish_reason: finish }], usage: null }),
    chunk({
      choices: [],
      usage: {
        prompt_tokens: (usage.input ?? 10) + cached,
        completion_tokens: usage.output ?? 20,
        prompt_tokens_details: { cached_tokens: cached },
      },
    }),
    "[DONE]",
  ];
}
