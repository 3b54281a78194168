import { type AddressInfo, connect, createServer, type Server, type Socket } from "node:net";
import { createServer as createHttp, type IncomingHttpHeaders } from "node:http";
import type { NetWorld } from "../../src/sandbox/net-dial.ts";
import { type NetHost, readNetHost } from "../../src/sandbox/net-host.ts";
import { type NetProxy, netProxy, type ProxyOptions } from "../../src/sandbox/net-proxy.ts";
import { routesOf } from "../../src/sandbox/net-upstream.ts";

/** Host and port, as a call names them. */
export function net(text: string): NetHost {
  const read = readNetHost(text);
  if (read === undefined) throw new Error(`${text} is no host and port`);
  return read;
}

export interface Listening {
  port: number;
  close(): Promise<void>;
}

export async function listen(server: Server): Promise<Listening> {
  const open = new Set<Socket>();
  server.on("connection", (socket: Socket) => {
    open.add(socket.on("error", () => undefined).on("close", () => open.delete(socket)));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    port: (server.address() as AddressInfo).port,
    close: () => {
      for (const socket of open) socket.destroy();
      return new Promise((resolve) => server.close(() => resolve()));
    },
  };
}

export interface Seen {
  method: string;
  url: string;
  headers: IncomingHttpHeaders;
  body: string;
}

/** An HTTP server that keeps what it was asked. */
export async function origin(answer = "ORIGIN"): Promise<Listening & { seen: Seen[] }> {
  const seen: Seen[] = [];
  const server = createHttp((req, res) => {
    let body = "";
    req.on("data", (chunk: Buffer) => (body += chunk.toString("latin1")));
    req.on("end", () => {
      seen.push({ method: req.method ?? "", url: req.url ?? "", headers: req.headers, body });
      res.setHeader("x-origin", "1");
      res.end(answer);
    });
  });
  return { ...(await listen(server)), seen };
}

/** A server that gives back what it gets. */
export function echo(): Promise<Listening> {
  return listen(createServer({ allowHalfOpen: true }, (socket) => socket.pipe(socket)));
}

/** Names by a table; what is not in it is not found. */
export function world(names: Readonly<Record<string, readonly string[]>> = {}): NetWorld & { asked: string[] } {
  const asked: string[] = [];
  return {
    asked,
    resolve: (host) => {
      asked.push(host);
      const found = names[host];
      return found === undefined
        ? Promise.reject(Object.assign(new Error(`${host} is not known`), { code: "ENOTFOUND" }))
        : Promise.resolve(found);
    },
    own: () => new Set(["203.0.114.7"]),
  };
}

/** A proxy on a port of its own. */
export async function proxyFor(
  allowed: readonly string[],
  more: Partial<ProxyOptions> & { env?: Record<string, string> } = {},
): Promise<Listening & { proxy: NetProxy }> {
  const { env = {}, ...rest } = more;
  const proxy = netProxy({
    allowed: allowed.map(net),
    route: routesOf(env),
    world: world(),
    connectMs: 5000,
    idleMs: 20_000,
    connections: 64,
    ...rest,
  });
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  proxy.serve(server);
  return {
    port,
    proxy,
    close: () => {
      proxy.close();
      return Promise.resolve();
    },
  };
}

/** Sends bytes and gives back all that came until the other side ended it. `then`: sent when something came. */
export function talk(port: number, first: string | Uint8Array, ...then: (string | Uint8Array)[]): Promise<string> {
  return new Promise((resolve, reject) => {
    const socket = connect({ port, host: "127.0.0.1", allowHalfOpen: true });
    let got = "";
    socket.on("error", reject);
    socket.on("data", (chunk: Buffer) => {
      got += chunk.toString("latin1");
      const next = then.shift();
      if (next !== undefined) socket.write(next);
      else if (!socket.writableEnded) socket.end();
    });
    socket.on("close", () => resolve(got));
    socket.on("end", () => socket.end());
    socket.write(first);
  });
}
