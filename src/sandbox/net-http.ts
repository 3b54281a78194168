import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from "node:http";
import type { Socket } from "node:net";
import { readNetHost, type NetHost, netHostText } from "./net-host.ts";
import { type ProxyPart, refusalText } from "./net-part.ts";
import type { Upstream } from "./net-upstream.ts";
import { later } from "../util/later.ts";

/** As an ES module it would bring all of Node's HTTP client to every start, through its getters. */
const http = later<typeof import("node:http")>("node:http");

/** Of one connection, never of what is passed on. */
const HOP = new Set(
  "connection keep-alive proxy-authenticate proxy-authorization proxy-connection te trailer transfer-encoding upgrade host".split(
    " ",
  ),
);

/** Of a request, told anew: its framing, and that the client was told to go on. */
const OURS = new Set(["content-length", "expect"]);

/** The HTTP side: CONNECT opens a tunnel, a request with a whole `http:` address is passed on. */
export function httpPart(part: ProxyPart): (client: Socket) => void {
  // Node's own parser, strict: what it passes on is written anew, so that nothing can be smuggled behind it.
  const server = http().createServer({ maxHeaderSize: 65_536, insecureHTTPParser: false });
  server.timeout = part.idleMs;
  server.on("connect", (req: IncomingMessage, client: Socket, head: Buffer) => void tunnel(req, client, head, part));
  server.on("request", (req, res) => void pass(req, res, part));
  server.on("clientError", (_, socket) => socket.end("HTTP/1.1 400 Bad Request\r\nConnection: close\r\n\r\n"));
  return (client) => {
    server.emit("connection", client);
    process.nextTick(() => client.resume());
  };
}

async function tunnel(req: IncomingMessage, client: Socket, head: Buffer, part: ProxyPart): Promise<void> {
  const target = readNetHost(req.url ?? "");
  if (target === undefined || target.host === "*")
    return answer(client, 400, "Bad Request", "Understudy's proxy: not a host and a port");
  const dialed = await part.reach(target, true);
  if (!("socket" in dialed)) {
    const [code, phrase] = "refused" in dialed ? [403, "Forbidden by Understudy"] : [502, "Bad Gateway"];
    return answer(client, code as number, phrase as string, refusalText(dialed));
  }
  if (client.destroyed) return void dialed.socket.destroy();
  client.write("HTTP/1.1 200 Connection Established\r\n\r\n");
  if (head.length > 0) dialed.socket.write(head);
  part.join(client, dialed.socket);
}

function answer(client: Socket, code: number, phrase: string, words: string): void {
  const body = `${words}\n`;
  const length = Buffer.byteLength(body);
  client.end(
    `HTTP/1.1 ${code} ${phrase}\r\nContent-Type: text/plain; charset=utf-8\r\nContent-Length: ${length}\r\nConnection: close\r\n\r\n${body}`,
  );
}

async function pass(req: IncomingMessage, res: ServerResponse, part: ProxyPart): Promise<void> {
  const found = addressOf(req.url ?? "");
  if (found === undefined)
    return say(res, 400, "Understudy's proxy: a request to a proxy names a whole address, such as http://host/path");
  const framing = framingOf(req);
  if (framing === undefined)
    return say(res, 400, "Understudy's proxy: the length of the request's body is told in a way that is not passed on");
  const { target, path } = found;
  const dialed = await part.reach(target, false);
  if (!("socket" in dialed)) return say(res, "refused" in dialed ? 403 : 502, refusalText(dialed));
  const { socket, upstream } = dialed;
  socket.setTimeout(part.idleMs, () => socket.destroy());
  const out = http().request({
    createConnection: () => socket,
    method: req.method ?? "GET",
    path: upstream === undefined ? path : `http://${netHostText(target)}${path}`,
    headers: { ...headersFor(req.headers, target, upstream), ...framing, connection: "close" },
    setHost: false,
  });
  out.on("response", (answered) => {
    res.writeHead(answered.statusCode ?? 502, answered.statusMessage, passable(answered.headers));
    answered.pipe(res);
    answered.on("error", () => res.destroy());
  });
  out.on("error", (error) => {
    if (res.headersSent) res.destroy();
    else say(res, 502, `Understudy's proxy: ${netHostText(target)} broke off: ${error.message}`);
  });
  res.on("close", () => socket.destroy());
  // Without a length there is no body: what follows is the client's next request, never a part of this one.
  if (Object.keys(framing).length === 0) out.end();
  else req.pipe(out);
}

/**
 * How the body's end is told onwards: by the very length that was parsed, or by chunks as Node writes them; never by both, and never by what the
 * client wrote. One connection carries one request, so that no proxy behind this one reads a body's bytes as another one.
 */
function framingOf(req: IncomingMessage): IncomingHttpHeaders | undefined {
  const { "transfer-encoding": coding, "content-length": length } = req.headers;
  if (coding === undefined)
    return length === undefined ? {} : /^\d{1,15}$/.test(length) ? { "content-length": length } : undefined;
  return length === undefined && coding.toLowerCase() === "chunked" ? { "transfer-encoding": "chunked" } : undefined;
}

/** `http://host[:port]/path` taken apart by hand: another reading of it than the client's would be a way around the list. */
function addressOf(url: string): { target: NetHost; path: string } | undefined {
  const [, place = "", path = ""] = /^http:\/\/([^/?#\\@\s]+)([/?][^#\s]*)?$/i.exec(url) ?? [];
  const target = readNetHost(place, 80);
  if (target === undefined || target.host === "*") return undefined;
  return { target, path: path.startsWith("/") ? path : `/${path}` };
}

function headersFor(given: IncomingHttpHeaders, target: NetHost, upstream: Upstream | undefined): IncomingHttpHeaders {
  const host = target.port === 80 ? netHostText(target).replace(/:80$/, "") : netHostText(target);
  const key = upstream?.authorization === undefined ? {} : { "proxy-authorization": upstream.authorization };
  return { host, ...passable(given, OURS), ...key };
}

function passable(headers: IncomingHttpHeaders, more: ReadonlySet<string> = new Set()): IncomingHttpHeaders {
  const own = new Set((headers.connection ?? "").toLowerCase().split(/[\s,]+/));
  return Object.fromEntries(
    Object.entries(headers).filter(([name]) => !HOP.has(name) && !more.has(name) && !own.has(name)),
  );
}

function say(res: ServerResponse, code: number, words: string): void {
  const body = `${words}\n`;
  res.writeHead(code, { "content-type": "text/plain; charset=utf-8", "content-length": Buffer.byteLength(body) });
  res.end(body);
}
