import { once } from "node:events";
import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { setImmediate as breathe, setTimeout as sleep } from "node:timers/promises";
import { onTestFinished } from "vitest";
import { MOST_BYTES, requestBreaches, type ApiBody } from "./api-check.ts";
import { SentReplies } from "./api-sent.ts";
import { bytesOf, eventsOf, sse, type ApiTurn, type SseEvent } from "./api-sse.ts";

/** What goes wrong with one answer. Places are counted in events or bytes of the stream. */
export type Fault =
  /** No stream at all. `body`: instead of the service's own form. */
  | { kind: "status"; status: number; type?: string; message?: string; headers?: Record<string, string>; body?: string }
  /** The connection ends before an answer. */
  | { kind: "reset" }
  /** An `error` event inside the stream, which then ends. */
  | { kind: "error-event"; type: string; message?: string; after: number }
  /** The connection breaks off. `hard`: by a TCP reset. */
  | { kind: "cut"; bytes: number; hard?: boolean }
  /** The stream ends, in order, too early. */
  | { kind: "end"; after: number }
  /** Nothing more comes. `ping`: but for a ping every so many milliseconds. */
  | { kind: "stall"; after: number; ping?: number };

export interface Answer {
  turn?: ApiTurn;
  /** The whole stream, instead of a turn. */
  events?: readonly SseEvent[];
  fault?: Fault;
  /** Of an answer that is a stream. */
  headers?: Record<string, string>;
  /** Milliseconds before the first byte. */
  firstByteMs?: number;
  /** Pings ahead of the reply, so many milliseconds apart. */
  pings?: { count: number; ms: number };
  /** Bytes of one write, whatever they cut in half. */
  chunk?: number;
}

export interface ApiRequest {
  headers: IncomingHttpHeaders;
  path: string;
  body: ApiBody;
  raw: string;
}

/** Answers in turn, or made from the request; the last one of a list is not repeated. */
export type Script = readonly Answer[] | ((request: ApiRequest, n: number) => Answer);

export interface ApiServer {
  /** What ANTHROPIC_BASE_URL is set to. */
  url: string;
  requests: ApiRequest[];
  /** What was wrong with requests, all of them. */
  breaches: string[];
  /** Resolves once so many requests have come. */
  seen(n: number): Promise<void>;
  close(): Promise<void>;
}

export interface ApiServerOptions {
  /** The only key that it takes. Default: any. */
  key?: string;
  /** Nothing that is put in holds U+FFFD: one in a request is refused. */
  noReplacement?: boolean;
  /** Refuses more than the service's rules do: gives its message, which is no breach. */
  refuses?: (request: ApiRequest) => string | undefined;
}

/** A real server of the Messages API on this machine, as strict as the real one. Gone after the test. */
export async function startApi(script: Script, options: ApiServerOptions = {}): Promise<ApiServer> {
  const requests: ApiRequest[] = [];
  const breaches: string[] = [];
  const waiting = new Set<() => void>();
  const sent = new SentReplies();
  const server = createServer((request, response) => {
    void handle(request, response).catch((error: unknown) => breaches.push(String(error)));
  });
  async function handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const parts: Buffer[] = [];
    for await (const part of request) parts.push(part as Buffer);
    const raw = Buffer.concat(parts).toString("utf8");
    const body = parse(raw);
    const seen = { headers: request.headers, path: request.url ?? "", body, raw };
    requests.push(seen);
    for (const wake of waiting) wake();
    const wrong = refusal(seen, request.method ?? "", options, sent, breaches);
    if (wrong !== undefined) return refuse(response, wrong);
    const more = options.refuses?.(seen);
    if (more !== undefined) return refuse(response, { kind: "status", status: 400, message: more });
    const n = requests.length;
    const answer = typeof script === "function" ? script(seen, n) : script[n - 1];
    if (answer === undefined) {
      breaches.push(`request ${n} was not expected`);
      return refuse(response, { kind: "status", status: 400, message: `request ${n} was not expected` });
    }
    await deliver(response, answer, String(body["model"]), n, sent);
  }
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const close = async (): Promise<void> => {
    server.closeAllConnections();
    await new Promise((done) => server.close(done));
  };
  onTestFinished(close);
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    requests,
    breaches,
    async seen(n) {
      while (requests.length < n) await new Promise<void>((wake) => waiting.add(wake));
    },
    close,
  };
}

function parse(raw: string): ApiBody {
  try {
    const body: unknown = JSON.parse(raw);
    return typeof body === "object" && body !== null ? (body as ApiBody) : {};
  } catch {
    return {};
  }
}

type Status = Extract<Fault, { kind: "status" }>;

