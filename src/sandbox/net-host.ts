import { isIPv4, isIPv6 } from "node:net";

/** A host and a port that a command may reach. `host` is whole, in the form of `plainHost`; `*` means any. */
export interface NetHost {
  host: string;
  port: number;
}

const LABEL = /^[a-z0-9_]([a-z0-9_-]{0,61}[a-z0-9_])?$/;

/**
 * A host's name or address in the one form that is compared: lower case, no dot at the end, IPv6 shortened and without brackets.
 * undefined for whatever is neither: other letters, a NUL, a user part, and numbers that some programs read as an address
 * (`2130706433`, `0x7f.1`, `127.1`).
 */
export function plainHost(text: string): string | undefined {
  const bare = /^\[([^\]]*)\]$/.exec(text)?.[1] ?? text;
  if (bare !== text && !isIPv6(bare)) return undefined;
  if (isIPv6(bare)) return bare.includes("%") ? undefined : shortIPv6(bare);
  if (isIPv4(text)) return text;
  const name = text.toLowerCase().replace(/\.$/, "");
  const labels = name.split(".");
  if (name.length > 253 || !labels.every((label) => LABEL.test(label))) return undefined;
  return /^(\d+|0x[0-9a-f]*)$/.test(labels.at(-1) ?? "") ? undefined : name;
}

function shortIPv6(text: string): string | undefined {
  return URL.canParse(`http://[${text}]/`) ? new URL(`http://[${text}]/`).hostname.slice(1, -1) : undefined;
}

/** `host:port` as a client or the model writes it. Without a port it is `port`, where one is given; `*:port` is any host. */
export function readNetHost(text: string, port?: number): NetHost | undefined {
  const [, name = "", given] = /^(\[[^\]]*\]|[^:[\]]*)(?::(\d{1,5}))?$/.exec(text) ?? [];
  const host = name === "*" ? name : plainHost(name);
  const number = given === undefined ? port : Number(given);
  if (host === undefined || number === undefined || number < 1 || number > 65_535) return undefined;
  return { host, port: number };
}

/** As it is written in a call, a rule and on the screen. */
export function netHostText({ host, port }: NetHost): string {
  return `${host.includes(":") ? `[${host}]` : host}:${port}`;
}

/** Whether a target is named: the whole host and the port. Nothing is matched by a part of its name. */
export function named(allowed: readonly NetHost[], target: NetHost): boolean {
  return allowed.some((a) => a.port === target.port && (a.host === "*" || a.host === target.host));
}
