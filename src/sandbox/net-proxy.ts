import type { Server, Socket } from "node:net";
import { dial, type DialOptions } from "./net-dial.ts";
import { httpPart } from "./net-http.ts";
import type { ProxyPart } from "./net-part.ts";
import { socks5 } from "./net-socks.ts";
import { NetLog, type NetRefusal, type NetUse } from "./net-use.ts";

export interface ProxyOptions extends DialOptions {
  /** Connections of the command at once; more are closed. */
  connections: number;
  /** A connection on which nothing moves for so long is closed. */
  idleMs: number;
}

/** A proxy of one command: HTTP, CONNECT and SOCKS5 on the same port, told apart by the first byte. */
export interface NetProxy {
  /** Takes the connections of a listener, until `close`. */
  serve(listener: Server): void;
  readonly uses: readonly NetUse[];
  readonly refusals: readonly NetRefusal[];
  /** Ends every connection and its listeners. */
  close(): void;
}

/**
 * Lets through exactly the hosts that are named, connecting to the address that was checked. What is inside a tunnel (TLS) is not
 * touched. It runs in the program itself: when that ends, by whatever death, nothing of it is left.
 */
export function netProxy(options: ProxyOptions): NetProxy {
  const log = new NetLog();
  const sockets = new Set<Socket>();
  const listeners = new Set<Server>();
  let clients = 0;
  let closed = false;
  const keep = (socket: Socket): void => {
    sockets.add(socket);
    socket.on("error", () => socket.destroy()).once("close", () => sockets.delete(socket));
    if (closed) socket.destroy();
  };
  const part: ProxyPart = {
    idleMs: options.idleMs,
    reach: async (target, tunnel) => {
      const dialed = await dial(target, tunnel, options);
      if ("refused" in dialed) log.refused(dialed.refused);
      if ("socket" in dialed) {
        keep(dialed.socket);
        log.follow(target, dialed.socket);
      }
      return dialed;
    },
    join: (client, remote) => join(client, remote, options.idleMs),
  };
  const http = httpPart(part);
  const take = (client: Socket): void => {
    if (clients >= options.connections || closed) return void client.destroy();
    clients++;
    keep(client);
    client.allowHalfOpen = true;
    client.once("close", () => clients--);
    client.setTimeout(options.idleMs, () => client.destroy());
    client.once("data", (first: Buffer) => {
      client.pause();
      client.unshift(first);
      if (first[0] === 5) void socks5(client, part);
      else http(client);
    });
  };
  return {
    serve: (listener) => {
      if (closed) return void listener.close();
      listeners.add(listener);
      listener.on("connection", take).on("error", () => listener.close());
    },
    get uses() {
      return log.uses;
    },
    get refusals() {
      return log.refusals;
    },
    close: () => {
      closed = true;
      for (const listener of listeners) listener.close();
      for (const socket of sockets) socket.destroy();
    },
  };
}

/** Carries bytes both ways; an end of one side is told to the other, an error or a long silence ends both. */
function join(client: Socket, remote: Socket, idleMs: number): void {
  const end = (): void => {
    client.destroy();
    remote.destroy();
  };
  for (const socket of [client, remote]) {
    socket.removeAllListeners("timeout");
    socket.setTimeout(idleMs, end).on("error", end);
  }
  // A side that only listens is not silent as long as the other one speaks.
  client.on("data", () => remote.setTimeout(idleMs));
  remote.on("data", () => client.setTimeout(idleMs));
  client.pipe(remote).once("close", end);
  remote.pipe(client).once("close", end);
}