function refusal(
  { headers, path, body, raw }: ApiRequest,
  method: string,
  { key, noReplacement = false }: ApiServerOptions,
  sent: SentReplies,
  breaches: string[],
): Status | undefined {
  if (path.split("?")[0] !== "/v1/messages" || method !== "POST") {
    return { kind: "status", status: 404, type: "not_found_error", message: `Not Found: ${method} ${path}` };
  }
  const bearer = /^Bearer (.+)$/.exec(headers.authorization ?? "")?.[1];
  if (key !== undefined && bearer !== key && headers["x-api-key"] !== key)
    return { kind: "status", status: 401, type: "authentication_error", message: "invalid x-api-key" };
  if (Buffer.byteLength(raw) > MOST_BYTES) {
    breaches.push(`the request has ${Buffer.byteLength(raw)} bytes`);
    return { kind: "status", status: 413, message: "Request exceeds the maximum size" };
  }
  const found = requestBreaches(body, { sent, noReplacement });
  if (!/^\d{4}-\d\d-\d\d$/.test(String(headers["anthropic-version"])))
    found.push("anthropic-version: header is required");
  if (!String(headers["content-type"]).startsWith("application/json")) found.push("content-type: must be JSON");
  breaches.push(...found);
  return found.length === 0 ? undefined : { kind: "status", status: 400, message: found.join("; ") };
}

const TYPES: Readonly<Record<number, string>> = {
  400: "invalid_request_error",
  401: "authentication_error",
  403: "permission_error",
  404: "not_found_error",
  413: "request_too_large",
  429: "rate_limit_error",
  529: "overloaded_error",
};

function refuse(response: ServerResponse, { status, type, message, headers, body }: Status): void {
  const error = { type: type ?? TYPES[status] ?? "api_error", message: message ?? `fault ${status}` };
  response.writeHead(status, { "content-type": "application/json", "request-id": "req_test", ...headers });
  response.end(body ?? JSON.stringify({ type: "error", error, request_id: "req_test" }));
}

async function deliver(
  response: ServerResponse,
  answer: Answer,
  model: string,
  n: number,
  sent: SentReplies,
): Promise<void> {
  const { fault, firstByteMs, pings } = answer;
  if (firstByteMs !== undefined) await sleep(firstByteMs);
  if (fault?.kind === "status") return refuse(response, fault);
  if (fault?.kind === "reset") return void response.socket?.destroy();
  response.writeHead(200, {
    "content-type": "text/event-stream; charset=utf-8",
    "request-id": "req_test",
    ...answer.headers,
  });
  response.flushHeaders();
  for (let i = 0; i < (pings?.count ?? 0); i++) {
    await write(response, bytesOf([sse("ping", {})]));
    await sleep(pings?.ms);
  }
  const events = shortened(answer.events ?? eventsOf(answer.turn ?? {}, model, n), fault);
  const bytes = bytesOf(events);
  sent.add(events, fault !== undefined);
  const all = fault?.kind === "cut" ? bytes.subarray(0, fault.bytes) : bytes;
  const size = answer.chunk ?? 1 << 16;
  for (let at = 0; at < all.length; at += size) {
    if (response.destroyed) return;
    await write(response, all.subarray(at, at + size));
    if (answer.chunk !== undefined) await breathe();
  }
  if (fault?.kind === "stall") return stall(response, fault.ping);
  if (fault?.kind === "cut") {
    // What was written has to arrive first.
    await sleep(20);
    return void (fault.hard === true ? response.socket?.resetAndDestroy() : response.socket?.destroy());
  }
  response.end();
}

function shortened(events: readonly SseEvent[], fault: Fault | undefined): readonly SseEvent[] {
  if (fault?.kind === "end" || fault?.kind === "stall") return events.slice(0, fault.after);
  if (fault?.kind !== "error-event") return events;
  const error = { type: fault.type, message: fault.message ?? "Something went wrong" };
  return [...events.slice(0, fault.after), sse("error", { error })];
}

async function stall(response: ServerResponse, ping: number | undefined): Promise<void> {
  while (ping !== undefined && !response.destroyed) {
    await sleep(ping);
    response.write(bytesOf([sse("ping", {})]));
  }
}

/** Waits while the reader is slower; a reader that is gone ends the wait. */
async function write(response: ServerResponse, bytes: Uint8Array): Promise<void> {
  if (response.write(bytes) || response.destroyed) return;
  const settled = new AbortController();
  const either = ["drain", "close"].map((name) =>
    once(response, name, { signal: settled.signal }).catch(() => undefined),
  );
  await Promise.race(either);
  settled.abort();
}
