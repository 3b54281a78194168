import type { IncomingHttpHeaders, IncomingMessage } from "node:http";
import type { Socket } from "node:net";
import type { Duplex } from "node:stream";
import { later } from "../util/later.ts";
import { insideText } from "./net-address.ts";
import { dial, type NetWorld } from "./net-dial.ts";
import { type NetHost, plainHost } from "./net-host.ts";
import { machineWorld } from "./net.ts";
import { routesOf } from "./net-upstream.ts";

const http = later<typeof import("node:http")>("node:http");
const tls = later<typeof import("node:tls")>("node:tls");
const zlib = later<typeof import("node:zlib")>("node:zlib");

/** Where a page lies: what of its address is decided on, and the address without what never leaves (its fragment). */
export interface PageAddress extends NetHost {
  scheme: "http" | "https";
  url: URL;
}

export interface GetOptions {
  /** Of the person: their own proxy is used. */
  env: Readonly<Record<string, string | undefined>>;
  signal: AbortSignal;
  agent: string;
  accept: string;
  /** Of the answer, unpacked. */
  maxBytes: number;
  /** Milliseconds from the first byte sent to the last one got. */
  timeoutMs: number;
  world?: NetWorld;
  /** In the place of the machine's own authorities. */
  ca?: string;
}

/** Bytes that went either way, as they are counted on the connection. */
interface Traffic {
  up: number;
  down: number;
}

/** An answer; `cut`: there is more than the limit. `to`: where it leads on. `failed`: why there is none, for the model. */
export type Got = Traffic &
  ({ status: number; headers: IncomingHttpHeaders; body: Buffer; cut: boolean; to?: string } | { failed: string });

/** Reads a web address; text: what is wrong with it. Addresses inside, and such with a password, are none to get pages from. */
export function pageAddress(text: string): PageAddress | string {
  if (text.length > MAX_URL) return `the address has ${text.length} characters; up to ${MAX_URL} are sent`;
  if (!URL.canParse(text)) return `${JSON.stringify(text)} is no whole address. Write https://host/path`;
  const url = new URL(text);
  if (url.protocol !== "http:" && url.protocol !== "https:")
    return `${url.protocol} is not fetched, only http: and https:`;
  if (url.username !== "" || url.password !== "")
    return "a name or password in the address is never sent. Leave it out";
  const host = plainHost(url.hostname.replace(/^\[|\]$/g, ""));
  if (host === undefined) return `${JSON.stringify(url.hostname)} is no host's name or address`;
  const inside = insideText(host);
  if (inside !== undefined) return `${host} is ${inside}; only public hosts are fetched`;
  url.hash = "";
  const scheme = url.protocol === "http:" ? "http" : "https";
  return { scheme, host, port: url.port === "" ? (scheme === "http" ? 80 : 443) : Number(url.port), url };
}

const MAX_URL = 4096;

/**
 * One GET, without cookies, to the host of the address and no other: names that lead inside are refused where they are dialled. A
 * redirect is told, not followed. Never throws but for an aborted signal.
 */
export async function getPage(address: PageAddress, options: GetOptions): Promise<Got> {
  const { scheme, host, port } = address;
  const target = { host, port };
  const dialed = await dial(target, scheme === "https", {
    allowed: [target],
    route: routesOf(options.env),
    world: options.world ?? machineWorld,
    connectMs: Math.min(options.timeoutMs, 20_000),
  });
  if ("refused" in dialed) return { failed: `${host} ${dialed.refused.why}`, up: 0, down: 0 };
  if ("failed" in dialed) return { failed: dialed.failed, up: 0, down: 0 };
  const { socket, upstream } = dialed;
  // Over TLS the bytes are counted on the outer one.
  let stream = socket;
  const traffic = (): Traffic => ({ up: stream.bytesWritten, down: stream.bytesRead });
  try {
    if (scheme === "https") stream = await secured(socket, host, options);
    const by = upstream !== undefined && scheme === "http" ? upstream.authorization : undefined;
    const whole = upstream !== undefined && scheme === "http";
    const answer = await asked(stream, address, { ...options, whole, ...(by === undefined ? {} : { by }) });
    return { ...answer, ...traffic() };
  } catch (error) {
    options.signal.throwIfAborted();
    return {
      failed: `${host} gave no answer: ${error instanceof Error ? error.message : String(error)}`,
      ...traffic(),
    };
  } finally {
    socket.destroy();
  }
}

