import type { NetReport } from "./net.ts";
import { type NetHost, netHostText, plainHost } from "./net-host.ts";
import type { ShellCommand } from "./sandbox.ts";

/** What programs say when a name or an address can't be reached. */
const UNREACHED =
  /EAI_AGAIN|ENETUNREACH|ENOTFOUND|[Cc]ould not resolve|[Cc]ouldn't resolve|Temporary failure (in|resolving)|Network is unreachable|[Nn]ame or service not known|getaddrinfo|Failed to resolve|dns error|no such host|from versions: none/;
/** Where such a message names the host. */
const NAMES = [
  /getaddrinfo (?:EAI_AGAIN|ENOTFOUND) ([a-z0-9.-]+)/gi,
  /[Cc]ould(?: not|n't) resolve host(?:name)?:? ['"]?([a-z0-9.-]+)/gi,
  /Failed to resolve ['"]([a-z0-9.-]+)/g,
  /lookup ([a-z0-9.-]+)(?: on \S+)?: /g,
  /unable to access 'https?:\/\/([a-z0-9.-]+)/g,
];

type Ran = Pick<ShellCommand, "network" | "hosts">;

/** Of a command whose names or addresses were not reached: that the network is off, or that the program doesn't use the proxy. */
export function networkHints(output: string, command: Ran): string[] {
  if (command.network || !UNREACHED.test(output)) return [];
  if (/^(?:ssh|kex_exchange_identification|scp|rsync): /m.test(output)) {
    return [
      "ssh knows no proxy: for git use the https address with network: [host:443]; else call Bash again with network: true, the whole network, or unsandboxed: true where the person's keys are needed (the person is asked)",
    ];
  }
  if ((command.hosts ?? []).length > 0) {
    return [
      "this program looks names up by itself, which the copy can't: give it the proxy of $HTTPS_PROXY (HTTP and SOCKS5 on one port) by an option of its own; if it has none, call Bash again with network: true, the whole network (the person is asked)",
    ];
  }
  const found = hostsIn(output);
  const list = found.length === 0 ? '["host:port"], naming each host that it must reach' : json(found);
  return [
    `the network is off in this copy; if the command needs it, call Bash again with network: ${list} (the person is asked)`,
  ];
}

/** What the proxy refused, and the call that asks for all of it. */
export function refusedHints(hosts: readonly NetHost[], refused: NetReport["refusals"]): string[] {
  if (refused.length === 0) return [];
  const shown = refused.slice(0, 10);
  const what = shown.map((r) => `${netHostText(r)} (it ${r.why})`).join(", ");
  const more = refused.length > shown.length ? ` and ${refused.length - shown.length} more` : "";
  const wanted = shown.flatMap((r) => [r, ...(r.address === undefined ? [] : [{ host: r.address, port: r.port }])]);
  const all = [...new Set([...hosts, ...wanted].map(netHostText))];
  const how =
    all.length > hosts.length
      ? `if the command needs it, call Bash again with network: ${JSON.stringify(all)} (the person is asked)`
      : "asking again won't help; tell the person";
  return [`refused on the network: ${what}${more}; ${how}`];
}

function hostsIn(output: string): NetHost[] {
  const found = NAMES.flatMap((pattern) => [...output.matchAll(pattern)].map((match) => match[1] ?? ""));
  const hosts = found.flatMap((name) => plainHost(name.replace(/\.+$/, "")) ?? []);
  return [...new Set(hosts)].slice(0, 10).map((host) => ({ host, port: 443 }));
}

function json(hosts: readonly NetHost[]): string {
  return JSON.stringify(hosts.map(netHostText));
}
