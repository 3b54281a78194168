import { connect, isIP, type Socket } from "node:net";
import { connect as connectTls } from "node:tls";
import { addressText, mayDial } from "./net-address.ts";
import { named, type NetHost, netHostText, plainHost } from "./net-host.ts";
import type { Route, Upstream } from "./net-upstream.ts";
import type { NetRefusal } from "./net-use.ts";

/** What the outside is to a proxy: told by the machine, or by a test. */
export interface NetWorld {
  /** Addresses of a name. Rejects with a `code` such as ENOTFOUND. */
  resolve(host: string): Promise<readonly string[]>;
  /** This machine's own addresses. */
  own(): ReadonlySet<string>;
}

export interface DialOptions {
  allowed: readonly NetHost[];
  route(scheme: "http" | "https", target: NetHost): Route;
  world: NetWorld;
  connectMs: number;
}

/** A connection; a refusal; or a failure of the network, told by its code. `upstream`: it ends at the person's proxy. */
export type Dialed =
  | { socket: Socket; upstream?: Upstream }
  | { refused: NetRefusal }
  | { failed: string; code: string };

/**
 * Connects to a target that is named and whose address may be reached; names are looked up here, and the address that was checked is the
 * one that is connected to. `tunnel`: by the person's proxy with CONNECT; else a request of plain HTTP is made to that proxy.
 */
export async function dial(target: NetHost, tunnel: boolean, options: DialOptions): Promise<Dialed> {
  const { allowed, world } = options;
  if (target.host === "*" || !named(allowed, target))
    return { refused: { ...target, why: "was not named by this call" } };
  const route = options.route(tunnel ? "https" : "http", target);
  if (typeof route === "object" && "problem" in route) return { refused: { ...target, why: route.problem } };
  try {
    // A name that the person's proxy looks up is not looked up here; an address is an address either way.
    const addresses =
      isIP(target.host) !== 0 ? [target.host] : route === "direct" ? await world.resolve(target.host) : undefined;
    const own = world.own();
    const plain = addresses?.flatMap((address) => plainHost(address) ?? []);
    const able = plain?.filter((address) => mayDial(address, target, allowed, own));
    const [first] = plain ?? [];
    if (able?.length === 0 && first !== undefined)
      return { refused: { ...target, why: addressText(first, own), address: first } };
    if (route !== "direct") return await throughUpstream(target, route, tunnel, options.connectMs);
    return { socket: await fastest(able ?? [], target.port, options.connectMs) };
  } catch (error) {
    const code = error instanceof Error && "code" in error ? String(error.code) : "EIO";
    return { failed: `${netHostText(target)} can't be reached: ${words(error)}`, code };
  }
}

function words(error: unknown): string {
  return error instanceof Error ? (error.message.split("\n")[0] ?? "") : String(error);
}

/** The first address that answers. */
async function fastest(addresses: readonly string[], port: number, timeoutMs: number): Promise<Socket> {
  let last: unknown = Object.assign(new Error("the name has no address"), { code: "ENOTFOUND" });
  for (const host of addresses) {
    try {
      return await opened(connect({ host, port, allowHalfOpen: true }), "connect", timeoutMs);
    } catch (error) {
      last = error;
    }
  }
  throw last;
}

function opened<S extends Socket>(socket: S, event: "connect" | "secureConnect", timeoutMs: number): Promise<S> {
  return new Promise((resolve, reject) => {
    const fail = (error: Error): void => {
      socket.destroy();
      reject(error);
    };
    socket.setTimeout(timeoutMs, () =>
      fail(Object.assign(new Error(`no answer within ${timeoutMs / 1000} s`), { code: "ETIMEDOUT" })),
    );
    socket.once("error", fail);
    socket.once(event, () => {
      socket.setTimeout(0).removeAllListeners("timeout").removeListener("error", fail);
      resolve(socket);
    });
  });
}

/** Connects to the person's proxy, and by it to the target where a tunnel is wanted. */
async function throughUpstream(target: NetHost, upstream: Upstream, tunnel: boolean, ms: number): Promise<Dialed> {
  const { host, port, tls } = upstream;
  const name = isIP(host) === 0 ? { servername: host } : {};
  const socket = tls
    ? await opened(connectTls({ host, port, ...name }), "secureConnect", ms)
    : await opened(connect({ host, port, allowHalfOpen: true }), "connect", ms);
  if (!tunnel) return { socket, upstream };
  const to = netHostText(target);
  const key = upstream.authorization === undefined ? "" : `Proxy-Authorization: ${upstream.authorization}\r\n`;
  socket.write(`CONNECT ${to} HTTP/1.1\r\nHost: ${to}\r\n${key}\r\n`);
  const head = await headOf(socket, ms);
  const status = /^HTTP\/1\.[01] (\d{3})/.exec(head)?.[1];
  if (status?.startsWith("2") === true) return { socket, upstream };
  socket.destroy();
  throw Object.assign(new Error(`the person's proxy answers ${status ?? "no HTTP"}`), { code: "EPROXY" });
}

const MAX_HEAD = 16_384;

/** The answer's head; what came behind it is put back. */
function headOf(socket: Socket, timeoutMs: number): Promise<string> {
  return new Promise((resolve, reject) => {
    let got = Buffer.alloc(0);
    const end = (error?: Error): void => {
      socket.setTimeout(0).removeAllListeners("timeout");
      socket.off("data", take).off("error", end).off("close", gone);
      if (error !== undefined) {
        socket.destroy();
        reject(error);
      }
    };
    const gone = (): void => end(Object.assign(new Error("the person's proxy hung up"), { code: "EPROXY" }));
    const take = (chunk: Buffer): void => {
      got = Buffer.concat([got, chunk]);
      const at = got.indexOf("\r\n\r\n");
      if (at < 0 && got.length < MAX_HEAD) return;
      socket.pause();
      end();
      if (at >= 0 && at + 4 < got.length) socket.unshift(got.subarray(at + 4));
      resolve(got.subarray(0, Math.max(at, 0)).toString("latin1"));
    };
    socket.setTimeout(timeoutMs, () =>
      end(Object.assign(new Error("the person's proxy does not answer"), { code: "ETIMEDOUT" })),
    );
    socket.on("data", take).once("error", end).once("close", gone);
  });
}
