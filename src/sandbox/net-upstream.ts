import { BlockList, isIP, isIPv4 } from "node:net";
import { isLocalName } from "./net-address.ts";
import type { NetHost } from "./net-host.ts";

/** The person's own proxy, through which everything goes but what their NO_PROXY names. */
export interface Upstream {
  host: string;
  port: number;
  tls: boolean;
  /** Value of `Proxy-Authorization`; it never enters the copy. */
  authorization?: string;
}

/** How a target is reached: directly, by the person's proxy, or not (text: why). */
export type Route = Upstream | "direct" | { problem: string };

type Env = Readonly<Record<string, string | undefined>>;

/** Reads HTTP_PROXY, HTTPS_PROXY, ALL_PROXY and NO_PROXY of the person's environment, small letters first. */
export function routesOf(env: Env): (scheme: "http" | "https", target: NetHost) => Route {
  const read = (name: string): string => (env[name.toLowerCase()] ?? env[name] ?? "").trim();
  const all = read("ALL_PROXY");
  const of = { http: read("HTTP_PROXY") || all, https: read("HTTPS_PROXY") || all };
  const routes = { http: upstreamOf(of.http), https: upstreamOf(of.https) };
  const excepted = exceptions(read("NO_PROXY"));
  return (scheme, target) => (isHere(target.host) || excepted(target) ? "direct" : routes[scheme]);
}

function isHere(host: string): boolean {
  return isLocalName(host) || host === "::1" || (isIPv4(host) && host.startsWith("127."));
}

function upstreamOf(text: string): Route {
  if (text === "") return "direct";
  const full = /^[a-z0-9+.-]+:\/\//i.test(text) ? text : `http://${text}`;
  const url = URL.canParse(full) ? new URL(full) : undefined;
  if (url === undefined || url.hostname === "")
    return { problem: "would go through the person's proxy, whose setting is no address" };
  if (url.protocol !== "http:" && url.protocol !== "https:")
    return {
      problem: `would go through the person's proxy, which speaks ${url.protocol.slice(0, -1)}: only HTTP proxies can be used`,
    };
  const tls = url.protocol === "https:";
  const port = url.port === "" ? (tls ? 443 : 80) : Number(url.port);
  const user = decoded(url.username);
  const authorization =
    user === "" && url.password === ""
      ? {}
      : { authorization: `Basic ${Buffer.from(`${user}:${decoded(url.password)}`).toString("base64")}` };
  return { host: url.hostname.replace(/^\[|\]$/g, ""), port, tls, ...authorization };
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/** NO_PROXY: names with all below them, addresses, `a.b.c.d/n`, each perhaps with a port; `*` is everything. */
function exceptions(text: string): (target: NetHost) => boolean {
  const entries = text
    .toLowerCase()
    .split(/[\s,]+/)
    .filter((entry) => entry !== "")
    .map(exception);
  return (target) => entries.some((entry) => entry(target));
}

function exception(entry: string): (target: NetHost) => boolean {
  const [, subnet = "", bits] = /^([0-9a-f.:]+)\/(\d{1,3})$/.exec(entry) ?? [];
  const version = isIP(subnet);
  if (version !== 0 && Number(bits) <= (version === 4 ? 32 : 128)) {
    const list = new BlockList();
    const family = version === 4 ? "ipv4" : "ipv6";
    list.addSubnet(subnet, Number(bits), family);
    return ({ host }) => isIP(host) === version && list.check(host, family);
  }
  const [, name = "", port] = /^(\[[^\]]*\]|[^:]*|.*:.*:.*?)(?::(\d+))?$/.exec(entry) ?? [];
  const wanted = name.replace(/^\*?\./, "").replace(/^\[|\]$/g, "");
  return (target) =>
    (port === undefined || Number(port) === target.port) &&
    (wanted === "*" || target.host === wanted || (isIP(target.host) === 0 && target.host.endsWith(`.${wanted}`)));
}