/** TLS over a connection, with the machine's authorities; the certificate must be the host's. */
function secured(socket: Socket, host: string, { signal, timeoutMs, ca }: GetOptions): Promise<Socket> {
  return new Promise((resolve, reject) => {
    const name = /^[\d.]+$|:/.test(host) ? {} : { servername: host };
    const stream = tls().connect({
      socket,
      host,
      ...name,
      ALPNProtocols: ["http/1.1"],
      ...(ca === undefined ? {} : { ca }),
    });
    const timer = setTimeout(() => stream.destroy(new Error("no secure connection in time")), timeoutMs);
    const stop = (): void => void stream.destroy(new Error("stopped"));
    signal.addEventListener("abort", stop, { once: true });
    const settle = (): void => {
      clearTimeout(timer);
      signal.removeEventListener("abort", stop);
    };
    stream.once("secureConnect", () => {
      settle();
      resolve(stream);
    });
    // Stays: a connection that breaks later fails the request, not the program.
    stream.on("error", (error) => {
      settle();
      reject(error);
    });
    if (signal.aborted) stop();
  });
}

type Asked = GetOptions & { whole: boolean; by?: string };

async function asked(
  stream: Duplex,
  { url, host }: PageAddress,
  { signal, agent, accept, maxBytes, timeoutMs, whole, by }: Asked,
): Promise<{ status: number; headers: IncomingHttpHeaders; body: Buffer; cut: boolean; to?: string }> {
  const within = AbortSignal.any([signal, AbortSignal.timeout(timeoutMs)]);
  const response = await new Promise<IncomingMessage>((resolve, reject) => {
    const request = http().request({
      method: "GET",
      host,
      path: whole ? url.href : `${url.pathname}${url.search}`,
      setHost: false,
      signal: within,
      createConnection: () => stream,
      headers: {
        host: url.host,
        "user-agent": agent,
        accept,
        "accept-encoding": "gzip, deflate, br",
        connection: "close",
        ...(by === undefined ? {} : { "proxy-authorization": by }),
      },
    });
    request.once("response", resolve).on("error", reject).end();
  }).catch((error: unknown) => {
    throw within.aborted && !signal.aborted ? new Error(`no whole answer within ${timeoutMs / 1000} s`) : error;
  });
  const to = response.headers.location;
  const status = response.statusCode ?? 0;
  if (status >= 300 && status < 400 && to !== undefined) {
    response.destroy();
    return { status, headers: response.headers, body: Buffer.alloc(0), cut: false, to };
  }
  const { body, cut } = await readBody(response, maxBytes);
  return { status, headers: response.headers, body, cut };
}

/** The body, unpacked, up to a size: what unpacks to more than that is cut, however small it came. */
async function readBody(response: IncomingMessage, maxBytes: number): Promise<{ body: Buffer; cut: boolean }> {
  const packed = String(response.headers["content-encoding"] ?? "identity")
    .trim()
    .toLowerCase();
  const unpack = UNPACK[packed];
  if (unpack === undefined)
    throw new Error(`it is packed as ${JSON.stringify(packed.slice(0, 40))}, which was not asked for`);
  const stream: AsyncIterable<Buffer> = unpack(response);
  const parts: Buffer[] = [];
  let size = 0;
  for await (const part of stream) {
    parts.push(part);
    size += part.length;
    if (size > maxBytes) break;
  }
  response.destroy();
  return { body: Buffer.concat(parts).subarray(0, maxBytes), cut: size > maxBytes };
}

const through =
  (make: () => Duplex) =>
  (response: IncomingMessage): Duplex => {
    const out = make();
    response.on("error", (error) => out.destroy(error));
    return response.pipe(out);
  };

const UNPACK: Readonly<Record<string, (response: IncomingMessage) => AsyncIterable<Buffer>>> = {
  identity: (response) => response,
  "": (response) => response,
  gzip: through(() => zlib().createGunzip()),
  "x-gzip": through(() => zlib().createGunzip()),
  deflate: through(() => zlib().createInflate()),
  br: through(() => zlib().createBrotliDecompress()),
};
