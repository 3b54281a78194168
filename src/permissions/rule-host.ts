import { isIPv4, isIPv6 } from "node:net";
import type { Need } from "../events/effect.ts";
import { carriedAddress, isLocalName } from "../sandbox/net-address.ts";
import { netHostText, plainHost } from "../sandbox/net-host.ts";

type NetworkNeed = Need & { kind: "network" };
export type Scheme = "http" | "https";

/**
 * Whom a rule names: `*` is every host, `*.name` every name below that one and not itself. Without a port every port, without a
 * scheme both. `below`: the name itself and all below it.
 */
export interface HostRule {
  host: string;
  port?: number;
  scheme?: Scheme;
  below?: true;
}

export const PORTS: Record<Scheme, number> = { http: 80, https: 443 };

/** `host`, `host:port`, `host:*`, as in `Network(…)`. Throws an Error that says what to write. */
export function readHostRule(text: string, action: "allow" | "ask" | "deny"): HostRule {
  const url = /^(https?):\/\//i.exec(text);
  if (url !== null) throw new Error(`no scheme here; write ${schemeless(text)}`);
  const [, name, port] = /^(\*|\[[^\]]*\]|[^\s:/@[\]]+)(?::(\d{1,5}|\*))?$/.exec(text) ?? [];
  if (name === undefined) throw new Error("write host:port, such as example.com:443");
  const host = ruledHost(name, action);
  if (action === "allow" && port === undefined) throw new Error(`name the port, such as Network(${name}:443)`);
  const number = port === undefined || port === "*" ? undefined : portOf(port);
  return { host, ...(number === undefined ? {} : { port: number }) };
}

function schemeless(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url === undefined) return "host:port";
  return `Network(${url.hostname}:${url.port === "" ? PORTS[url.protocol === "http:" ? "http" : "https"] : url.port})`;
}

/**
 * `https://host`, `https://host:port`, and to tighten also `host`, `host:port` and `domain:name` (that name and all below it), as in
 * `WebFetch(…)`. Throws an Error that says what to write.
 */
export function readFetchRule(text: string, action: "allow" | "ask" | "deny"): HostRule {
  if (/^[a-z][a-z0-9+.-]*:\/\//i.test(text)) return readOrigin(text, action);
  const domain = /^domain:(.+)$/s.exec(text)?.[1];
  if (action === "allow") {
    const host = ruledHost(domain ?? text.replace(/:\d+$/, ""), action);
    throw new Error(`an allow names scheme and host; write WebFetch(https://${bracketed(host)})`);
  }
  if (domain === undefined) return readHostRule(text, action);
  const host = ruledHost(domain, action);
  return host.startsWith("*") ? { host } : { host, below: true };
}

function readOrigin(text: string, action: "allow" | "ask" | "deny"): HostRule {
  const [, scheme = "", name, port] =
    /^(https?):\/\/(\[[^\]]*\]|[^\s:/@[\]?#\\]+)(?::(\d{1,5}))?\/?$/i.exec(text) ?? [];
  if (name === undefined) throw new Error("a rule names a host, not a page or a user; write WebFetch(https://host)");
  const kind: Scheme = scheme.toLowerCase() === "http" ? "http" : "https";
  const host = ruledHost(name, action);
  if (action === "allow" && host.startsWith("*"))
    throw new Error("an allow names one host; write WebFetch(https://host)");
  return { host, scheme: kind, port: port === undefined ? PORTS[kind] : portOf(port) };
}

function portOf(text: string): number {
  const port = Number(text);
  if (port < 1 || port > 65_535) throw new Error(`there is no port ${text}`);
  return port;
}

/** The one form in which hosts are compared. A name in other letters is looked at as its `xn--` name, which an allow must write itself. */
function ruledHost(name: string, action: "allow" | "ask" | "deny"): string {
  if (name === "*") return name;
  const below = name.startsWith("*.");
  const whole = below ? name.slice(2) : name;
  if (whole.includes("*"))
    throw new Error("* stands for a whole host, or in front for all names below one: *.example.com");
  const plain = plainHost(whole);
  if (plain !== undefined && !(below && isAddress(plain))) return (below ? "*." : "") + plain;
  const meant = below ? undefined : lookedUp(whole);
  if (meant === undefined) throw new Error(`${JSON.stringify(name)} is no host's name or address`);
  if (action === "allow") throw new Error(`programs read ${JSON.stringify(name)} as ${meant}; write that`);
  return meant;
}

function isAddress(host: string): boolean {
  return isIPv4(host) || isIPv6(host);
}

function bracketed(host: string): string {
  return isIPv6(host) ? `[${host}]` : host;
}

/**
 * What a browser or a library makes of a host's text: numbers become addresses, other letters `xn--`, a user part is cut off. undefined
 * where they may make different things of it.
 */
function lookedUp(host: string): string | undefined {
  if (/[/\\?#\s]/.test(host)) return undefined;
  const text = `http://${bracketed(host)}/`;
  return URL.canParse(text) ? plainHost(new URL(text).hostname) : undefined;
}

/**
 * For an allow: this very host, and the port and scheme that the rule names. Look-alike letters never match. `*:443` is for a call that
 * wants any host at that port; only `*:*`, typed so, is all there is.
 */
export function reaches(rule: HostRule, need: NetworkNeed): boolean {
  if (rule.scheme !== undefined && rule.scheme !== need.get) return false;
  if (rule.port !== undefined && rule.port !== need.port) return false;
  if (rule.host === "*") return rule.port === undefined || need.host === "*";
  const host = plainHost(need.host);
  return host !== undefined && isHost(rule, host);
}

/** For an ask or a deny: the same host in whatever dress, or one that can't be told. */
export function mayReach(rule: HostRule, need: NetworkNeed): boolean {
  if (rule.scheme !== undefined && need.get !== undefined && rule.scheme !== need.get) return false;
  if (rule.port !== undefined && need.port !== undefined && rule.port !== need.port) return false;
  if (rule.host === "*" || need.host === "*") return true;
  const plain = plainHost(need.host) ?? lookedUp(need.host);
  if (plain === undefined) return true;
  const meant = sameAs(plain);
  return sameAs(rule.host).some((host) => meant.some((one) => isHost({ ...rule, host }, one)));
}

/** A host and what else it is: the IPv4 address in an IPv6 one, this machine by any of its names. */
function sameAs(host: string): string[] {
  const inner = isIPv6(host) ? carriedAddress(host) : undefined;
  const all = inner === undefined ? [host] : [host, inner];
  const local = all.some((one) => isLocalName(one) || /^127\.|^::1$/.test(one));
  return local ? [...all, "localhost"] : all;
}

function isHost({ host: wanted, below }: HostRule, host: string): boolean {
  if (wanted.startsWith("*.")) return !isAddress(host) && host.endsWith(wanted.slice(1));
  if (below === true && !isAddress(host) && host.endsWith(`.${wanted}`)) return true;
  return wanted === host;
}

/** The rule that allows just this page's host, as it is offered. */
export function fetchText(scheme: Scheme, host: string, port: number): string {
  return `WebFetch(${scheme}://${port === PORTS[scheme] ? bracketed(host) : netHostText({ host, port })})`;
}
