// The one server that every program of a run talks to: a thread of its own, so that what the bench does meanwhile delays no answer.
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { setTimeout as sleep } from "node:timers/promises";
import { parentPort } from "node:worker_threads";
import type { Asked, Json, Protocol } from "./protocol.ts";
import { PROTOCOLS } from "./protocols.ts";
import { type ReadTool, replyTo, type Work } from "./script.ts";
import type { Seen } from "./server.ts";

/** Milliseconds between the writes of a reply that comes at a rate. */
const BEAT = 50;
const port = parentPort;
if (port === null) throw new Error("the server is a thread of the bench");

let job: { work: Work; read: ReadTool; folder: string } = {
  work: { kind: "hi" },
  read: { name: "", input: () => ({}) },
  folder: "",
};
let log: Seen[] = [];

port.on(
  "message",
  (message: { kind: "work"; work: Work; tool: string; template: string; folder: string } | { kind: "log" }) => {
    if (message.kind === "log") return port.postMessage({ kind: "log", log });
    const { work, tool, template, folder } = message;
    const input = (path: string) => JSON.parse(template.replaceAll("@path@", path)) as Json;
    job = { work, folder, read: { name: tool, input } };
    log = [];
    port.postMessage({ kind: "ready" });
  },
);

const server = createServer({ keepAliveTimeout: 60_000 }, (request, response) => {
  const parts: Buffer[] = [];
  request.on("data", (part: Buffer) => parts.push(part));
  request.on(
    "end",
    () => void answer(request, response, Buffer.concat(parts).toString("utf8")).catch(() => response.destroy()),
  );
});
server.listen(0, "127.0.0.1", () => {
  const address = server.address();
  port.postMessage({ kind: "listening", port: typeof address === "object" ? address?.port : undefined });
});

async function answer(request: IncomingMessage, response: ServerResponse, raw: string): Promise<void> {
  const path = request.url ?? "";
  const seen: Seen = { at: now(), answeredAt: 0, path, raw, main: false };
  log.push(seen);
  const protocol = request.method === "POST" ? PROTOCOLS.find((one) => one.path.test(path)) : undefined;
  if (protocol === undefined) other(path, response);
  else {
    const body = JSON.parse(raw) as Json;
    const asked = protocol.read(body);
    // Requests for titles and the like offer no tools: answered, counted, and no turn of the work.
    seen.main = asked.tools.length > 0;
    await reply(protocol, body, asked, seen, response);
  }
  seen.answeredAt = now();
}

async function reply(
  protocol: Protocol,
  body: Json,
  asked: Asked,
  seen: Seen,
  response: ServerResponse,
): Promise<void> {
  const { work, read, folder } = job;
  const events = protocol.events(
    seen.main ? replyTo(work, asked.results.length, read, folder) : { text: ["{}"] },
    log.length,
  );
  if (protocol.name === "messages" && body["stream"] !== true) return whole(response);
  response.writeHead(200, { "content-type": "text/event-stream" });
  if (seen.main && work.kind === "words" && work.rate !== undefined) await paced(events, work.rate, response);
  response.end(work.kind === "words" && work.rate !== undefined && seen.main ? events.at(-1) : events.join(""));
}

async function paced(events: readonly string[], rate: number, response: ServerResponse): Promise<void> {
  const began = now();
  for (let sent = 0; sent < events.length - 1 && !response.destroyed; await sleep(BEAT)) {
    const due = Math.min(events.length - 1, Math.ceil(((now() - began + BEAT) / 1000) * rate));
    if (due > sent) response.write(events.slice(sent, due).join(""));
    sent = Math.max(sent, due);
  }
}

function whole(response: ServerResponse): void {
  const content = [{ type: "text", text: "{}" }];
  json(response, {
    id: "msg_side",
    type: "message",
    role: "assistant",
    model: "bench",
    content,
    stop_reason: "end_turn",
    stop_sequence: null,
    usage: { input_tokens: 1, output_tokens: 1 },
  });
}

/** What programs ask beside: lists of models, counts of tokens. */
function other(path: string, response: ServerResponse): void {
  if (/count_?tokens/i.test(path)) return json(response, { input_tokens: 10, totalTokens: 10 });
  if (/generateContent/.test(path))
    return json(response, {
      candidates: [{ content: { role: "model", parts: [{ text: "{}" }] }, finishReason: "STOP" }],
    });
  if (/\/models/.test(path))
    return json(response, { object: "list", data: [{ id: "bench", object: "model" }], models: [] });
  response
    .writeHead(404, { "content-type": "application/json" })
    .end('{"error":{"message":"not here","type":"not_found_error"}}');
}

function json(response: ServerResponse, body: object): void {
  response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify(body));
}

function now(): number {
  return performance.timeOrigin + performance.now();
}
