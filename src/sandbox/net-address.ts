import { BlockList, isIPv4, isIPv6 } from "node:net";
import { type NetHost, plainHost } from "./net-host.ts";

/** What an address is, as far as it matters: `own` is one of this machine's. */
export type AddressKind = "public" | "own" | "loopback" | "link-local" | "private" | "reserved";

const RANGES: readonly (readonly [kind: Exclude<AddressKind, "public" | "own">, ranges: string])[] = [
  ["loopback", "127.0.0.0/8 ::1/128"],
  ["link-local", "169.254.0.0/16 fe80::/10"],
  ["private", "10.0.0.0/8 172.16.0.0/12 192.168.0.0/16 100.64.0.0/10 fc00::/7 fec0::/10"],
  // Not those for documents and benchmarks (192.0.2.0/24, 198.18.0.0/15 and the like): what is not routed anywhere is what local
  // gateways stand behind, and proxies that make up an address for every name.
  ["reserved", "0.0.0.0/8 192.0.0.0/24 224.0.0.0/4 240.0.0.0/4 ::/128 100::/64 64:ff9b:1::/48 ff00::/8"],
];

const LISTS = RANGES.map(([kind, ranges]) => {
  const list = new BlockList();
  for (const range of ranges.split(" ")) {
    const [net = "", bits] = range.split("/");
    list.addSubnet(net, Number(bits), isIPv4(net) ? "ipv4" : "ipv6");
  }
  return { kind, list };
});

/** IPv6 that carries an IPv4 address: mapped, compatible, NAT64 and 6to4 lead to where that one leads. */
const CARRIERS: readonly (readonly [prefix: readonly number[], at: number])[] = [
  [[0, 0, 0, 0, 0, 0xffff], 6],
  [[0, 0, 0, 0, 0, 0], 6],
  [[0x64, 0xff9b, 0, 0, 0, 0], 6],
  [[0x2002], 1],
];

/** What an address is. `own`: the machine's addresses, in the form of `plainHost`. Throws for what is no address. */
export function addressKind(address: string, own: ReadonlySet<string>): AddressKind {
  const plain = plainHost(address);
  if (plain === undefined || (!isIPv4(plain) && !isIPv6(plain))) throw new Error(`${address} is no address`);
  const family = isIPv4(plain) ? "ipv4" : "ipv6";
  const found = LISTS.find(({ list }) => list.check(plain, family))?.kind;
  if (found !== undefined) return found;
  if (own.has(plain)) return "own";
  const inner = family === "ipv6" ? carriedAddress(plain) : undefined;
  return inner === undefined ? "public" : addressKind(inner, own);
}

/** The IPv4 address that an IPv6 address leads to, if it does. */
export function carriedAddress(address: string): string | undefined {
  const words = wordsOf(address);
  const found = CARRIERS.find(([prefix]) => prefix.every((word, n) => words[n] === word));
  if (found === undefined) return undefined;
  const [high = 0, low = 0] = words.slice(found[1], found[1] + 2);
  return [high >> 8, high & 255, low >> 8, low & 255].join(".");
}

/** The eight words of a shortened IPv6 address. */
function wordsOf(address: string): number[] {
  const [head = "", tail] = address.split("::");
  const read = (part: string): number[] => (part === "" ? [] : part.split(":").map((word) => parseInt(word, 16)));
  const last = tail === undefined ? [] : read(tail);
  const first = read(head);
  const gap = tail === undefined ? 0 : 8 - first.length - last.length;
  return [...first, ...Array.from({ length: gap }, () => 0), ...last];
}

/** Names that are this machine wherever they are looked up. */
export function isLocalName(host: string): boolean {
  return host === "localhost" || host.endsWith(".localhost");
}

/**
 * Whether a connection to this address may be made for that target. What a name leads to is the name server's word, so an address
 * inside (this machine, the private network, the one that cloud machines are configured by) must be named itself, or be `localhost`.
 */
export function mayDial(
  address: string,
  target: NetHost,
  allowed: readonly NetHost[],
  own: ReadonlySet<string>,
): boolean {
  const kind = addressKind(address, own);
  if (kind === "public") return true;
  const plain = plainHost(address);
  const literal = (host: string | undefined): boolean => allowed.some((a) => a.port === target.port && a.host === host);
  return literal(plain) || (kind === "loopback" && isLocalName(target.host) && literal(target.host));
}

const WORDS: Record<AddressKind, string> = {
  public: "a public address",
  own: "an address of this machine",
  loopback: "this machine itself",
  "link-local": "a link-local address (where cloud machines tell their keys)",
  private: "an address inside the private network",
  reserved: "a reserved address",
};

/** Why an address is refused, behind the target's name. */
export function addressText(address: string, own: ReadonlySet<string>): string {
  return `leads to ${address}, ${WORDS[addressKind(address, own)]}`;
}

/** What a host is that is named by an address inside, or as this machine; undefined for any other. */
export function insideText(host: string): string | undefined {
  const plain = plainHost(host);
  if (plain === undefined) return undefined;
  if (isLocalName(plain)) return WORDS.loopback;
  const kind = isIPv4(plain) || isIPv6(plain) ? addressKind(plain, new Set()) : "public";
  return kind === "public" ? undefined : WORDS[kind];
}
